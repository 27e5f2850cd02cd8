import { expect, test } from 'vitest'
import { htmlToText } from '../src/texts/rich-text.ts'

/** As KaTeX, Temml, MathJax and Word write it. */
test.each([
  ['<mo>(</mo><mfrac linethickness="0px"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>', '\\binom{n}{k}'],
  ['<mover accent="true"><mi>x</mi><mo>^</mo></mover>', '\\hat{x}'],
  ['<mover accent="true"><mi>y</mi><mo stretchy="false">~</mo></mover>', '\\tilde{y}'],
  ['<mover accent="true"><mrow><mi>A</mi><mi>B</mi></mrow><mo>→</mo></mover>', '\\overrightarrow{AB}'],
  ['<mover><mi>v</mi><mo>⃗</mo></mover>', '\\vec{v}'],
  ['<mi mathvariant="double-struck">R</mi><mi mathvariant="bold">v</mi>', '\\mathbb{R}\\mathbf{v}'],
  ['<mi>ℝ</mi><mi>𝐯</mi><mi>𝔤</mi>', '\\mathbb{R}\\mathbf{v}\\mathfrak{g}'],
  ['<mi>a</mi><mo>mod</mo><mi>b</mi>', 'a\\bmod b'],
  ['<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>f</mi>', '\\lim _{x→0}f'],
  ['<mrow><mi>rank</mi><mo>\u2061</mo><mi>A</mi></mrow>', '\\operatorname{rank}A'],
  ['<mtext>if\u00a0</mtext><mi>x</mi>', '\\text{if\u00a0}x'],
  ['<mn>50%</mn><mo>+</mo><mi>b</mi>', '50\\%+b'],
  ['<msup><mi>f</mi><mo>′</mo></msup>', "f'"],
  ['<msup><mi>x</mi><mn>2</mn></msup>', 'x^{2}'],
  [
    '<munder><munder><mrow><mi>x</mi><mo>+</mo><mi>y</mi></mrow><mo>⏟</mo></munder><mi>k</mi></munder>',
    '\\underbrace{x+y}_{k}',
  ],
])('%s is %s', (mathml, latex) => {
  expect(htmlToText(`<math><mrow>${mathml}</mrow></math>`).text).toBe(`\\(${latex}\\)`)
})
