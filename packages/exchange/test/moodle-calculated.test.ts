import { drawOnce, fill, parseTemplate, readDraws } from '@exam-practice/expressions'
import { describe, expect, test } from 'vitest'
import { type ExportedItem, isGift, isMoodle, type Question, writeMoodleXml } from '../src/index.ts'
import { htmlToText } from '../src/texts/rich-text.ts'
import { childOf, childrenOf, readElements, textOf, type XmlElement } from '../src/xml.ts'
import { readAll } from './reading.ts'

interface Definition {
  name: string
  from?: string
  to?: string
  decimals?: string
  distribution?: string
  status?: string
  items?: string[]
}

const definition = ({ name, from = '1', to = '10', decimals = '1', items = [], ...others }: Definition) => `
  <dataset_definition>
    <status><text>${others.status ?? 'private'}</text></status>
    <name><text>${name}</text></name>
    <type>calculated</type>
    <distribution><text>${others.distribution ?? 'uniform'}</text></distribution>
    <minimum><text>${from}</text></minimum>
    <maximum><text>${to}</text></maximum>
    <decimals><text>${decimals}</text></decimals>
    <itemcount>${items.length}</itemcount>
    <dataset_items>${items.map((value, index) => `<dataset_item><number>${index + 1}</number><value>${value}</value></dataset_item>`).join('')}</dataset_items>
    <number_of_items>${items.length}</number_of_items>
  </dataset_definition>`

const answer = (
  formula: string,
  { fraction = 100, tolerance = '0.01', type = '1', format = '1', length = '2' } = {},
) => `
  <answer fraction="${fraction}">
    <text><![CDATA[${formula}]]></text>
    <tolerance>${tolerance}</tolerance>
    <tolerancetype>${type}</tolerancetype>
    <correctanswerformat>${format}</correctanswerformat>
    <correctanswerlength>${length}</correctanswerlength>
    <feedback format="html"><text></text></feedback>
  </answer>`

async function read(
  text: string,
  answers: string,
  definitions: Definition[],
  { type = 'calculated', more = '' } = {},
) {
  const [item] = await readAll(`<?xml version="1.0" encoding="UTF-8"?><quiz><question type="${type}">
    <name><text>n</text></name>
    <questiontext format="html"><text><![CDATA[${text}]]></text></questiontext>
    <generalfeedback format="html"><text><![CDATA[<p>It is {={a}*2}.</p>]]></text></generalfeedback>
    <defaultgrade>2.0000000</defaultgrade>${more}${answers}
    <dataset_definitions>${definitions.map(definition).join('')}</dataset_definitions></question></quiz>`)
  return item
}
const reasonOf = async (formula: string, definitions: Definition[] = [{ name: 'a' }], more = '') =>
  await read('<p>{a}</p>', answer(formula), definitions, { more })
const formulaOf = async (formula: string) => {
  const item = await reasonOf(formula, [{ name: 'a' }, { name: 'b' }])
  if (!item || !('question' in item) || item.question.kind !== 'number') return item
  return item.question.key.replace(/^\{@|; 2@\}$/g, '')
}

describe('calculated questions of Moodle', () => {
  test.each(['calculated', 'calculatedsimple'])('%s', async (type) => {
    const item = await read(
      '<p>What is {a}&nbsp;m + {b m}<sup>2</sup> of {c}, \\(\\frac{{a}}{2}\\)?</p>',
      answer('{a} + {b m}**2', { tolerance: '0.05' }),
      [{ name: 'a' }, { name: 'b m', from: '-5', to: '5.4', decimals: '0' }, { name: 'unused' }],
      { type },
    )
    expect(item).toMatchObject({
      question: {
        kind: 'number',
        text: 'What is {@a; 1@} m + {@b_m@}\\(^{2}\\) of {c}, \\(\\frac{{@a; 1@}}{2}\\)?',
        explanation: 'It is {@a*2@}.',
        marks: '2.0000000',
        key: '{@a+b_m^2; 2@}',
        tolerance: '{@abs(a+b_m^2)*0.05@}',
        variables: [
          { name: 'a', from: '1', to: '10', step: '0.1' },
          { name: 'b_m', from: '-5', to: '5', step: '1' },
        ],
      },
    })
  })

  test('calculatedmulti', async () => {
    const options =
      answer('{=pow({a},2)} m', { length: '1' }) +
      answer('{={a}+1}', { fraction: 0, format: '2', length: '3' }) +
      answer('{a}', { fraction: 0 })
    expect(
      await read('q {a}', options, [{ name: 'a', decimals: '0' }], {
        type: 'calculatedmulti',
        more: '<single>1</single>',
      }),
    ).toMatchObject({
      question: {
        kind: 'choice',
        multiple: false,
        options: [
          { text: '{@(a)^(2); 1@} m', isRight: true },
          { text: '{@a+1; 3s@}', isRight: false },
          { text: '{@a@}', isRight: false },
        ],
        variables: [{ name: 'a', from: '1', to: '10', step: '1' }],
      },
    })
  })

  test('tolerances', async () => {
    const of = async (tolerance: string, type: string) => {
      const item = await read('{a}', answer('{a}', { tolerance, type, format: '2', length: '4' }), [
        { name: 'a' },
      ])
      return item && 'question' in item && item.question.kind === 'number'
        ? [item.question.key, item.question.tolerance]
        : item
    }
    expect(await of('0.2', '2')).toEqual(['{@a; 4s@}', '0.2'])
    expect(await of('0.2', 'relative')).toEqual(['{@a; 4s@}', '{@abs(a)*0.2@}'])
    expect(await of('0', '1')).toEqual(['{@a; 4s@}', '0'])
    expect(await of('0.1', '3')).toMatchObject({ reason: expect.stringContaining('factor') })
    expect(await of('x', '2')).toMatchObject({ reason: 'the tolerance cannot be read' })
  })

  test.each([
    ['{a}*-{b}', 'a*-b'],
    ['pow({a}, {b})', '(a)^(b)'],
    ['log({a})', 'ln(a)'],
    ['log({a}, 10) + LOG10({b})', '(ln(a)/ln(10))+log10(b)'],
    ['round({a} * pi(), 2)', 'round((a*pi)*10^2)/10^2'],
    ['round({a})', 'round(a)'],
    ['fmod({a}, 3)', '(a)-(3)*(max(floor((a)/(3)),0)+min(ceil((a)/(3)),0))'],
    ['sin(deg2rad({a}))', 'sin(((a)*pi/180))'],
    ['max({a}, {b}, 3)', 'max(a,b,3)'],
    ['-2**2 + 1.5e-3', '-2^2+1.5e-3'],
  ])('%s is read', async (formula, expected) => {
    expect(String(await formulaOf(formula)).replace(/\s/g, '')).toBe(expected)
  })

  test.each([
    ['{a} ^ 2', /has \^, which/],
    ['{a} % 2', /has %, which/],
    ['bindec({a})', /the function bindec/],
    ['constructor({a})', /the function constructor/],
    ['{a} > 1 ? 2 : 3', /has >, which/],
    ['{d}', /has \{d\}, which/],
    ['010*{a}', /has 010, which/],
    ['pow({a})', /the function pow/],
    ['({a}', /cannot be read/],
    ['{a}))((', /cannot be read/],
    ['', /is empty/],
    [`${'('.repeat(50_000)}{a}${')'.repeat(50_000)}`, /too long/],
    [`{a}${'+1'.repeat(300)}`, /longer than 500/],
    [`${'fmod('.repeat(60)}{a}${',2)'.repeat(60)}`, /too long/],
  ])('%.20s is named with the reason', async (formula, reason) => {
    expect(await reasonOf(formula)).toMatchObject({ reason: expect.stringMatching(reason) })
  })

  test('what its variables can’t be here is named', async () => {
    const of = async (...definitions: Definition[]) => await reasonOf('{a}', definitions)
    expect(await of({ name: 'a', distribution: 'loguniform' })).toMatchObject({ reason: /loguniform/ })
    expect(await of({ name: 'a', from: 'x' })).toMatchObject({ reason: expect.stringContaining('range') })
    expect(await of({ name: 'a', decimals: '99' })).toMatchObject({
      reason: expect.stringContaining('decimals'),
    })
    expect(await of({ name: 'b' })).toMatchObject({ reason: expect.stringContaining('not in the file') })
    const many = Array.from({ length: 2_000 }, (_, index) => ({ name: `v${index}` }))
    const all = many.map(({ name }) => `{${name}}`).join('')
    expect(await read(`{a}${all}`, answer('{a}'), [{ name: 'a' }, ...many])).toMatchObject({
      reason: 'it has more than 20 variables',
    })
    expect(
      await reasonOf('{a}', [{ name: 'a', status: 'shared' }], '<synchronize>1</synchronize>'),
    ).toMatchObject({
      reason: 'its numbers are the same as those of other questions',
    })
    expect(await reasonOf('{a}', [{ name: 'a', status: 'shared' }])).toHaveProperty('question')
  })

  test('values entered by hand are the values of one variable, and named where several belong together', async () => {
    const items = ['2.50', '7.25']
    expect(await reasonOf('{a}', [{ name: 'a', items }])).toMatchObject({
      question: { text: '{@a; 2@}', variables: [{ name: 'a', values: items }] },
    })
    expect(await reasonOf('{a}*{b}', [{ name: 'a', items }, { name: 'b' }])).toMatchObject({
      reason: expect.stringContaining('belong together'),
    })
    expect(await reasonOf('{a}', [{ name: 'a', items: ['2.5', '7.0'] }])).toMatchObject({
      question: { variables: [{ from: '1', to: '10', step: '0.1' }] },
    })
  })

  test('a variable that is called as a constant or function gets another name', async () => {
    const names = ['e', 'sin', 'e_2', 'größe', 'Speed-2']
    const item = await read(
      names.map((name) => `{${name}}`).join(' '),
      answer('{e}*{e_2}'),
      [...names, 'a'].map((name) => ({ name, decimals: '0' })),
    )
    expect(item).toMatchObject({
      question: {
        text: '{@e_3@} {@sin_2@} {@e_2@} {@gr_e@} {@Speed_2@}',
        key: '{@e_3*e_2; 2@}',
        variables: ['e_3', 'sin_2', 'e_2', 'gr_e', 'Speed_2', 'a'].map((name) => ({ name })),
      },
    })
  })

  test('an earlier formula without marks may take answers from the right one', async () => {
    const wrong = answer('{a} + 0.1', { fraction: 0 })
    expect(await read('{a}', wrong + answer('{a}'), [{ name: 'a' }])).toMatchObject({
      reason: 'an earlier answer without marks hides the right number',
    })
    expect(await read('{a}', answer('{a}') + wrong, [{ name: 'a' }])).toHaveProperty('question')
  })

  test('one bad question costs nobody the others', async () => {
    const good = `<question type="truefalse"><questiontext><text>q</text></questiontext><answer fraction="100"><text>true</text></answer><answer fraction="0"><text>false</text></answer></question>`
    const bad = `<question type="calculated"><questiontext><text>{a}</text></questiontext>${answer(`{a}${'+{a}'.repeat(25_000)}`)}<dataset_definitions>${definition({ name: 'a', to: '1000000000' })}</dataset_definitions></question>`
    const items = await readAll(`<quiz>${bad}${good}</quiz>`)
    expect(items).toMatchObject([{ reason: 'a formula of it is too long' }, { question: { kind: 'choice' } }])
  })
})

describe('questions with variables for Moodle', () => {
  const asked = { explanation: 'It is {@a*b; 1@}.', tags: [], marks: '2' }
  const variables = [
    { name: 'a', from: '-2', to: '5', step: '0.1' },
    { name: 'b', values: ['0.25', '3', '12.125'] },
    { name: 'c', is: 'a/b + floor(a)' },
  ]
  const number = (fields: { key: string; tolerance: string; text?: string }): Question => ({
    ...asked,
    kind: 'number',
    text: 'Of {@a@}, {@b; 2@}, {a} and {=a}: {@c; 3s@} or \\(x^{@a@} - {@a@} + {@b@}\\)?',
    variables,
    conditions: ['a != b'],
    ...fields,
  })
  const choice = (multiple: boolean): Question => ({
    ...asked,
    kind: 'choice',
    multiple,
    text: 'What?',
    options: ['{@a*2@} m', '{@a + 1000; 2@}', '{@b/7@}'].map((text, index) => ({
      text,
      isRight: index === 0,
    })),
    variables,
    conditions: [],
  })

  function drawsOf({ variables = [], conditions = [] }: Question) {
    let state = 1
    const random = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0)
    const draws = readDraws(variables, conditions)
    const found = []
    while (found.length < 50) {
      const values = drawOnce(draws, random)
      if (values) found.push(values)
    }
    return found
  }

  async function write(question: Question): Promise<XmlElement> {
    async function* items(): AsyncGenerator<ExportedItem> {
      yield { id: '1', name: 'one', question, draws: () => drawsOf(question) }
    }
    const written = (await Array.fromAsync(writeMoodleXml(items()))).join('')
    const [element] = readElements(written, new Set(['question']))
    if (!element) throw new Error(written)
    return element
  }

  /** The values of each name by Moodle's list. */
  const datasetsOf = (element: XmlElement) =>
    childrenOf(childOf(element, 'dataset_definitions'), 'dataset_definition').map((each) => ({
      name: textOf(childOf(each, 'name', 'text')),
      values: childrenOf(childOf(each, 'dataset_items'), 'dataset_item').map((item) =>
        textOf(childOf(item, 'value')),
      ),
    }))
  /** As Moodle does it: each name in braces, wherever it stands, then its own formulas. */
  const shownBy = (html: string, datasets: ReturnType<typeof datasetsOf>, index: number) =>
    htmlToText(
      datasets.reduce((text, { name, values }) => text.replaceAll(`{${name}}`, values[index] ?? ''), html),
    ).text

  test.each([
    ['a number', number({ key: '{@c*2; 2@}', tolerance: '{@abs(c*2)*0.05@}' })],
    ['a choice', choice(false)],
  ])('%s shows the same in each of its draws', async (_, question) => {
    const element = await write(question)
    expect(element.attributes.type).toBe(question.kind === 'number' ? 'calculated' : 'calculatedmulti')
    const datasets = datasetsOf(element)
    for (const { values } of datasets) expect(values).toHaveLength(50)
    const places: [string, string][] = [
      [question.text, textOf(childOf(element, 'questiontext', 'text'))],
      [question.explanation, textOf(childOf(element, 'generalfeedback', 'text'))],
      ...(question.kind === 'choice'
        ? childrenOf(element, 'answer').map((each, index): [string, string] => [
            question.options[index]?.text ?? '',
            textOf(childOf(each, 'text')),
          ])
        : []),
    ]
    const plain = (text: string | undefined) =>
      text?.replaceAll('−', '-').replace(/\{(-?[\d.]+)\}|\((-?[\d.]+)\)/g, '$1$2')
    for (const [template, html] of places) {
      expect(html).not.toMatch(/\{=/)
      for (const [index, values] of drawsOf(question).entries())
        expect(plain(shownBy(html, datasets, index))).toBe(plain(fill(parseTemplate(template), values)))
    }
  })

  test('a negative value has its brackets in a formula, and a range stays one', async () => {
    const element = await write(number({ key: '{@a@}', tolerance: '0.1' }))
    const stem = textOf(childOf(element, 'questiontext', 'text'))
    expect(stem).toContain('{v2}, &#123;a} and &#123;=a}')
    expect(stem).toContain('\\(x^{{a}} - ({a}) + {b}\\)')
    const definition = childrenOf(childOf(element, 'dataset_definitions'), 'dataset_definition').find(
      (each) => textOf(childOf(each, 'name')) === 'a',
    )
    expect(
      ['distribution', 'minimum', 'maximum', 'decimals'].map((name) => textOf(childOf(definition, name))),
    ).toEqual(['uniform', '-2', '5', '1'])
  })

  test.each([
    ['{@c*2; 2@}', '{@abs(c*2)*0.05@}', '({c} * 2)', '0.05', '1', '1 2'],
    [
      '{@-a^2 + sqrt(b)*pi; 3s@}',
      '{@5*abs(-a^2 + sqrt(b)*pi)/100@}',
      '((-pow({a}, 2)) + (sqrt({b}) * pi()))',
      '0.05',
      '1',
      '2 3',
    ],
    ['{@ln(a + 3)@}', '{@2/8@}', 'log(({a} + 3))', '0.25', '2', '1 9'],
    ['{@mod(a, b); 1@}', '0.1', '{key}', '0.1', '2', '1 1'],
    ['7', '0.1', '7', '0.1', '2', '1 0'],
  ])('the key %s with %s', async (key, tolerance, formula, theirs, type, format) => {
    const question = number({ key, tolerance })
    expect([isMoodle(question), isGift(question)]).toEqual([true, false])
    const element = await write(question)
    const [answer] = childrenOf(element, 'answer')
    const value = (name: string) => textOf(childOf(answer, name))
    expect(value('text')).toBe(formula)
    expect([value('tolerance'), value('tolerancetype')]).toEqual([theirs, type])
    expect(`${value('correctanswerformat')} ${value('correctanswerlength')}`).toBe(format)
    // Moodle's formula gives the key, by its values.
    const datasets = datasetsOf(element)
    for (const [index, values] of drawsOf(question).entries()) {
      const by = datasets.reduce(
        (text, { name, values: items }) => text.replaceAll(`{${name}}`, `(${items[index]})`),
        formula,
      )
      const php = by
        .replace(/log\(/g, 'ln(')
        .replace(/pi\(\)/g, 'pi')
        .replace(/pow\((\(.*?\)), 2\)/g, '($1)^2')
      const template = (each: string) =>
        Number(
          fill(parseTemplate(each), values)
            ?.replaceAll('−', '-')
            .replace(/ × 10.*/, ''),
        )
      const exact = key.replace(/;.*?@\}/, '; 12s@}')
      expect(template(`{@${php}; 12s@}`)).toBeCloseTo(template(exact), 9)
    }
  })

  test.each([
    ['0.000123456789012345678', '2', '0.000123456789012'],
    ['{@exp(-700)/3@}', '2', '3.28655884792e-305'],
    ['{@abs(a*3)*0.000123456789012345678@}', '1', '0.000123456789012'],
    ['12345678901234567890', '2', '12345678901234567890'],
  ])('the tolerance %s has at most 20 characters', async (tolerance, type, expected) => {
    const [written] = childrenOf(await write(number({ key: '{@a*3@}', tolerance })), 'answer')
    const value = (name: string) => textOf(childOf(written, name))
    expect([value('tolerance'), value('tolerancetype')]).toEqual([expected, type])
  })

  test('large and small values have their zeros', async () => {
    const values = ['1.25', '-3']
    const element = await write({
      ...number({ key: '{@n@}', tolerance: '0.1' }),
      text: '{@n*10^9@}, {@n/10^6@}, \\({@n/10^8; 3s@}\\), {@n*10^15@} and {@n*10^16@}',
      explanation: '',
      variables: [{ name: 'n', values }],
      conditions: [],
    })
    const shown = datasetsOf(element).map(({ values: items }) => new Set(items))
    expect(shown).toEqual([
      new Set(['1250000000', '-3000000000']),
      new Set(['0.00000125', '-0.000003']),
      new Set(['0.0000000125', '-0.0000000300']),
      new Set(['1250000000000000', '-3000000000000000']),
      new Set(['1.25e16', '-3e16']),
      new Set(values),
    ])
  })

  test('others are no questions of Moodle', () => {
    expect(isMoodle(choice(true))).toBe(false)
    expect(isMoodle(choice(false))).toBe(true)
    expect(isMoodle(number({ key: '{@a@}', tolerance: '{@b@}' }))).toBe(false)
    expect(isMoodle(number({ key: '', tolerance: '0' }))).toBe(false)
    const ordering: Question = { ...asked, kind: 'ordering', text: '{@a@}', items: ['a', 'b'], variables }
    expect(isMoodle(ordering)).toBe(false)
    // No value stands in it.
    expect(isMoodle({ ...ordering, text: '', explanation: '' })).toBe(true)
  })
})
