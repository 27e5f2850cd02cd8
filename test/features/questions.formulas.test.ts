import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { sharedService, withService } from '../support/service.ts'

const EXAMS = '/api/v01/admin/exams'
const QUESTIONS = '/api/v01/admin/questions'
const service = await sharedService()
const admin = await service.admin()

const FORMULA = {
  question_type: 'FORMULA',
  question_text: 'Expand it',
  correct_answer: 'x^2 + 2*x*y_1 + y_1^2',
  parts: { symbols: [{ name: 'x' }, { name: 'y_1', from: '0.5', to: 2 }] },
}

const COSTLY = { meta: { costly: 'questions with variables are tried before they are saved' } }

async function createExam(questions: object[], settings: object = {}) {
  const { body } = await admin.post(EXAMS, { name: 'Formulas', is_published: true, ...settings }, 201)
  const examId = body.exam.id
  const added = await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions }, 201)
  expect(added.body).toMatchObject({ added: questions.length, errors: null })
  const { questions: listed } = (await admin.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body
  return { examId, ids: listed.map(({ id }) => id) }
}

async function begin(student: Client, examId: number) {
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  return (await student.get(`/api/v01/exams/${examId}/paper`, 200)).body
}

const save = async (student: Client, examId: number, answers: Record<number, unknown>) =>
  (await student.request('PUT', `/api/v01/exams/${examId}/answers`, { answers }, 200)).body

describe('a formula', () => {
  test('is shown without its key, and right in every form that has the key’s value', async () => {
    const right = ['(x+y_1)^2', '(x+y_{1})²', 'x²+2xy_1+y_1²', '\\left(x+y_1\\right)^{2}', '|x+y_1|^2']
    const wrong = ['(x-y_1)^2', 'x^2+y_1^2', 'x^2+2xy_1+y_1^2+0,001', '10^20-10^20', '1/0']
    const none = ['(x+', 'x^2 + z', 'x = 1', '?']
    const answers = [...right, ...wrong, ...none]
    const { examId, ids } = await createExam(Array(answers.length).fill(FORMULA))
    const alice = await service.person()
    const { questions } = await begin(alice, examId)
    expect(questions[0]?.parts).toEqual({ symbols: ['x', 'y_1'] })
    expect(JSON.stringify(questions)).not.toMatch(/\^2|0\.5|correct_answer/)

    const saved = await save(alice, examId, Object.fromEntries(answers.map((text, at) => [ids[at], text])))
    expect(saved.rejected).toEqual(
      none.map((_, at) => ({
        question_id: ids[right.length + wrong.length + at],
        message: expect.stringMatching(/^This is no formula yet: /),
      })),
    )
    // What can't be read is kept as it was typed.
    const { answers: kept } = (await alice.get(`/api/v01/exams/${examId}/paper`, 200)).body
    expect(Object.values(kept)).toEqual(answers)
    const { body } = await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    const { result, review } = (await alice.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
    expect(result).toMatchObject({
      correct: right.length,
      incorrect: wrong.length,
      unattempted: none.length,
      score: 4 * right.length - wrong.length,
    })
    expect(review[0]).toMatchObject({ correct: FORMULA.correct_answer, given_answer: right[0] })
  })

  test('that can’t be read takes the place of one that could', async () => {
    const { examId, ids } = await createExam([FORMULA])
    const [id] = ids as [number]
    const alice = await service.person()
    await begin(alice, examId)
    expect((await save(alice, examId, { [id]: '(x+y_1)^2' })).rejected).toBeNull()
    expect((await save(alice, examId, { [id]: '(x+y_1)^' })).rejected).toMatchObject([{ question_id: id }])
    const { body } = await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    const { result } = (await alice.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
    expect(result).toMatchObject({ correct: 0, incorrect: 0, unattempted: 1 })
  })

  test('uses the functions that are allowed', async () => {
    const trig = {
      ...FORMULA,
      correct_answer: 'sin(2*x)',
      parts: { symbols: [{ name: 'x' }], also: ['sin', 'cos'] },
    }
    const { examId, ids } = await createExam([trig, trig])
    const [one, other] = ids as [number, number]
    const alice = await service.person()
    await begin(alice, examId)
    const { rejected } = await save(alice, examId, {
      [one]: '2 sin x cos x',
      [other]: '2 tan x / (1 + tan^2 x)',
    })
    expect(rejected).toMatchObject([{ question_id: other, message: expect.stringContaining('tan') }])
  })

  test('has a key that uses them alone, and keeps them when it is regraded', async () => {
    const plain = { ...FORMULA, correct_answer: 'x^2', parts: { symbols: [{ name: 'x' }], also: ['sin'] } }
    const { body: exam } = await admin.post(EXAMS, { name: 'Allowed' }, 201)
    const refused = await admin.post(
      `${QUESTIONS}/bulk-add`,
      {
        exam_id: exam.exam.id,
        questions: [
          { ...plain, correct_answer: 'abs(x)' },
          { ...plain, correct_answer: '|x|' },
        ],
      },
      201,
    )
    expect(refused.body).toMatchObject({
      added: 0,
      errors: [/abs/, /abs/].map((one) => expect.stringMatching(one)),
    })

    const { examId, ids } = await createExam([plain])
    const [id] = ids as [number]
    const alice = await service.person()
    await begin(alice, examId)
    const { body } = await alice.post(`/api/v01/exams/${examId}/submit`, { answers: { [id]: 'x^3' } }, 200)
    const key = { question_id: id, action: 'new_key', correct_answer: 'x^3' } as const
    const regraded = await admin.post(`/api/v01/admin/exams/${examId}/regrades`, key, 201)
    expect(regraded.body.regrade).toMatchObject({ parts: plain.parts, raised: 1 })
    const { result } = (await alice.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
    expect(result).toMatchObject({ correct: 1 })
  })

  test('of up to 2,000 characters is kept as it was typed, and counts where it can be read', async () => {
    const { examId, ids } = await createExam([FORMULA, FORMULA])
    const [one, other] = ids as [number, number]
    const alice = await service.person()
    await begin(alice, examId)
    const long = `x${' '.repeat(300)}${'+0'.repeat(300)}`
    const { rejected } = await save(alice, examId, { [one]: long, [other]: '1'.repeat(2_001) })
    expect(rejected).toMatchObject([
      { question_id: one, message: expect.stringContaining('longer than 500') },
      { question_id: other },
    ])
    const { answers } = (await alice.get(`/api/v01/exams/${examId}/paper`, 200)).body
    expect(answers).toEqual({ [one]: long })
    const { body } = await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    const { result } = (await alice.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
    expect(result).toMatchObject({ unattempted: 2 })
  })

  test('has values of any size in its key', COSTLY, async () => {
    const { examId, ids } = await createExam(
      ['{@h@}f', '{@h@}\\cdot f', '{@h@}*f', '{@-h@}f*(-1)'].map((correct_answer) => ({
        ...FORMULA,
        correct_answer,
        parts: { symbols: [{ name: 'f' }] },
        variables: [{ name: 'h', values: [6.62607015e-34] }],
      })),
    )
    const alice = await service.person()
    await begin(alice, examId)
    const answers = Object.fromEntries(ids.map((id) => [id, '6{,}62607015\\cdot 10^{-34} f']))
    const { body } = await alice.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
    const { result } = (await alice.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
    expect(result).toMatchObject({ correct: ids.length })
  })

  test('is practised, and its wrong forms are counted', async () => {
    const { examId, ids } = await createExam([FORMULA], { open_for_practice: true })
    const [id] = ids as [number]
    const alice = await service.person()
    const review = (answer: string) => ({
      client_id: crypto.randomUUID(),
      question_id: id,
      answer,
      sure: true,
    })
    const reviews = [review('(x-y_1)^2'), review('(y_1+x)(x+y_1)')]
    const { body } = await alice.post('/api/v01/practice/reviews', { reviews }, 200)
    expect(body.results).toMatchObject([{ outcome: 'wrong' }, { outcome: 'right' }])

    for (const answer of ['x^2', 'x ^ 2', 'x']) {
      const student = await service.person()
      await begin(student, examId)
      await student.post(`/api/v01/exams/${examId}/submit`, { answers: { [id]: answer } }, 200)
    }
    const { items } = (await admin.get(`/api/v01/admin/analytics/exams/${examId}/items`, 200)).body
    expect(items[0]?.wrong_texts).toEqual([
      { text: 'x^2', count: 2 },
      { text: 'x', count: 1 },
    ])
  })
})

describe('a question of type FORMULA', async () => {
  const { examId } = await createExam([])
  const add = (fields: object) =>
    admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions: [{ ...FORMULA, ...fields }] }, 201)

  test.each([
    [{ parts: null }, /parts is not an object/],
    [{ parts: { symbols: [] } }, /symbols has 0 entries/],
    [{ parts: { symbols: [{ name: 'sin' }] } }, /symbols\[0\]\.name/],
    [{ parts: { symbols: [{ name: 'x' }, { name: 'x' }] } }, /a name twice/],
    [{ parts: { symbols: [{ name: 'x', from: 2, to: 1 }] } }, /to is not above from/],
    [{ parts: { symbols: [{ name: 'x', from: 2 }] } }, /to is not a decimal number/],
    [{ parts: { symbols: [{ name: 'x' }], also: ['log'] } }, /also\[0\] is not one of/],
    [{ correct_answer: 'x + z' }, /'z'/],
    [{ correct_answer: 'x +' }, /correct_answer/],
    [{ correct_answer: 'sqrt(-1 - x^2)' }, /at 0 of 24 points/],
    [{ correct_answer: 'x'.repeat(501) }, /longer than 500/],
  ])('with %j is refused with the reason', async (fields, reason) => {
    expect((await add(fields)).body).toMatchObject({ added: 0, errors: [expect.stringMatching(reason)] })
  })

  test('goes out as CSV and comes in again; other formats leave it out and count it', async () => {
    const { examId: from } = await createExam([
      FORMULA,
      { question_text: 'Which?', option_a: 'a', option_b: 'b' },
    ])
    const csv = await admin.fetch('GET', `${EXAMS}/${from}/export?format=csv`)
    const { examId: to } = await createExam([])
    const file = { field: 'file', name: 'questions.csv', bytes: Buffer.from(await csv.arrayBuffer()) }
    const imported = await admin.request('POST', `${EXAMS}/${to}/import`, form({}, file), 201)
    expect(imported.body).toMatchObject({ inserted: 2, skipped: 0 })
    const { questions } = (await admin.get(`${QUESTIONS}?exam_id=${to}`, 200)).body
    expect(questions[0]).toMatchObject(FORMULA)
    for (const format of ['gift', 'moodle_xml', 'qti', 'qti3']) {
      const response = await admin.fetch('GET', `${EXAMS}/${from}/export?format=${format}`)
      expect(response.headers.get('x-left-out'), format).toBe('1')
      await response.arrayBuffer()
    }
  })
})

test('isn’t saved by any way while a node of another version is there', async () => {
  const own = await withService()
  const teacher = await own.admin()
  const examId = (await teacher.post(EXAMS, { name: 'Formulas' }, 201)).body.exam.id
  const plain = { question_text: 'Which?', option_a: 'a', option_b: 'b' }
  const body = (question: object) => ({ exam_id: examId, questions: [question] })
  const first = await teacher.post(`${QUESTIONS}/bulk-add`, body(plain), 201)
  expect(first.body.added).toBe(1)
  const id = (await teacher.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body.questions[0]?.id as number
  const ofFirstRelease = postgres(own.databaseUrl, {
    max: 1,
    connection: { application_name: 'exam-practice' },
  })
  await ofFirstRelease`select 1`
  const csv = Buffer.from(
    'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,' +
      'positive_marks,negative_marks,tolerance,parts\n' +
      `${examId},Expand it,,,,,x,FORMULA,,4,1,0,"{""symbols"":[{""name"":""x""}]}"\n`,
  )
  const fields = { ...FORMULA, parts: JSON.stringify(FORMULA.parts) }
  const ways = () => [
    teacher.post(`${QUESTIONS}/bulk-add`, body(FORMULA)),
    teacher.request('POST', QUESTIONS, form({ ...fields, exam_id: String(examId) })),
    teacher.request('PATCH', `${QUESTIONS}/${id}` as const, form(fields)),
    teacher.request(
      'POST',
      `${EXAMS}/${examId}/import`,
      form({}, { field: 'file', name: 'questions.csv', bytes: csv }),
    ),
  ]
  for (const { status, body: refusal } of await Promise.all(ways()))
    expect({ status, code: refusal.code }).toEqual({ status: 409, code: 'nodes_differ' })
  expect((await teacher.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body.questions).toMatchObject([plain])
  await teacher.post(`${QUESTIONS}/bulk-add`, body(plain), 201)
  await ofFirstRelease.end()
  await expect.poll(async () => (await teacher.post(`${QUESTIONS}/bulk-add`, body(FORMULA))).status).toBe(201)
})
