import { expect, test } from 'vitest'
import { htmlToText, textToHtml } from '../src/texts/rich-text.ts'

test.each([
  ['a <b>bold</b> <i>word</i>', 'a **bold** *word*'],
  ['<b>(a)</b>b', '(a)b'],
  ['<code>a*b*c</code> and 2*3*4', '`a*b*c` and 2\\*3\\*4'],
  ['<pre>if x:\n    y = "*"\n</pre>', '```\nif x:\n    y = "*"\n```'],
  ['<ul><li>a</li><li><b>b</b></li><li></li></ul>after', '- a\n- **b**\n\nafter'],
  ['<p>- no list</p><p># no heading</p>', '\\- no list\n\\# no heading'],
  ['x<sup>2</sup>3 at $5', 'x\\(^{2}\\)3 at $5'],
  [
    '1<sup>st</sup>, CO<sub>2</sub>, 10<sup>-3</sup>, a<sub>50%</sub>',
    '1\\(^{\\text{st}}\\), CO\\(_{2}\\), 10\\(^{-3}\\), a\\(_{\\text{50\\%}}\\)',
  ],
  ['10<sup>\\(n\\)</sup>', '10\\(^{n}\\)'],
  ['empty \\(\\) formula', 'empty \\\\(\\\\) formula'],
  ['<code>[[1]]</code> is a gap', '[[1]] is a gap'],
])('%s becomes %s', (html, text) => {
  expect(htmlToText(html).text).toBe(text)
  // And back, and in again.
  expect(htmlToText(textToHtml(text)).text).toBe(text)
})
