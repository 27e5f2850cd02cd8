import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isQti, type QtiVersion, type Question, writeQti } from '../src/index.ts'
import { drawAll, drawnQuestion, toDrawnItems } from './drawn-questions.ts'
import { makeZip, readAll } from './reading.ts'

const QUESTIONS = Number(process.env.QUESTIONS ?? 40)

async function write(version: QtiVersion, questions: readonly Question[]) {
  return await Array.fromAsync(writeQti(version, toDrawnItems(questions)))
}

async function readBack(version: QtiVersion, questions: readonly Question[]) {
  const files = await write(version, questions)
  return await readAll(await makeZip(Object.fromEntries(files.map(({ path, content }) => [path, content]))))
}

describe.each<QtiVersion>(['2.1', '3.0'])('QTI %s', (version) => {
  test('gives back questions with variables that mean the same', {
    timeout: 600_000,
    meta: { costly: 'draws all that can be drawn of many questions' },
  }, async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9)
    const questions = fc.sample(drawnQuestion, { numRuns: QUESTIONS, seed })
    expect(questions.filter((each) => !isQti(each))).toEqual([])
    const items = await readBack(version, questions)
    expect(items, `SEED=${seed}`).toHaveLength(questions.length)
    for (const [index, item] of items.entries()) {
      const question = questions[index] as Question
      if (!('question' in item)) throw new Error(`SEED=${seed} ${JSON.stringify([item, question])}`)
      expect(item.image?.alt).toBe('a pendulum')
      expect(drawAll(item.question), `SEED=${seed} ${JSON.stringify([question, item.question])}`).toEqual(
        drawAll(question),
      )
    }
  })
})

// 1EdTech's licence doesn't allow passing the schemas on (docs/exchange.md).
describe.runIf(process.env.QTI_SCHEMAS).each<[QtiVersion, string]>([
  ['2.1', 'imsqti_v2p1.xsd'],
  ['3.0', 'imsqti_asiv3p0_v1p0.xsd'],
])('1EdTech’s schema of %s', (version, schema) => {
  test(`accepts ${QUESTIONS} questions with variables`, async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9)
    const questions = fc.sample(drawnQuestion, { numRuns: QUESTIONS, seed })
    const folder = await mkdtemp(path.join(tmpdir(), 'qti-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const files = (await write(version, questions)).filter(({ path: name }) => name.startsWith('items/'))
    const documents = files.map(({ path: name }) => path.join(folder, path.basename(name)))
    await Promise.all(files.map(({ content }, index) => writeFile(documents[index] ?? '', content)))
    const options = ['--nonet', '--noout', '--schema', path.join(String(process.env.QTI_SCHEMAS), schema)]
    await expect(
      promisify(execFile)('xmllint', [...options, ...documents]),
      `SEED=${seed}`,
    ).resolves.toBeDefined()
  })
})

/** An item that asks for `VALUE`, which is what the rules set. */
const item = (
  rules: string,
  {
    declarations = '',
    body = '<p><printedVariable identifier="VALUE"/></p>',
    processing = '',
    type = 'float',
  } = {},
) => `
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i" title="t" adaptive="false" timeDependent="false">
  <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="float"/>
  <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float" normalMaximum="3"/>
  ${['A', 'B'].map((name) => `<templateDeclaration identifier="${name}" cardinality="single" baseType="integer"/>`).join('')}
  <templateDeclaration identifier="VALUE" cardinality="single" baseType="${type}"/>${declarations}
  <templateProcessing>
    <setTemplateValue identifier="A"><randomInteger min="1" max="9" step="2"/></setTemplateValue>
    <setTemplateValue identifier="B"><random><multiple>${base('2')}${base('5')}</multiple></random></setTemplateValue>
    ${rules}
    <setCorrectResponse identifier="RESPONSE"><variable identifier="VALUE"/></setCorrectResponse>
  </templateProcessing>
  <itemBody>${body}<p><textEntryInteraction responseIdentifier="RESPONSE"/></p></itemBody>
  <responseProcessing>${processing || `<responseCondition><responseIf><equal toleranceMode="absolute" tolerance="0.5"><variable identifier="RESPONSE"/><correct identifier="RESPONSE"/></equal><setOutcomeValue identifier="SCORE"><baseValue baseType="float">3</baseValue></setOutcomeValue></responseIf></responseCondition>`}</responseProcessing>
</assessmentItem>`
const base = (value: string, type = 'integer') => `<baseValue baseType="${type}">${value}</baseValue>`
const setValue = (xml: string) => `<setTemplateValue identifier="VALUE">${xml}</setTemplateValue>`
const [A, B] = ['<variable identifier="A"/>', '<variable identifier="B"/>']
const math = (name: string, xml: string) => `<mathOperator name="${name}">${xml}</mathOperator>`
const read = async (xml: string) => (await readAll(xml))[0]
const keyOf = async (xml: string, options = {}) => {
  const read_ = await read(item(setValue(xml), options))
  if (!read_ || !('question' in read_)) return read_ && 'reason' in read_ ? read_.reason : read_
  return read_.question.kind === 'number' ? read_.question.key : read_.question
}

describe('templates', () => {
  test('are variables, conditions, and a key by its expression', async () => {
    const condition = `<templateConstraint><and><lt>${A}${B}</lt><not><equal toleranceMode="exact">${A}${base('3')}</equal></not></and></templateConstraint>`
    const body = `<p>What is <printedVariable identifier="A"/> times <printedVariable identifier="B" format="%.2f"/>, \\(x_<printedVariable identifier="VALUE" format="%#.3g"/>\\)?</p>`
    expect(await read(item(setValue(`<product>${A}${B}</product>`) + condition, { body }))).toEqual({
      label: 'Question 1 (t)',
      question: {
        kind: 'number',
        text: 'What is {@A@} times {@B; 2@}, \\(x_{@A*B; 3s@}\\)?',
        explanation: '',
        tags: [],
        marks: '3',
        key: '{@A*B@}',
        tolerance: '0.5',
        variables: [
          { name: 'A', from: '1', to: '9', step: '2' },
          { name: 'B', values: ['2', '5'] },
        ],
        conditions: ['A < B and A != 3'],
      },
    })
  })

  test.each([
    [`<sum>${A}${B}${base('1')}</sum>`, 'A + B + 1'],
    [`<subtract>${A}<sum>${B}${base('-2.50', 'float')}</sum></subtract>`, 'A - (B + -2.5)'],
    [`<divide><product>${A}${A}</product>${B}</divide>`, 'A*A/B'],
    [`<power>${A}<power>${B}${base('2')}</power></power>`, 'A^B^2'],
    [`<power><product>${base('-1')}${A}</product>${base('2')}</power>`, '(-A)^2'],
    [`<power>${A}${base('0.5', 'float')}</power>`, 'sqrt(A)'],
    [`<integerDivide>${A}${B}</integerDivide>`, 'floor(A/B)'],
    [`<integerModulus>${A}${B}</integerModulus>`, 'mod(A, B)'],
    [`<truncate><divide>${A}${B}</divide></truncate>`, 'max(floor(A/B), 0) + min(ceil(A/B), 0)'],
    [`<round><divide>${A}${B}</divide></round>`, 'floor(A/B + 0.5)'],
    [`<roundTo roundingMode="decimalPlaces" figures="0">${A}</roundTo>`, 'round(A)'],
    [`<roundTo roundingMode="decimalPlaces" figures="2">${A}</roundTo>`, 'round(A*10^2)/10^2'],
    [`<gcd>${A}${B}${base('6')}</gcd>`, 'gcd(A, B, 6)'],
    [`<sum>${A}<max><multiple>${base('1')}${base('2')}</multiple></max></sum>`, 'A + max(1, 2)'],
    [`<min>${A}${B}</min>`, 'min(A, B)'],
    [math('log', A), 'log10(A)'],
    [math('ln', A), 'ln(A)'],
    [math('sec', A), '1/cos(A)'],
    [math('atan2', A + B), 'atan2(A, B)'],
    [math('sin', math('toRadians', A)), 'sind(A)'],
    [math('toDegrees', math('acos', A)), 'acosd(A)'],
    [math('toRadians', A), 'A*pi/180'],
    [math('signum', A), 'min(max(ceil(A), 0), 1) + max(min(floor(A), 0), -1)'],
    [`<product><mathConstant name="pi"/><integerToFloat>${A}</integerToFloat></product>`, 'pi*A'],
  ])('%s is %s', async (xml, expected) => {
    expect(await keyOf(xml)).toBe(`{@${expected}@}`)
  })

  test('what is drawn may be moved, stretched, or a part of more', async () => {
    const of = async (xml: string, options = {}) => {
      const found = await read(item(setValue(xml), options))
      return found && 'question' in found ? found.question.variables : found
    }
    const tenths = `<sum>${base('0.5', 'float')}<product>${base('0.1', 'float')}<randomInteger min="0" max="20"/></product></sum>`
    expect(await of(tenths)).toEqual([{ name: 'VALUE', from: '0.5', to: '2.5', step: '0.1' }])
    const float =
      '<roundTo roundingMode="decimalPlaces" figures="2"><randomFloat min="1" max="2.5"/></roundTo>'
    expect(await of(float)).toEqual([{ name: 'VALUE', from: '1', to: '2.5', step: '0.01' }])
    expect(await of(`<product>${A}<randomInteger min="1" max="3"/></product>`)).toEqual([
      { name: 'A', from: '1', to: '9', step: '2' },
      { name: 'drawn_2', from: '1', to: '3', step: '1' },
    ])
    const list = `<templateDeclaration identifier="LIST" cardinality="ordered" baseType="float"><defaultValue><value>1.5</value><value>2</value></defaultValue></templateDeclaration>`
    expect(await of('<random><variable identifier="LIST"/></random>', { declarations: list })).toEqual([
      { name: 'VALUE', values: ['1.5', '2'] },
    ])
  })

  test('a tolerance may depend on what is drawn', async () => {
    const processing = (attributes: string, first = '<correct identifier="RESPONSE"/>') =>
      `<responseCondition><responseIf><equal ${attributes}>${first}<variable identifier="RESPONSE"/></equal><setOutcomeValue identifier="SCORE"><baseValue baseType="float">3</baseValue></setOutcomeValue></responseIf></responseCondition>`
    const numberOf = async (attributes: string, first?: string) => {
      const found = await read(
        item(setValue(`<sum>${A}${B}</sum>`), { processing: processing(attributes, first) }),
      )
      return found && 'question' in found && found.question.kind === 'number'
        ? [found.question.key, found.question.tolerance]
        : found
    }
    expect(await numberOf('toleranceMode="relative" tolerance="5 5"')).toEqual([
      '{@A + B@}',
      '{@abs(A + B)*0.05@}',
    ])
    expect(await numberOf('toleranceMode="absolute" tolerance="A A"')).toEqual(['{@A + B@}', '{@A@}'])
    expect(await numberOf('toleranceMode="exact"', B)).toEqual(['{@B@}', '0'])
    expect(await numberOf('toleranceMode="absolute" tolerance="A B"')).toMatchObject({
      reason: expect.stringContaining('not in the middle'),
    })
  })

  test.each([
    ['<randomFloat min="0" max="1"/>', 'its numbers are drawn without steps'],
    ['<randomInteger min="0" max="A"/>', 'the ends of its range are drawn, too'],
    [`<random><multiple>${base('1')}${base('1.0')}</multiple></random>`, 'more often than others'],
    [`<index n="A"><ordered>${base('1')}${base('2')}</ordered></index>`, '(index)'],
    ['<variable identifier="NONE"/>', 'used before it has a value'],
    ['<variable identifier="VALUE"/>', 'used before it has a value'],
    [math('acot', A), '(acot)'],
    [math('constructor', A), '(constructor)'],
    [`<roundTo roundingMode="significantFigures" figures="2">${A}</roundTo>`, '(roundTo)'],
    ['<statsOperator name="mean"><multiple/></statsOperator>', '(statsOperator)'],
    ['<null/>', '(null)'],
    [base('one', 'string'), '(baseValue)'],
    [`<sum>${A.repeat(10_000)}</sum>`, '(sum)'],
    [`<sum>${A.repeat(150)}</sum>`, 'longer than 500'],
    [`${'<sum>'.repeat(150)}${A}${'</sum>'.repeat(150)}`, '{@A@}'],
    [base('9'.repeat(100_000)), 'cannot be read'],
  ])('%.60s: %s', async (xml, expected) => {
    expect(await keyOf(xml)).toContain(expected)
  })

  test('rules and texts that depend on what is drawn are named', async () => {
    const reasonOf = async (rules: string, options = {}) => {
      const found = await read(item(rules, options))
      return found && 'reason' in found ? found.reason : found
    }
    expect(await reasonOf(setValue(A).repeat(2))).toContain('set more than once')
    expect(await reasonOf(setValue(A), { type: 'identifier' })).toBe('its variables are no numbers')
    expect(await reasonOf(`<templateCondition/>`)).toContain('(templateCondition)')
    expect(await reasonOf('<exitTemplate/>')).toContain('(exitTemplate)')
    const shown = (attributes: string) => ({ body: `<p><printedVariable identifier="A" ${attributes}/></p>` })
    expect(await reasonOf(setValue(A), shown('format="%.3e"'))).toContain('%.3e')
    expect(await reasonOf(setValue(A), shown('base="16"'))).toContain('a form that there is not here')
    const block = {
      body: '<templateBlock templateIdentifier="A" identifier="x" showHide="show"><p>x</p></templateBlock>',
    }
    expect(await reasonOf(setValue(A), block)).toBe('its text depends on its numbers')
    expect(await reasonOf(setValue(A), { body: '<p>{@A@}</p>' })).toContain('{@')
  })

  test.each([
    [2, 'it has more than 20 variables'],
    [1, 'an expression of its variables is too long'],
  ])('a chain of 2,000 definitions, each with %d of the one before, is named', async (times, reason) => {
    const names = Array.from({ length: 2_000 }, (_, index) => `X${index}`)
    const declarations = names
      .map((name) => `<templateDeclaration identifier="${name}" cardinality="single" baseType="float"/>`)
      .join('')
    const before = (index: number) => (index === 0 ? A : `<variable identifier="X${index - 1}"/>`)
    const rules = names
      .map(
        (name, index) =>
          `<setTemplateValue identifier="${name}"><sum>${base('1')}${before(index).repeat(times)}</sum></setTemplateValue>`,
      )
      .join('')
    const last = `<variable identifier="${names.at(-1)}"/>`
    expect(await read(item(rules + setValue(last), { declarations }))).toMatchObject({ reason })
  })

  test('a text has MathML with variables', async () => {
    const mathVariable = {
      declarations:
        '<templateDeclaration identifier="M" cardinality="single" baseType="integer" mathVariable="true"/>',
    }
    const body =
      '<p><math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>M</mi><mi>y</mi></mfrac></math></p>'
    const set = `<setTemplateValue identifier="M">${A}</setTemplateValue>`
    expect(await read(item(set + setValue(A), { ...mathVariable, body }))).toMatchObject({
      question: { text: expect.stringContaining('\\frac{{@A@}}{y}') },
    })
  })

  test('without anything drawn there are only numbers', async () => {
    const constant = async (xml: string) => {
      const drawn = /<setTemplateValue identifier="[AB]">.*?<\/setTemplateValue>/gs
      const body = '<p>\\(x^<printedVariable identifier="VALUE"/>\\)</p>'
      return await read(item(setValue(xml), { body }).replace(drawn, ''))
    }
    const minus = base('-12', 'float')
    expect(await constant(minus)).toMatchObject({
      question: { text: expect.stringContaining('x^{-12}'), key: '-12' },
    })
    const divided = (by: string) => `<divide>${minus}${base(by)}</divide>`
    expect(await constant(divided('7'))).toMatchObject({ question: { key: '-1.71428571428571' } })
    expect(await constant(divided('0'))).toMatchObject({ reason: 'a number of it is not finite' })
    const found = await read(
      item(setValue(base('2.50', 'float'))).replace(
        /<setTemplateValue identifier="[AB]">.*?<\/setTemplateValue>/gs,
        '',
      ),
    )
    expect(found).toMatchObject({
      question: { text: expect.stringMatching(/^2\.5/), key: '2.5', variables: [], conditions: [] },
    })
  })
})

describe('what QTI has no operator for', () => {
  const asked = { kind: 'number' as const, explanation: '', tags: [], tolerance: '0.5' }
  const variables = [{ name: 'n', from: '1', to: '5', step: '1' }]

  test('is a list of fifty values', async () => {
    const question: Question = { ...asked, text: '{@n@}! and {@n/3@}', key: '{@factorial(n)@}', variables }
    const [file] = await write('2.1', [question])
    const written = String(file?.content)
    const lists = [...written.matchAll(/<index n="DRAW"><ordered>(.*?)<\/ordered><\/index>/g)].map(
      ([, list = '']) => [...list.matchAll(/>([^<]+)</g)].map(([, value]) => Number(value)),
    )
    expect(lists.map((list) => list.length)).toEqual([50, 50, 50])
    const [key = [], shown = []] = lists
    const factorials = [1, 1, 2, 6, 24, 120]
    expect(shown.map((n) => factorials[n])).toEqual(key)
    expect(written).toContain('<setTemplateValue identifier="DRAW"><randomInteger min="1" max="50"/>')
    expect(await readBack('3.0', [question])).toMatchObject([{ reason: expect.stringContaining('(index)') }])
  })

  test('is left out where it isn’t shown', () => {
    const text: Question = {
      ...asked,
      kind: 'text',
      text: '',
      accepted: [{ text: '{@n@}', percent: '100' }],
      variables,
    }
    expect(isQti(text)).toBe(false)
    expect(isQti({ ...text, accepted: [{ text: 'n', percent: '100' }] })).toBe(true)
  })
})
