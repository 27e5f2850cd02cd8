import { describe, expect, test } from 'vitest'
import type { Item } from '../src/index.ts'
import { readAll } from './reading.ts'

/** How other tools write their scoring, and what of it is named. */

async function only(document: string): Promise<Item> {
  const [item, ...others] = await readAll(document, 'qti')
  expect(others).toEqual([])
  return item as Item
}

// --- QTI 1.2

function oldItem(response: string, rules: string, metadata = '') {
  return `<questestinterop><item title="It">${metadata}<presentation><flow><material><mattext>Which? [a] [b]</mattext></material>${response}</flow></presentation>
    <resprocessing scoremodel="SumOfScores"><outcomes><decvar varname="SCORE" maxvalue="10"/></outcomes>${rules}</resprocessing></item></questestinterop>`
}

const labels = (ids: string) =>
  ids
    .split(' ')
    .map(
      (id) => `<response_label ident="${id}"><material><mattext>${id}</mattext></material></response_label>`,
    )
    .join('')
const lid = (ids: string, cardinality = 'Single', ident = 'response') =>
  `<response_lid ident="${ident}" rcardinality="${cardinality}"><render_choice maxnumber="0">${labels(ids)}</render_choice></response_lid>`
const equal = (value: string, ident = 'response') =>
  `<varequal respident="${ident}" case="No">${value}</varequal>`
const rule = (condition: string, set: string, more = '') =>
  `<respcondition${more}><conditionvar>${condition}</conditionvar>${set}</respcondition>`
const full = '<setvar variablename="SCORE" action="Set">SCORE.max</setvar>'
const none = '<setvar variablename="SCORE" action="Set">0</setvar>'
const other = rule('<other/>', none, ' title="incorrect"')

describe('QTI 1.2', () => {
  test("Blackboard's choices keep their key beside what is true of all others", async () => {
    expect(await only(oldItem(lid('x y z'), rule(equal('y'), full) + other))).toMatchObject({
      question: {
        kind: 'choice',
        multiple: false,
        options: [{}, { text: 'y', isRight: true }, { isRight: false }],
      },
    })
    const each =
      '<and><varequal respident="response">x</varequal><not><varequal respident="response">y</varequal></not><varequal respident="response">z</varequal></and>'
    const feedback = ['x', 'y', 'z']
      .map((id) => rule(`<varequal respident="${id}" case="No"/>`, none))
      .join('')
    expect(await only(oldItem(lid('x y z', 'Multiple'), rule(each, full) + other + feedback))).toMatchObject({
      question: {
        multiple: true,
        options: [{ isRight: true }, { isRight: false }, { isRight: true }],
      },
    })
  })

  test('of twenty-six options, all of which are named, the key is found', async () => {
    const ids = [...'abcdefghijklmnopqrstuvwxyz']
    const all = ids.map((id) => ('cmz'.includes(id) ? equal(id) : `<not>${equal(id)}</not>`)).join('')
    const item = await only(oldItem(lid(ids.join(' '), 'Multiple'), rule(`<and>${all}</and>`, full) + other))
    expect(
      'question' in item &&
        item.question.kind === 'choice' &&
        item.question.options.filter(({ isRight }) => isRight),
    ).toEqual([...'cmz'].map((text) => ({ text, isRight: true })))
  })

  test("Blackboard's numbers have the middle of their range, which it writes beside its ends", async () => {
    const range = `<vargte respident="response">2.9</vargte><varlte respident="response">3.1</varlte>${equal('3.0')}`
    const metadata = '<itemmetadata><bbmd_questiontype>Numeric</bbmd_questiontype></itemmetadata>'
    const entry = '<response_num ident="response"><render_fib/></response_num>'
    expect(await only(oldItem(entry, rule(range, full), metadata))).toMatchObject({
      question: { kind: 'number', key: '3.0', tolerance: '0.1' },
    })
  })

  test('Brightspace counts what is right and what is wrong', async () => {
    const count = (id: string, name: string) =>
      rule(equal(id), `<setvar varname="${name}" action="Add"/>`, ' continue="yes"')
    const rules = count('x', 'D2L_Correct') + count('y', 'D2L_Incorrect') + count('z', 'D2L_Correct')
    const set = '<respcondition><setvar varname="que_score" action="Set">D2L_Correct</setvar></respcondition>'
    expect(await only(oldItem(lid('x y z', 'Multiple'), rules + set))).toMatchObject({
      question: { multiple: true, options: [{ isRight: true }, { isRight: false }, { isRight: true }] },
      lost: ['what wrong choices cost is not carried over'],
    })
  })

  test('what is true of all others is so of those before alone', async () => {
    const late = rule('<other/>', none) + rule(equal('y'), full, ' continue="Yes"')
    expect(
      await only(oldItem(lid('x y'), late.replace('<respcondition>', '<respcondition continue="Yes">'))),
    ).toMatchObject({
      question: { options: [{ isRight: false }, { isRight: true }] },
    })
    const gain = rule('<other/>', full, ' continue="Yes"')
    expect(await only(oldItem(lid('x y'), gain + rule(equal('y'), none, ' continue="Yes"')))).toMatchObject({
      reason: 'no answer at all brings marks',
    })
  })

  test('exact case is kept', async () => {
    const entry = '<response_str ident="response"><render_fib/></response_str>'
    const exact = '<varequal respident="response" case="Yes">DNA</varequal>'
    expect(await only(oldItem(entry, rule(exact, full)))).toMatchObject({
      question: { kind: 'text', accepted: [{ text: 'DNA', percent: '100' }], exactCase: true },
    })
  })

  test.each([
    [
      'each of several right choices brings everything',
      lid('x y z', 'Multiple'),
      rule(equal('x'), full) + rule(equal('y'), full),
      'it has several right answers',
    ],
    [
      'two of one choice bring marks',
      lid('x y'),
      rule(`<or>${equal('x')}${equal('y')}</or>`, full),
      'more than one option brings marks, but only one can be chosen',
    ],
    [
      'its numbers are calculated',
      '<response_num ident="response"><render_fib/></response_num>',
      rule('<other/>', full),
      'its numbers are drawn anew for each student',
      '<itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>calculated_question</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>',
    ],
    [
      'an answer may be part of a longer one',
      '<response_str ident="response"><render_fib/></response_str>',
      rule('<varsubstring respident="response">oak</varsubstring>', full),
      'its scoring has a rule that is not known here (varsubstring)',
    ],
    [
      'it has scores of several names',
      lid('x y'),
      rule(equal('x'), '<setvar varname="score1">1</setvar><setvar varname="score2">1</setvar>'),
      'its scoring has several scores',
    ],
    [
      'the first of its rules may end it',
      lid('x y z'),
      rule(`<not>${equal('y')}</not>`, none) + rule(equal('x'), full),
      'what its scoring means depends on whether it goes on after a condition, which it does not say',
    ],
  ])('an item is named if %s', async (_why, response, rules, reason, metadata = '') => {
    expect(await only(oldItem(response, rules, metadata))).toEqual({ label: 'Question 1 (It)', reason })
  })

  test('an item without a key comes in, and says so', async () => {
    expect(await only(oldItem(lid('x y'), ''))).toMatchObject({
      question: { options: [{ isRight: false }, { isRight: false }] },
      lost: ['the file has no key for it'],
    })
  })
})

// --- QTI 2 and 3

function item(declaration: string, body: string, processing: string) {
  return `<assessmentItem identifier="i" title="It"><responseDeclaration identifier="R" ${declaration}</responseDeclaration>
    <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/><itemBody>${body}</itemBody>${processing}</assessmentItem>`
}

const one = 'cardinality="single" baseType="identifier">'
const several = 'cardinality="multiple" baseType="identifier">'
const text = 'cardinality="single" baseType="string">'
const float = 'cardinality="single" baseType="float">'
const correct = (values: string) =>
  `<correctResponse>${values
    .split(' ')
    .map((value) => `<value>${value}</value>`)
    .join('')}</correctResponse>`
const mapping = (entries: string, more = '') =>
  `<mapping defaultValue="0"${more}>${entries
    .split(' ')
    .map((each) => `<mapEntry mapKey="${each.split('=')[0]}" mappedValue="${each.split('=')[1]}"/>`)
    .join('')}</mapping>`
const choices = (most: number) =>
  `<choiceInteraction responseIdentifier="R" maxChoices="${most}">${['A', 'B', 'C'].map((id) => `<simpleChoice identifier="${id}">${id}</simpleChoice>`).join('')}</choiceInteraction>`
const entry = '<p><textEntryInteraction responseIdentifier="R"/></p>'
const template = (name: string) =>
  `<responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/${name}"/>`
const scored = (condition: string) =>
  `<responseProcessing><responseCondition><responseIf>${condition}<setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue></responseIf></responseCondition></responseProcessing>`
const variable = '<variable identifier="R"/>'
const base = (type: string, value: string) => `<baseValue baseType="${type}">${value}</baseValue>`

const right = (item: Item) =>
  'question' in item && item.question.kind === 'choice'
    ? item.question.options.flatMap((option) => (option.isRight ? [option.text] : []))
    : item

describe('QTI 2', () => {
  test('what the response processing uses is the key, whatever is declared besides', async () => {
    const declared = `${one}${correct('A')}${mapping('B=1')}`
    expect(right(await only(item(declared, choices(1), template('map_response'))))).toEqual(['B'])
    expect(right(await only(item(declared, choices(1), template('match_correct'))))).toEqual(['A'])
    const alone = scored(`<match>${variable}${base('identifier', 'C')}</match>`)
    expect(right(await only(item(declared, choices(1), alone)))).toEqual(['C'])
    expect(right(await only(item(one, choices(1), alone)))).toEqual(['C'])
  })

  test('an outcome may stand between the answer and the score', async () => {
    const rules = `<responseProcessing><responseCondition><responseIf><match>${variable}<correct identifier="R"/></match>
      <setOutcomeValue identifier="TOLD">${base('identifier', 'right')}</setOutcomeValue></responseIf></responseCondition>
      <responseCondition><responseIf><match><variable identifier="TOLD"/>${base('identifier', 'right')}</match>
      <setOutcomeValue identifier="SCORE">${base('float', '1')}</setOutcomeValue></responseIf></responseCondition></responseProcessing>`
    const told = '<outcomeDeclaration identifier="TOLD" cardinality="single" baseType="identifier"/>'
    const document = item(`${one}${correct('B')}`, choices(1), rules).replace(
      '<itemBody>',
      `${told}<itemBody>`,
    )
    expect(right(await only(document))).toEqual(['B'])
  })

  test('a range of numbers is its middle with a tolerance', async () => {
    const compare = (name: string, value: string) => `<${name}>${variable}${base('float', value)}</${name}>`
    const range = scored(`<and>${compare('gte', '2.5')}${compare('lte', '4')}</and>`)
    expect(await only(item(float, entry, range))).toMatchObject({
      question: { kind: 'number', key: '3.25', tolerance: '0.75' },
    })
    const near = scored(
      `<equal toleranceMode="relative" tolerance="10 10"><correct identifier="R"/>${variable}</equal>`,
    )
    expect(await only(item(`${float}${correct('-20')}`, entry, near))).toMatchObject({
      question: { key: '-20', tolerance: '2' },
    })
    for (const [condition, reason] of [
      [compare('gt', '3'), 'its range of numbers has no end'],
      [`<and>${compare('gt', '3')}${compare('lt', '4')}</and>`, 'the ends of its range are not part of it'],
      [`<or>${compare('equal', '3')}${compare('equal', '4')}</or>`, 'several numbers bring marks'],
    ] as const)
      expect(await only(item(float, entry, scored(condition)))).toMatchObject({ reason })
  })

  test('texts of which each is right are all accepted, in the case that is asked for', async () => {
    const compare = (value: string, more: string) =>
      `<stringMatch ${more}>${variable}${base('string', value)}</stringMatch>`
    const any = (more: string) => scored(`<or>${compare('oak', more)}${compare('Elm', more)}</or>`)
    const accepted = [
      { text: 'oak', percent: '100' },
      { text: 'Elm', percent: '100' },
    ]
    const loose = await only(item(text, entry, any('caseSensitive="false"')))
    expect('question' in loose && loose.question).toMatchObject({ accepted })
    expect('question' in loose && loose.question).not.toHaveProperty('exactCase')
    expect(await only(item(text, entry, any('caseSensitive="true"')))).toMatchObject({
      question: { accepted, exactCase: true },
    })
    expect(await only(item(text, entry, any('caseSensitive="false" substring="true"')))).toMatchObject({
      reason: 'its answers may be parts of longer ones',
    })
  })

  test('entries of a mapping are exact in 2 where they say nothing, and not in 3', async () => {
    const older = item(`${text}${mapping('DNA=1')}`, entry, template('map_response'))
    expect(await only(older)).toMatchObject({ question: { exactCase: true } })
    const newer = `<qti-assessment-item identifier="i" title="It"><qti-response-declaration identifier="R" cardinality="single" base-type="string">
      <qti-mapping default-value="0"><qti-map-entry map-key="DNA" mapped-value="1"/></qti-mapping></qti-response-declaration>
      <qti-item-body><p><qti-text-entry-interaction response-identifier="R"/></p></qti-item-body>
      <qti-response-processing template="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/map_response.xml"/></qti-assessment-item>`
    const read = await only(newer)
    expect('question' in read && read.question).toMatchObject({ accepted: [{ text: 'DNA' }] })
    expect('question' in read && read.question).not.toHaveProperty('exactCase')
  })

  test.each([
    [
      'fewer are asked for than are right',
      `${several}${mapping('A=1 B=1 C=1')}`,
      choices(2),
      template('map_response'),
      'fewer options are asked for than are right',
    ],
    [
      'a bound makes some of the right ones enough',
      `${several}${mapping('A=1 B=1 C=1', ' upperBound="2"')}`,
      choices(0),
      template('map_response'),
      'fewer options are asked for than are right',
    ],
    [
      'its rules are elsewhere',
      `${one}${correct('A')}`,
      choices(1),
      '<responseProcessing template="http://example.org/own"/>',
      'the rules of its scoring are not in the file',
    ],
    [
      'its rules set no score',
      `${one}${correct('A')}`,
      choices(1),
      `<responseProcessing><setOutcomeValue identifier="TOLD">${base('float', '1')}</setOutcomeValue></responseProcessing>`,
      'its scoring sets no score',
    ],
    [
      'a rule is not known',
      `${one}${correct('A')}`,
      choices(1),
      scored('<customOperator/>'),
      'its scoring has a rule that is not known here (customOperator)',
    ],
    [
      'saying nothing brings marks',
      one,
      choices(1),
      scored(`<or><isNull>${variable}</isNull><match>${variable}${base('identifier', 'A')}</match></or>`),
      'no answer at all brings marks',
    ],
  ])('an item is named if %s', async (_why, declaration, body, processing, reason) => {
    expect(await only(item(declaration, body, processing))).toEqual({ label: 'Question 1 (It)', reason })
  })

  test('rules without an end are skipped', async () => {
    const branch = `<responseElseIf><match>${variable}${base('identifier', 'A')}</match><setOutcomeValue identifier="SCORE">${base('float', '1')}</setOutcomeValue></responseElseIf>`
    const rules = scored(`<match>${variable}${base('identifier', 'B')}</match>`).replace(
      '</responseCondition>',
      `${branch.repeat(4_000)}</responseCondition>`,
    )
    expect(await only(item(several, choices(0), rules))).toMatchObject({
      reason: 'its scoring is too complicated to be understood',
    })
  })

  test('what wrong choices cost is named, and so is that there is no key', async () => {
    expect(
      await only(item(`${several}${mapping('A=1 B=1 C=-1')}`, choices(0), template('map_response'))),
    ).toMatchObject({
      question: { options: [{ isRight: true }, { isRight: true }, { isRight: false }] },
      lost: ['what wrong choices cost is not carried over'],
    })
    expect(await only(item(one, choices(1), template('match_correct')))).toMatchObject({
      question: { options: [{ isRight: false }, { isRight: false }, { isRight: false }] },
      lost: ['the file has no key for it'],
    })
  })
})
