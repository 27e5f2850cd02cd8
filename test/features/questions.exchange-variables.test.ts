import { describe, expect, test } from 'vitest'
import { form } from '../support/content/forms.ts'
import { sharedService } from '../support/service.ts'

const EXAMS = '/api/v01/admin/exams'
const QUESTIONS = '/api/v01/admin/questions'
const service = await sharedService()
const admin = await service.admin()
// Draws are tried in a thread, whose time counts.
const COSTLY = { meta: { costly: 'questions with variables are tried before they are saved' } }

const SUM = {
  question_type: 'NUMERIC',
  question_text: 'What is {@a@} + {@b; 2@}?',
  correct_answer: '{@a + b@}',
  tolerance: '{@abs(a + b)*0.01@}',
  explanation: '{@a@} and {@b; 2@} make {@a + b@}',
  variables: [
    { name: 'a', from: 1, to: 1000, step: 1 },
    { name: 'b', from: '-50', to: '-1', step: '0.5' },
  ],
  conditions: ['a + b != 0'],
}
const CHOICE = {
  question_type: 'MCQ',
  question_text: 'Double {@n@}',
  option_a: '{@2*n@}',
  option_b: '{@n@}',
  option_c: '{@3*n@}',
  option_d: 'none of these',
  correct_answer: 'A',
  variables: [{ name: 'n', from: 1, to: 100_000, step: 1 }],
}
const PAIRS = {
  question_type: 'MATCHING',
  question_text: 'Match',
  parts: { pairs: [1, 2].map((each) => ({ prompt: `{@n + ${each}@}`, match: `m${each}` })), distractors: [] },
  variables: CHOICE.variables,
}
const FORMULA = {
  question_type: 'FORMULA',
  question_text: 'Derive',
  correct_answer: '2*x',
  parts: { symbols: [{ name: 'x' }] },
}

async function createExam(questions: object[]) {
  const { body } = await admin.post(EXAMS, { name: 'Variables', is_published: true }, 201)
  const examId = body.exam.id
  if (questions.length > 0) {
    const added = await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions }, 201)
    expect(added.body).toMatchObject({ added: questions.length, errors: null })
  }
  return examId
}

async function download(examId: number, format: string) {
  const response = await admin.fetch('GET', `${EXAMS}/${examId}/export?format=${format}`)
  expect(response.status).toBe(200)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { bytes, leftOut: response.headers.get('x-left-out') }
}

async function send(examId: number, bytes: string | Uint8Array, query: '' | `?${string}` = '') {
  const body = form({}, { field: 'file', name: 'file', bytes })
  return (await admin.request('POST', `${EXAMS}/${examId}/import${query}`, body, query === '' ? 201 : 200))
    .body
}

const listed = async (examId: number) =>
  (await admin.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body.questions

const calculated = (formula: string, maximum = '9') => `<question type="calculated">
  <name><text>Area</text></name>
  <questiontext format="html"><text><![CDATA[<p>A rectangle of {a} by {b}: {={a}*2} is twice what?</p>]]></text></questiontext>
  <defaultgrade>2</defaultgrade>
  <answer fraction="100"><text>${formula}</text><tolerance>0.01</tolerance><tolerancetype>1</tolerancetype><correctanswerformat>1</correctanswerformat><correctanswerlength>2</correctanswerlength></answer>
  <units><unit><multiplier>1</multiplier><unit_name>m</unit_name></unit></units>
  <dataset_definitions>${['a', 'b'].map((name) => `<dataset_definition><status><text>private</text></status><name><text>${name}</text></name><type>calculated</type><distribution><text>uniform</text></distribution><minimum><text>1</text></minimum><maximum><text>${maximum}</text></maximum><decimals><text>1</text></decimals><itemcount>0</itemcount></dataset_definition>`).join('')}</dataset_definitions>
</question>`

describe('questions with variables', () => {
  test('come from Moodle, and what can’t is named beside the others', COSTLY, async () => {
    const examId = await createExam([])
    const file = `<?xml version="1.0"?><quiz>${calculated('{a}*{b}')}${calculated('{a} ^ {b}')}${calculated('sqrt(1 - {a})')}${calculated('{a}', '1000000')}</quiz>`
    const tried = await send(examId, file, '?dry_run=true')
    expect(tried).toMatchObject({
      inserted: 1,
      skipped: 3,
      questions: [{ lost: [expect.stringContaining('unit')], variables: [{ name: 'a' }, { name: 'b' }] }],
    })
    const sent = await send(examId, file)
    expect(sent).toMatchObject({ format: 'moodle_xml', inserted: 1, skipped: 3 })
    expect(JSON.stringify(sent)).toMatch(/has \^, which.*no finite value.*more than 1000000 values/)
    const [question] = await listed(examId)
    expect(question).toMatchObject({
      question_type: 'NUMERIC',
      question_text: 'A rectangle of {@a; 1@} by {@b; 1@}: {@a*2@} is twice what?',
      correct_answer: '{@a*b; 2@}',
      tolerance: '{@abs(a*b)*0.01@}',
      positive_marks: 2,
      variables: [
        { name: 'a', from: '1', to: '9', step: '0.1' },
        { name: 'b', from: '1', to: '9', step: '0.1' },
      ],
    })
  })

  test('go to Moodle with fifty draws, and into GIFT not at all', COSTLY, async () => {
    const examId = await createExam([SUM, CHOICE, PAIRS, FORMULA])
    const moodle = await download(examId, 'moodle_xml')
    expect(moodle.leftOut).toBe('2')
    const written = String(moodle.bytes)
    expect([...written.matchAll(/<question type="(\w+)">/g)].map(([, type]) => type)).toEqual([
      'calculated',
      'calculatedmulti',
    ])
    expect(written).toContain('What is {a} + {v')
    expect(written).toContain('<tolerance>0.01</tolerance><tolerancetype>1</tolerancetype>')
    expect(written.match(/<itemcount>50<\/itemcount>/g)?.length).toBeGreaterThan(4)
    expect(written).not.toContain('@')
    expect((await download(examId, 'gift')).leftOut).toBe('4')
  })

  test.each(['qti', 'qti3'])('go out as %s and come in again as the same', COSTLY, async (format) => {
    const accepted = {
      question_type: 'SHORT',
      question_text: '{@n@}',
      correct_answer: '{@n@}',
      variables: CHOICE.variables,
    }
    const examId = await createExam([SUM, CHOICE, PAIRS, FORMULA, accepted])
    const { bytes, leftOut } = await download(examId, format)
    expect(leftOut).toBe('2')
    const to = await createExam([])
    expect(await send(to, bytes)).toMatchObject({ inserted: 3, skipped: 0 })
    const [sum, choice, pairs] = await listed(to)
    const decimals = {
      variables: [
        { name: 'a', from: '1', to: '1000', step: '1' },
        { name: 'b', from: '-50', to: '-1', step: '0.5' },
      ],
    }
    expect(sum).toMatchObject({ ...SUM, tolerance: '{@abs(a + b)*0.01@}', ...decimals })
    const { variables: _, ...texts } = CHOICE
    expect(choice).toMatchObject(texts)
    expect(pairs).toMatchObject({ parts: PAIRS.parts, variables: [{ name: 'n', to: '100000' }] })
  })
})
