import { describe, expect, test } from 'vitest'
import { readAll } from './reading.ts'

interface Given {
  formulas?: string[]
  tolerance?: string
  decimals?: string
  vars?: [name: string, from: string, to: string, scale: string][]
  /** Values of the variables, in their order, and the answer. */
  sets?: string[][]
  text?: string
  more?: string
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** As Canvas exports it. */
const item = ({
  formulas = ['x + y'],
  tolerance = '<answer_tolerance>0.1</answer_tolerance>',
  decimals = '2',
  vars = [
    ['x', '1', '10', '0'],
    ['y', '-2.0', '5.0', '1'],
  ],
  sets = [],
  text = '<p>What is [x] + [y], \\([x]\\), of [z]?</p>',
  more = '',
}: Given) => `<?xml version="1.0" encoding="UTF-8"?>
<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"><assessment ident="a" title="t"><section ident="root_section">
<item ident="g1" title="Question">
  <itemmetadata><qtimetadata>
    <qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>calculated_question</fieldentry></qtimetadatafield>
    <qtimetadatafield><fieldlabel>points_possible</fieldlabel><fieldentry>3.0</fieldentry></qtimetadatafield>
  </qtimetadata></itemmetadata>
  <presentation>
    <material><mattext texttype="text/html">${escaped(text)}</mattext></material>
    <response_str ident="response1" rcardinality="Single"><render_fib fibtype="Decimal"><response_label ident="answer1"/></render_fib></response_str>
  </presentation>
  <resprocessing>
    <outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>
    <respcondition title="correct"><conditionvar><other/></conditionvar><setvar varname="SCORE" action="Set">100</setvar></respcondition>
    <respcondition title="incorrect"><conditionvar><not><other/></not></conditionvar><setvar varname="SCORE" action="Set">0</setvar></respcondition>
  </resprocessing>
  <itemfeedback ident="general_fb"><flow_mat><material><mattext texttype="text/html">&lt;p&gt;Add [x].&lt;/p&gt;</mattext></material></flow_mat></itemfeedback>
  <itemproc_extension><calculated>
    ${tolerance}
    <formulas decimal_places="${decimals}">${formulas.map((each) => `<formula>${escaped(each)}</formula>`).join('')}</formulas>
    <vars>${vars.map(([name, from, to, scale]) => `<var name="${name}" scale="${scale}"><min>${from}</min><max>${to}</max></var>`).join('')}</vars>
    <var_sets>${sets.map((values, index) => `<var_set ident="${index}">${vars.map(([name], at) => `<var name="${name}">${values[at]}</var>`).join('')}<answer>${values.at(-1)}</answer></var_set>`).join('')}</var_sets>${more}
  </calculated></itemproc_extension>
</item></section></assessment></questestinterop>`

const read = async (given: Given) => (await readAll(item(given)))[0]
const entryOf = async (given: Given) => {
  const found = await read(given)
  if (!found || !('question' in found)) return found
  return found.question.kind === 'number' ? [found.question.key, found.question.tolerance] : undefined
}
/** Not rounded, without sets. */
const keyOf = async (formula: string) => {
  const entry = await entryOf({ formulas: [formula], decimals: '' })
  return Array.isArray(entry) ? entry[0]?.replace(/^\{@|@\}$/g, '') : entry
}

describe('calculated questions of Canvas', () => {
  test('have ranges, a rounded key and a tolerance', async () => {
    const sets = [
      ['3', '-1.5', '1.5'],
      ['10.0', '5', '15.00'],
    ]
    expect(await read({ sets })).toEqual({
      label: 'Question 1 (Question)',
      question: {
        kind: 'number',
        text: 'What is {@x@} + {@y@}, \\({@x@}\\), of [z]?',
        explanation: 'Add {@x@}.',
        tags: [],
        marks: '3.0',
        key: '{@round((x+y)*10^2)/10^2; 2@}',
        tolerance: '0.1',
        variables: [
          { name: 'x', from: '1', to: '10', step: '1' },
          { name: 'y', from: '-2', to: '5', step: '0.1' },
        ],
        conditions: [],
      },
    })
  })

  test.each([
    ['<answer_tolerance>2%</answer_tolerance>', '{@abs(round(x+y))*2/100@}'],
    ['<answer_tolerance type="percent">0.5</answer_tolerance>', '{@abs(round(x+y))*0.5/100@}'],
    ['<answer_tolerance>0</answer_tolerance>', '0'],
    ['', '0'],
  ])('tolerance %s', async (tolerance, expected) => {
    expect(await entryOf({ tolerance, decimals: '0' })).toEqual(['{@round(x+y); 0@}', expected])
  })

  test.each([
    ['x^2 * -y', '(x)^2*(-y)'],
    ['-x^2', '(-x)^2'],
    ['(x^y)^2', '(x^y)^2'],
    ['log(x) + log(y, 2)', 'log10(x)+(ln(y)/ln(2))'],
    ['round(x/3)', 'floor(x/3+0.5)'],
    ['mean(x, y, 3) + sum(1, 2)', '((x+y+3)/3)+(1+2)'],
    ['fact(x) + perm(x, 2)', 'factorial(x)+(factorial(x)/factorial((x)-(2)))'],
    ['comb(x, 2) * pi() * e', 'binom(x,2)*pi*e'],
    ['sqrt(deg_to_rad(x))', 'sqrt(((x)*pi/180))'],
    ['e(x)', 'exp(x)'],
  ])('%s is read', async (formula, expected) => {
    const plain = (text: unknown) => String(text).replace(/\s/g, '').replace('(x)^2', 'x^2')
    expect(plain(await keyOf(formula))).toBe(plain(expected))
  })

  test('formulas may give names to values', async () => {
    const formulas = ['s = x + y', 'x * 2', 's * 2']
    expect(await read({ formulas, decimals: '1', sets: [['1', '2', '6.0']] })).toMatchObject({
      question: {
        key: '{@round((s*2)*10^1)/10^1; 1@}',
        variables: [{ name: 'x' }, { name: 'y' }, { name: 's', is: 'x+y' }],
      },
    })
  })

  test.each<[Given, string]>([
    [{ formulas: ['x^y^2'] }, 'power of a power'],
    [{ formulas: ['-(x)'] }, 'cannot be read'],
    [{ formulas: ['median(x, y)'] }, 'the function median'],
    [{ formulas: ['if(x, 1, 2)'] }, 'the function if'],
    [{ formulas: ['x + q'] }, 'has q, which'],
    [{ formulas: ['2x'] }, 'missing'],
    [{ formulas: ['x = x + 1'] }, 'twice'],
    [{ formulas: ['x'.repeat(100_000)] }, 'too long'],
    [{ vars: [['x', 'a', '2', '0']] }, 'range of a variable'],
    [{ sets: [['3', '1', '5']] }, 'does not give the answers'],
    [{ sets: [['3', '1.23', '4.23']] }, 'entered by hand'],
    [
      { vars: Array.from({ length: 2_000 }, (_, index) => [`v${index}`, '1', '2', '0']) },
      'more than 20 variables',
    ],
    [{ more: '<unit_required>true</unit_required>' }, 'needs a unit'],
    [{ text: '<p>{@x@}</p>' }, '{@'],
    [{ tolerance: '<answer_tolerance>some</answer_tolerance>' }, 'the tolerance cannot be read'],
  ])('%.60j is named', async (given, reason) => {
    expect(await read(given)).toMatchObject({ reason: expect.stringContaining(reason) })
  })

  test('without formulas there is nothing to be drawn', async () => {
    expect(await read({ formulas: [] })).toMatchObject({
      reason: 'its numbers are drawn anew for each student',
    })
  })
})
