import fc from 'fast-check'

/** What the formats of questions, markup and LaTeX give a meaning to. */
const PIECES = [
  ...[
    '$\\frac{a}{b}$',
    '\\(x^2\\)',
    '$CATEGORY:',
    'ANSWER: A',
    '@@PLUGINFILE@@',
    '@@',
    '{1:SA:=a}',
    '_____',
    '###',
    '####',
  ],
  ...[
    '<b>',
    '</p>',
    '<img src=x>',
    '<!--',
    ']]>',
    '&amp;',
    '&#65;',
    '&nbsp;',
    '[html]',
    '=1+1',
    '%50%',
    '->',
    '//',
    '::',
  ],
  ...[
    '{',
    '}',
    '=',
    '~',
    '#',
    '*',
    '\\*',
    '\\n',
    '\\',
    '"',
    "'",
    ',',
    ':',
    ' \n',
    '\n\n',
    '\r\n',
    '\t',
    '  ',
  ],
  ...['\u00a0', '\u0001', '\u0085', '\u2028', '\ufffe', '\u{1f600}'],
]

/** Any text that a question can hold, rich in such pieces. */
export const text = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom(...PIECES)), {
    maxLength: 8,
  })
  .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed().trim())
