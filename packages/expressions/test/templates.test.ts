import { expect, test } from 'vitest'
import { evaluate, fill, parseExpression, parseTemplate } from '../src/index.ts'

const VALUES = new Map(
  Object.entries({ a: '-3', b: '2.5', c: '6.02*10^23', third: '1/3', small: '-0.001' }).map(
    ([name, text]) => {
      const value = evaluate(parseExpression(text), new Map())
      if (!value) throw new Error(`${text} has no value`)
      return [name, value]
    },
  ),
)

test.each([
  ['{@a@} and {@b@}', '−3 and 2.5'],
  ['{@ a + b ; 2 @}', '−0.50'],
  ['{@third@}, {@third; 3s@}, {@third; 0@}', '0.333333, 0.333, 0'],
  ['{@small; 2@}', '0.00'],
  ['{@123456; 3s@}', '123000'],
  ['{@0.5; 3s@}', '0.500'],
  ['{@c@}', '6.02 × 10²³'],
  ['$2 \\cdot {@c@}$', '$2 \\cdot 6.02 \\times 10^{23}$'],
  ['$x + {@a@}$', '$x + (-3)$'],
  ['$x = {@a@}$', '$x = -3$'],
  ['$x^{@a@} + y_{@a@}$', '$x^{-3} + y_{-3}$'],
  ['$ab {@a@}$ and \\({@a@}^2\\)', '$ab (-3)$ and \\((-3)^2\\)'],
  ['$\\frac{@a@}{@b@}$', '$\\frac{-3}{2.5}$'],
  ['$3{@a@}$ and \\(x {@a@}\\)', '$3(-3)$ and \\(x (-3)\\)'],
  ['$\\frac{\\sqrt{2}}{@b@}$', '$\\frac{\\sqrt{2}}{2.5}$'],
  ['$\\frac{@b@} {@a@}$', '$\\frac{2.5} {-3}$'],
  ['$\\frac1{@b@}$ and $\\frac\\pi{@b@}$', '$\\frac1{2.5}$ and $\\frac\\pi{2.5}$'],
  ['$\\frac{1}{2}{@b@}$ and $\\frac{1}{2}{@a@}$', '$\\frac{1}{2}2.5$ and $\\frac{1}{2}(-3)$'],
  [
    '$\\sqrt{@b@} + \\sqrt[3]{@b@} + \\sqrt[{@b@}]{@b@}$',
    '$\\sqrt{2.5} + \\sqrt[3]{2.5} + \\sqrt[2.5]{2.5}$',
  ],
  ['$10^ {@b@} + x_ {@a@}$', '$10^ {2.5} + x_ {-3}$'],
  ['$\\mathrm{@b@} \\text{@a@}$', '$\\mathrm{2.5} \\text{-3}$'],
  ['$\\vec{@b@} = \\overline{@b@} = \\boxed{@a@}$', '$\\vec{2.5} = \\overline{2.5} = \\boxed{-3}$'],
  ['$\\pi{@b@} \\cdot{@a@} \\sin{@a@}$', '$\\pi{2.5} \\cdot(-3) \\sin(-3)$'],
  ['$5\\,{@a@} + 5\\;{@a@} = \\, {@a@}$', '$5\\,(-3) + 5\\;(-3) = \\, -3$'],
  ['$2 \\cdot\\,{@a@} ⋅ {@a@} ∙ {@a@}$', '$2 \\cdot\\,(-3) ⋅ (-3) ∙ (-3)$'],
  ['$3!{@a@}, \\left|x\\right|{@a@}, |{@a@}|$', '$3!(-3), \\left|x\\right|(-3), |-3|$'],
  ['5 $ and {@a@} $', '5 $ and −3 $'],
  ['\\$ {@a@} $x$', '\\$ −3 $x$'],
])('%s becomes %s', (text, wanted) => {
  expect(fill(parseTemplate(text), VALUES)).toBe(wanted)
})

test('a place whose value isn’t finite leaves no text', () => {
  expect(fill(parseTemplate('{@1/(a + 3)@}'), VALUES)).toBeUndefined()
})

test.each(['{@a +@}', '{@a; 16@}', '{@a; 0s@}', '{@a; two@}', '{@a < b@}', '{@@}'])(
  '%s is refused',
  (text) => {
    expect(() => parseTemplate(text)).toThrow()
  },
)
