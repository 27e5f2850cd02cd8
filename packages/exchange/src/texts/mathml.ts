import { Skip } from '../items.ts'
import { textOf, type XmlElement } from '../xml.ts'

/** Groups that don't change the formula. */
const GROUPS = new Set(['math', 'mrow', 'mstyle', 'mpadded', 'maction', 'merror'])

/** Names that LaTeX sets upright. */
const FUNCTIONS =
  /^(sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|coth|arcsin|arccos|arctan|arg|deg|log|ln|lg|exp|lim|liminf|limsup|min|max|sup|inf|det|gcd|dim|hom|ker|Pr)$/

/** Below these LaTeX takes texts as limits: sums, integrals, limits, braces. */
const WITH_LIMITS =
  /^([∑∏∐∫∬∭∮⋃⋂⨁⨂⨀⨆⋁⋀]|\\(lim|liminf|limsup|max|min|sup|inf|det|gcd|Pr) |\\(over|under)brace\{.*)$/s

/** Marks above and below a letter, and above and below more. */
const ACCENTS: Record<string, [letter: string, wide: string]> = {
  ...accent('^ˆ\u0302', 'hat', 'widehat'),
  ...accent('~˜\u0303', 'tilde', 'widetilde'),
  ...accent('¯ˉ‾\u0304\u0305', 'bar', 'overline'),
  ...accent('→\u20d7', 'vec', 'overrightarrow'),
  ...accent('←\u20d6', 'overleftarrow', 'overleftarrow'),
  ...accent('↔\u20e1', 'overleftrightarrow', 'overleftrightarrow'),
  ...accent('˙\u0307.', 'dot', 'dot'),
  ...accent('¨\u0308', 'ddot', 'ddot'),
  ...accent('ˇ\u030c', 'check', 'check'),
  ...accent('˘\u0306', 'breve', 'breve'),
  ...accent('´ˊ\u0301', 'acute', 'acute'),
  ...accent('`ˋ\u0300', 'grave', 'grave'),
  ...accent('˚\u030a', 'mathring', 'mathring'),
  ...accent('⏞', 'overbrace', 'overbrace'),
}
const ACCENTS_BELOW: Record<string, [letter: string, wide: string]> = {
  ...accent('_‾¯ˉ\u0332', 'underline', 'underline'),
  ...accent('⏟', 'underbrace', 'underbrace'),
}

function accent(characters: string, letter: string, wide: string) {
  return Object.fromEntries([...characters].map((each): [string, [string, string]] => [each, [letter, wide]]))
}

const VARIANTS: Record<string, string> = {
  normal: 'mathrm',
  bold: 'mathbf',
  italic: 'mathit',
  'bold-italic': 'boldsymbol',
  'double-struck': 'mathbb',
  script: 'mathcal',
  'bold-script': 'mathcal',
  fraktur: 'mathfrak',
  'bold-fraktur': 'mathfrak',
  'sans-serif': 'mathsf',
  'bold-sans-serif': 'mathsf',
  monospace: 'mathtt',
}

/** Where Unicode's letters of a variant end: plain ones stand for themselves before the first. */
const LETTERS: [end: number, variant: string][] = [
  [0x1d400, ''],
  [0x1d434, 'bold'],
  [0x1d468, 'italic'],
  [0x1d49c, 'bold-italic'],
  [0x1d504, 'script'],
  [0x1d538, 'fraktur'],
  [0x1d56c, 'double-struck'],
  [0x1d5a0, 'fraktur'],
  [0x1d670, 'sans-serif'],
  [0x1d6a4, 'monospace'],
  [0x1d6a8, ''],
  [0x1d6e2, 'bold'],
  [0x1d71c, 'italic'],
  [0x1d7cb, 'bold-italic'],
  [0x1d7ce, ''],
  [0x1d7d8, 'bold'],
  [0x1d7e2, 'double-struck'],
  [0x1d7f6, 'sans-serif'],
  [0x1d800, 'monospace'],
]

/**
 * Turns presentation MathML into LaTeX; if the author's LaTeX is annotated, it is that. Throws `Skip` for unknown
 * elements.
 */
export function toLatex(element: XmlElement): string {
  const { name, attributes } = element
  const parts = element.children.filter((child) => typeof child !== 'string')
  const part = (index: number) => {
    const child = parts[index]
    return child ? toLatex(child) : ''
  }
  switch (name) {
    case 'semantics': {
      const annotation = parts.find(
        (each) => each.name === 'annotation' && /tex/i.test(each.attributes.encoding ?? ''),
      )
      return annotation ? textOf(annotation).trim() : part(0)
    }
    case 'mi':
      return parts.length > 0 ? row(parts) : identifier(textOf(element), attributes.mathvariant)
    case 'mn':
      return variant(escaped(textOf(element)).replaceAll(',', '{,}'), attributes.mathvariant)
    case 'mo':
      return parts.length > 0 ? row(parts) : operator(textOf(element))
    case 'mtext':
    case 'ms':
      return text(textOf(element))
    case 'mspace':
      return ' '
    case 'mphantom':
      return `\\phantom{${row(parts)}}`
    case 'mfrac':
      return attributes.linethickness !== undefined && Number.parseFloat(attributes.linethickness) === 0
        ? `\\genfrac{}{}{0pt}{}{${part(0)}}{${part(1)}}`
        : `\\frac{${part(0)}}{${part(1)}}`
    case 'msqrt':
      return `\\sqrt{${row(parts)}}`
    case 'mroot':
      return `\\sqrt[${part(1)}]{${part(0)}}`
    case 'msup':
      return based(part(0)) + raised(part(1))
    case 'msub':
      return `${based(part(0))}_{${part(1)}}`
    case 'msubsup':
      return `${based(part(0))}_{${part(1)}}${raised(part(2))}`
    case 'mover':
      return over(part(0), part(1), markOf(parts[1]))
    case 'munder':
      return under(part(0), part(1), markOf(parts[1]))
    case 'munderover': {
      const base = part(0)
      if (WITH_LIMITS.test(base)) return `${base}_{${part(1)}}^{${part(2)}}`
      return under(over(base, part(2), markOf(parts[2])), part(1), markOf(parts[1]))
    }
    case 'mfenced': {
      const { open = '(', close = ')', separators = ',' } = attributes
      return `\\left${fence(open)}${parts.map(toLatex).join(separators.charAt(0))}\\right${fence(close)}`
    }
    case 'menclose':
      return enclosed(row(parts), attributes.notation ?? '')
    case 'mtable':
      return `\\begin{matrix}${parts.map(toLatex).join('\\\\')}\\end{matrix}`
    case 'mtr':
      return parts.map(toLatex).join('&')
    case 'mtd':
      return row(parts)
    case 'none':
    case 'mprescripts':
      return ''
  }
  if (GROUPS.has(name)) return row(parts)
  throw new Skip(`it has a formula that cannot be written as LaTeX here (${name})`)
}

/** Parts one after another; a fraction without its line between brackets is a binomial. */
function row(parts: readonly XmlElement[]): string {
  return parts
    .map((each, index) => {
      const next = parts[index + 1]
      const isName = each.name === 'mi' && next?.name === 'mo' && textOf(next).trim() === '\u2061'
      return isName && textOf(each).trim().length > 1
        ? functionName(textOf(each).trim(), 'operatorname')
        : toLatex(each)
    })
    .join('')
    .replace(/\((?:\\left\()?\\genfrac\{\}\{\}\{0pt\}\{\}((?:\{[^{}]*\}){2})\)/g, '\\binom$1')
}

function identifier(given: string, style: string | undefined): string {
  const name = given.trim()
  if (FUNCTIONS.test(name.replace(/\s/g, ''))) return functionName(name, 'mathrm')
  return [...name].length > 1 && style === undefined && !/[\u{1d400}-\u{1d7ff}]/u.test(name)
    ? `\\mathrm{${escaped(name)}}`
    : variant(escaped(name), style)
}

function functionName(name: string, otherwise: 'operatorname' | 'mathrm'): string {
  const known = name.replace(/\s/g, '')
  return FUNCTIONS.test(known) ? `\\${known} ` : `\\${otherwise}{${escaped(name)}}`
}

/** Letters in the variant that is said, or that they are themselves. */
function variant(latex: string, said: string | undefined): string {
  const [first = ''] = latex
  const code = first.codePointAt(0) ?? 0
  const own =
    code < 0x1d400
      ? /[ℂℍℕℙℚℝℤ]/.test(first)
        ? 'double-struck'
        : /[ℬℰℱℋℐℒℳℛ]/.test(first)
          ? 'script'
          : /[ℭℌℑℜℨ]/.test(first)
            ? 'fraktur'
            : undefined
      : LETTERS.find(([end]) => code < end)?.[1]
  const command = VARIANTS[said ?? own ?? '']
  const plain = own ? latex.normalize('NFKC') : latex
  // Of a sign that is no letter it says nothing.
  if (!command || (command === 'mathrm' && !/^[a-z]+$/i.test(plain))) return plain
  // A single letter is italic anyway.
  return command === 'mathit' && [...plain].length === 1 ? plain : `\\${command}{${plain}}`
}

function operator(given: string): string {
  const sign = given.trim()
  if (!/^[a-z]{2,}$/i.test(sign)) return escaped(given)
  return sign === 'mod' ? '\\bmod ' : functionName(sign, 'operatorname')
}

/** A text keeps its blanks, those that don't break too. */
function text(given: string): string {
  const line = given.replace(/[ \t\r\n]+/g, ' ').replace(/[\u2061-\u2064\u200b]/g, '')
  if (line === '') return ''
  return /^[ \u00a0]+$/.test(line) ? '\\ ' : `\\text{${inText(line)}}`
}

function based(base: string): string {
  return /^([^\\{}]?|\d+|\\[a-zA-Z]+ ?|\\(math\w+|operatorname)\{\w+\})$/u.test(base) ? base : `{${base}}`
}

function raised(exponent: string): string {
  const primes: Record<string, number> = { '′': 1, '″': 2, '‴': 3, "'": 1 }
  const count = [...exponent].reduce((sum, each) => sum + (primes[each] ?? Number.NaN), 0)
  return count > 0 ? "'".repeat(count) : `^{${exponent}}`
}

/** The sign that an operator is, as of an accent. */
function markOf(element: XmlElement | undefined): string {
  return element ? textOf(element).trim() : ''
}

function over(base: string, above: string, mark: string): string {
  const [letter, wide] = ACCENTS[mark] ?? []
  if (letter) return `\\${isLetter(base) ? letter : wide}{${base}}`
  if (base === '→' || base === '⟶') return `\\xrightarrow{${above}}`
  return WITH_LIMITS.test(base) ? `${base}^{${above}}` : `\\overset{${above}}{${base}}`
}

function under(base: string, below: string, mark: string): string {
  const [command] = ACCENTS_BELOW[mark] ?? []
  if (command) return `\\${command}{${base}}`
  return WITH_LIMITS.test(base) ? `${base}_{${below}}` : `\\underset{${below}}{${base}}`
}

function isLetter(base: string): boolean {
  return /^(.|\\math\w+\{.\}|\\boldsymbol\{.\})$/u.test(base)
}

function enclosed(inner: string, notation: string): string {
  if (/\bbox\b/.test(notation)) return `\\boxed{${inner}}`
  if (/diagonalstrike/.test(notation)) return `\\cancel{${inner}}`
  if (/\btop\b/.test(notation)) return `\\overline{${inner}}`
  if (/\bbottom\b/.test(notation)) return `\\underline{${inner}}`
  if (/\bradical\b/.test(notation)) return `\\sqrt{${inner}}`
  throw new Skip('it has a formula that cannot be written as LaTeX here (menclose)')
}

function fence(character: string): string {
  return character === '' ? '.' : /[{}]/.test(character) ? `\\${character}` : character
}

/** Without the signs that aren't seen: of applying a function, of a product. */
function escaped(given: string): string {
  return given
    .trim()
    .replace(/[\u2061-\u2064\u200b]/g, '')
    .replace(/\\|[{}$%&#_^~]/g, (character) => IN_FORMULA[character] ?? `\\${character}`)
}

function inText(given: string): string {
  return given.replace(/\\|[{}$%&#_^~]/g, (character) => IN_TEXT[character] ?? `\\${character}`)
}

const IN_FORMULA: Record<string, string> = { '\\': '\\backslash ', '^': '\\wedge ', '~': '\\sim ' }
const IN_TEXT: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
}
