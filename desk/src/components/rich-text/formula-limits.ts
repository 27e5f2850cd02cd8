/** A formula of more characters is shown as typed. */
const LONGEST = 4_000
/**
 * What defines macros. Definitions that use one another make more than any limit on the number of expansions holds:
 * 1,910 characters kept a page busy for 40 s. KaTeX's own macros each make a fixed, small amount.
 */
const DEFINES = /\\(?:[egx]?def|let|futurelet|global|long|(?:new|renew|provide)command)(?![a-zA-Z])/

/** Whether a formula is drawn at all. */
export function isDrawable(source: string): boolean {
  return source.length <= LONGEST && !DEFINES.test(source)
}

/** How formulas are drawn: without links, images or markup of the writer. */
export const KATEX_OPTIONS = {
  trust: false,
  strict: 'ignore',
  throwOnError: true,
  // What isn't allowed is shown by its name.
  errorColor: 'currentColor',
  maxExpand: 200,
  maxSize: 20,
  output: 'htmlAndMathml',
} as const
