import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toPlainText } from '../src/markdown/from-markdown.ts'
import { toMarkdown } from '../src/markdown/to-markdown.ts'
import { drawn } from './drawn.ts'
import { text as anyText } from './random-text.ts'

const CASES = Number(process.env.CASES ?? 3_000)

/** Blanks that show nothing, and lines of a formula, which are blanks to LaTeX, count once. */
const visible = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    .replace(/\t/g, '    ')
    .replace(/ +$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
const withoutLines = (text: string) => visible(text).replace(/\s+/g, ' ')

const MARKS = [
  ...[
    '*',
    '**',
    '_',
    '__',
    '`',
    '``',
    '```',
    '~~',
    '~~~',
    '#',
    '## ',
    '> ',
    '- ',
    '+ ',
    '1. ',
    '12) ',
    '---',
    '===',
    '***',
  ],
  ...[
    '|',
    '|--|',
    ':--',
    '[',
    ']',
    '(',
    ')',
    '![',
    '](',
    '<',
    '>',
    '&',
    '&amp;',
    '&#42;',
    '&copy;',
    '\\',
    '\\\\',
    '!',
    ':',
  ],
  ...[
    '[a](b)',
    '[a]: b',
    '![a](b)',
    '<https://a.b>',
    'https://a.b/c_d*e',
    'mailto:a@b.c',
    '<b>',
    '</b>',
    '<!--',
    '[[1]]',
  ],
  ...[
    '$',
    '$$',
    '\\(',
    '\\)',
    '\\[',
    '\\]',
    '$x^2$',
    '\\(a*b*c\\)',
    '$$a\n\n- b$$',
    '$5 and $6',
    '\\frac{a}{b}',
    '%',
  ],
  ...[
    '\n',
    '\n\n',
    '\n\n\n',
    ' ',
    '  ',
    '    ',
    '\t',
    '\r\n',
    '\u00a0',
    '\u2028',
    'a',
    'b c',
    '1',
    'é',
    '\u{1f600}',
    '-',
    '=',
  ],
]
const hostile = fc
  .oneof(
    fc.array(fc.constantFrom(...MARKS), { maxLength: 14 }).map((parts) => parts.join('')),
    fc
      .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ maxLength: 6 })), { maxLength: 10 })
      .map((parts) => parts.join('')),
    anyText,
  )
  .map((each) => each.replaceAll('\0', '').toWellFormed().trim())

test(`${CASES} texts are drawn as they read, and come out as they came in`, {
  timeout: 600_000,
  meta: { costly: 'draws each text three times; a hundred thousand where CASES says so' },
}, () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9)
  fc.assert(
    fc.property(hostile, (text) => {
      const source = toMarkdown(text)
      const again = toMarkdown(toPlainText(source) ?? '')
      if (/\$\$|\\[([]/.test(text)) {
        expect(withoutLines(drawn(source))).toBe(withoutLines(text))
        expect(withoutLines(drawn(again))).toBe(withoutLines(text))
      } else {
        expect(visible(drawn(source))).toBe(visible(text))
        expect(visible(drawn(again))).toBe(visible(text))
      }
    }),
    { numRuns: CASES, seed },
  )
})
