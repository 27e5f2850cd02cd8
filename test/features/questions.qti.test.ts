import { expect, test } from 'vitest'
import { form } from '../support/content/forms.ts'
import { sharedService } from '../support/service.ts'

/** What other tools write and our own export doesn't. */

const service = await sharedService()
const admin = await service.admin()
const examId: number = (await admin.post('/api/v01/admin/exams', { name: 'QTI' }, 201)).body.exam.id

/** What would become of a document: its questions, and the reasons of the others. */
async function read(bytes: string) {
  const body = form({}, { field: 'file', name: 'upload', bytes, type: 'application/octet-stream' })
  const path = `/api/v01/admin/exams/${examId}/import?dry_run=true` as const
  const { questions, details } = (await admin.request('POST', path, body, 200)).body
  return { questions, details }
}

function item(declarations: string, body: string, rules = '') {
  return `<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i" title="It" adaptive="false" timeDependent="false">
    ${declarations}<itemBody>${body}</itemBody>${rules}</assessmentItem>`
}

function declare(name: string, right: string, type = 'identifier', cardinality = 'single') {
  const values = right.split(' ').map((value) => `<value>${value}</value>`)
  return `<responseDeclaration identifier="${name}" cardinality="${cardinality}" baseType="${type}"><correctResponse>${values.join('')}</correctResponse></responseDeclaration>`
}

function choice(name: string, prompt: string) {
  return `<choiceInteraction responseIdentifier="${name}" maxChoices="1"><prompt>${prompt}</prompt><simpleChoice identifier="A">one</simpleChoice><simpleChoice identifier="B">two</simpleChoice></choiceInteraction>`
}

test('words to be marked are options', async () => {
  const text =
    '<p><hottext identifier="A">He</hottext> <hottext identifier="B">run</hottext> <i>home</i>.</p>'
  const body = `<hottextInteraction responseIdentifier="R" maxChoices="1"><prompt>Mark the error.</prompt>${text}</hottextInteraction>`
  expect(await read(item(declare('R', 'B'), body))).toMatchObject({
    questions: [
      {
        question_type: 'MCQ',
        question_text: 'Mark the error.\nHe run *home*.',
        option_a: 'He',
        option_b: 'run',
        option_c: '',
        correct_answer: 'B',
      },
    ],
  })
  const anyNumber = body.replace('maxChoices="1"', 'maxChoices="0"')
  expect(await read(item(declare('R', 'A B', 'identifier', 'multiple'), anyNumber))).toMatchObject({
    questions: [{ question_type: 'MSQ', correct_answer: 'A,B' }],
  })
})

test('a slider asks for a number', async () => {
  const body =
    '<sliderInteraction responseIdentifier="R" lowerBound="0" upperBound="100"><prompt>How many?</prompt></sliderInteraction>'
  expect(await read(item(declare('R', '70', 'integer'), body))).toMatchObject({
    questions: [{ question_type: 'NUMERIC', question_text: 'How many?', correct_answer: '70' }],
  })
})

test('a button for a hint is no part of the question', async () => {
  const body = `${choice('R', 'Which?')}<p><endAttemptInteraction responseIdentifier="HINT" title="Hint"/></p>`
  expect(await read(item(declare('R', 'B'), body))).toMatchObject({
    questions: [{ question_type: 'MCQ', question_text: 'Which?', correct_answer: 'B' }],
  })
})

test('several choices are gaps where each is scored by itself', async () => {
  const declarations = declare('R1', 'B') + declare('R2', 'A') + declare('R3', 'oak', 'string')
  const body = `<p>Look.</p>${choice('R1', 'First?')}${choice('R2', 'Second?')}<p>A tree: <textEntryInteraction responseIdentifier="R3"/></p>`
  const choices = ['one', 'two']
  expect(await read(item(declarations, body))).toMatchObject({
    questions: [
      {
        question_type: 'GAPS',
        question_text: 'Look.\nFirst?\n[[1]]\nSecond?\n[[2]]\nA tree: [[3]]',
        parts: {
          gaps: [
            { kind: 'choice', choices, correct: 1 },
            { kind: 'choice', choices, correct: 0 },
            { kind: 'text', accepted: ['oak'] },
          ],
        },
      },
    ],
  })
})

test.each([
  {
    why: 'one of several choices takes several options',
    document: item(
      declare('R1', 'A B', 'identifier', 'multiple') + declare('R2', 'A'),
      choice('R1', '1') + choice('R2', '2'),
    ),
    reason: 'it has several parts',
  },
  {
    why: 'a part depends on the one before',
    document: item(declare('R1', 'A') + declare('R2', 'A'), choice('R1', '1') + choice('R2', '2')).replace(
      'adaptive="false"',
      'adaptive="true"',
    ),
    reason: 'its parts depend on what was answered before',
  },
  {
    why: 'choices bring marks only together',
    document: item(
      declare('R1', 'A') + declare('R2', 'A'),
      choice('R1', '1') + choice('R2', '2'),
      `<responseProcessing><responseCondition><responseIf><and><match><variable identifier="R1"/><correct identifier="R1"/></match><match><variable identifier="R2"/><correct identifier="R2"/></match></and><setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue></responseIf></responseCondition></responseProcessing>`,
    ),
    reason: 'its gaps bring marks only together',
  },
])('an item is named if $why', async ({ document, reason }) => {
  expect(await read(document)).toEqual({ questions: [], details: [`Question 1 (It): ${reason}`] })
})

test('Blackboard formats its texts in an element of its own, and names the full marks', async () => {
  const formatted = (text: string) =>
    `<flow_mat><material><mat_extension><mat_formattedtext type="HTML">${text}</mat_formattedtext></mat_extension></material></flow_mat>`
  const label = (id: string, text: string) =>
    `<response_label ident="${id}">${formatted(text)}</response_label>`
  const document = `<questestinterop><item title="It"><presentation><flow>${formatted('Is it &lt;b&gt;true&lt;/b&gt;?')}
    <response_lid ident="r" rcardinality="Single"><render_choice>${label('x', 'Yes')}${label('y', 'No')}</render_choice></response_lid></flow></presentation>
    <resprocessing><respcondition title="correct"><conditionvar><varequal respident="r">y</varequal></conditionvar><setvar variablename="SCORE" action="Set">SCORE.max</setvar></respcondition>
    <respcondition title="incorrect"><conditionvar><not><varequal respident="r">y</varequal></not></conditionvar><setvar variablename="SCORE" action="Set">0.0</setvar></respcondition></resprocessing></item></questestinterop>`
  expect(await read(document)).toMatchObject({
    questions: [
      {
        question_type: 'MCQ',
        question_text: 'Is it **true**?',
        option_a: 'Yes',
        option_b: 'No',
        correct_answer: 'B',
      },
    ],
  })
})

test('a dry run says of each question what is not carried over', async () => {
  const mapping =
    '<mapping defaultValue="0"><mapEntry mapKey="A" mappedValue="1"/><mapEntry mapKey="B" mappedValue="-1"/></mapping>'
  const declaration = `<responseDeclaration identifier="R" cardinality="multiple" baseType="identifier">${mapping}</responseDeclaration>`
  const body = choice('R', 'Which?')
    .replace('maxChoices="1"', 'maxChoices="0" shuffle="true"')
    .replace('identifier="B"', 'identifier="B" fixed="true"')
  const lost = [
    'what wrong choices cost is not carried over',
    'that some of its options stay at their places is not carried over',
  ]
  expect(await read(item(declaration, body))).toMatchObject({
    questions: [{ question_type: 'MSQ', correct_answer: 'A', lost }],
    details: lost.map((each) => `Question 1 (It): ${each}`),
  })
})

test('an answer that needs exact case is named, and so is a question without a key', async () => {
  const exact = `<responseProcessing><responseCondition><responseIf><stringMatch caseSensitive="true"><variable identifier="R"/><correct identifier="R"/></stringMatch><setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue></responseIf></responseCondition></responseProcessing>`
  const entry = '<p>Which? <textEntryInteraction responseIdentifier="R"/></p>'
  expect(await read(item(declare('R', 'DNA', 'string'), entry, exact))).toEqual({
    questions: [],
    details: ['Question 1 (It): its answers need exact case'],
  })
  const keyless = '<responseDeclaration identifier="R" cardinality="single" baseType="identifier"/>'
  expect(await read(item(keyless, choice('R', 'Which?')))).toMatchObject({
    questions: [{ correct_answer: '' }],
    details: ['Question 1 (It): the file has no key for it'],
  })
})
