import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { sharedService, withService } from '../support/service.ts'

const EXAMS = '/api/v01/admin/exams'
const QUESTIONS = '/api/v01/admin/questions'
const service = await sharedService()
const admin = await service.admin()

const SUM = {
  question_type: 'NUMERIC',
  question_text: 'What is {@a@} + {@b@}? In a formula: $x = 3{@b@}$',
  correct_answer: '{@a + b@}',
  explanation: '{@a@} and {@b@} make {@a + b@}',
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
const PLAIN = {
  question_type: 'SHORT',
  question_text: 'What does {@x@} stand for?',
  correct_answer: 'a value',
}

async function createExam(questions: object[], settings: object = {}) {
  const { body } = await admin.post(EXAMS, { name: 'Variables', is_published: true, ...settings }, 201)
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

const numbersOf = (text: string) => [...text.replaceAll('−', '-').matchAll(/-?\d+(?:\.\d+)?/g)].map(Number)
/** a and b of a `SUM` as a student sees it. */
function summands(text: string): [number, number] {
  const [a = Number.NaN, b = Number.NaN] = numbersOf(text)
  return [a, b]
}

// Draws are tried in a thread, whose time counts.
const COSTLY = { meta: { costly: 'questions with variables are tried before they are saved' } }

async function refused(question: object): Promise<string> {
  const { body } = await admin.post(EXAMS, { name: 'Refused' }, 201)
  const answer = await admin.post(
    `${QUESTIONS}/bulk-add`,
    { exam_id: body.exam.id, questions: [question] },
    201,
  )
  expect(answer.body.added).toBe(0)
  return answer.body.errors?.[0] ?? ''
}

describe('a question with variables', () => {
  test(
    'has numbers of each attempt’s own, the same on all devices and in its review, and tells nothing else',
    COSTLY,
    async () => {
      const { examId, ids } = await createExam([SUM, CHOICE, PLAIN])
      const [sum, choice, plain] = ids as [number, number, number]
      const [alice, bob] = await Promise.all([service.person(), service.person()])
      const [paper, other] = await Promise.all([begin(alice, examId), begin(bob, examId)])
      const text = paper.questions[0]?.question_text ?? ''
      const [a, b] = summands(text)
      expect(text).toBe(`What is ${a} + −${-b}? In a formula: $x = 3(${b})$`)
      expect(other.questions[0]?.question_text).not.toBe(text)
      // A text of a question without variables keeps its braces.
      expect(paper.questions[2]?.question_text).toBe(PLAIN.question_text)
      expect(JSON.stringify(paper.questions.slice(0, 2))).not.toMatch(/@|seed|draws|variables|exact/)
      expect((await alice.get(`/api/v01/exams/${examId}/paper`, 200)).body.questions).toEqual(paper.questions)

      const answers = { [sum]: String(a + b), [choice]: 'A', [plain]: 'a value' }
      const { body } = await alice.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
      const { result, review } = (await alice.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
      expect(result).toMatchObject({ correct: 3, score: 12 })
      expect(review[0]).toMatchObject({
        question_text: text,
        correct_answer: String(a + b),
        correct: String(a + b),
        explanation: expect.stringMatching(`^${a} and −.* make `),
      })
      const staff = (await admin.get(`/api/v01/admin/attempts/${body.attempt_id}/review`, 200)).body
      expect(staff.review?.[0]).toMatchObject({ question_text: text, correct: String(a + b) })

      const wrong = { [sum]: String(a + b), [choice]: 'B' }
      const submitted = await bob.post(`/api/v01/exams/${examId}/submit`, { answers: wrong }, 200)
      expect(submitted.body).toMatchObject({ result: { correct: 0, incorrect: 2 } })

      // A challenge shows the text that its student had, and analysis counts by question.
      const challenge = { question_id: sum, message: 'Why?' }
      await alice.post(`/api/v01/attempts/${body.attempt_id}/challenges`, challenge, 201)
      const { challenges } = (await admin.get(`/api/v01/admin/challenges?exam_id=${examId}`, 200)).body
      expect(challenges[0]?.question_text).toBe(text)
      const { items } = (await admin.get(`/api/v01/admin/analytics/exams/${examId}/items`, 200)).body
      expect(items[0]).toMatchObject({ administered: 2, omitted: 0, facility: 0.375 })
      expect(items[0]?.question_text).not.toContain('@')
      expect(items[1]?.options.slice(0, 2)).toMatchObject([{ chosen: 1 }, { chosen: 1 }])
    },
  )

  test('is graded by exact values, whatever is shown', COSTLY, async () => {
    const third = {
      ...SUM,
      question_text: 'a third of {@a@}',
      correct_answer: '{@a/3; 2@}',
      tolerance: '{@1/300@}',
      explanation: '',
      variables: [{ name: 'a', values: [1, 10, '100'] }],
      conditions: [],
    }
    const { examId, ids } = await createExam([third])
    const [id] = ids as [number]
    for (const [answer, correct] of [
      [(a: number) => (a / 3).toFixed(4), 1],
      [(a: number) => (a / 3 + 0.003).toFixed(6), 1],
      [(a: number) => (a / 3 + 0.0034).toFixed(6), 0],
    ] as const) {
      const student = await service.person()
      const { questions } = await begin(student, examId)
      const [a = 0] = numbersOf(questions[0]?.question_text ?? '')
      const answers = { [id]: answer(a) }
      const { body } = await student.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
      expect(body).toMatchObject({ result: { correct } })
      const { review } = (await student.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
      expect(review[0]?.correct).toBe((a / 3).toFixed(2))
    }
    expect(await refused({ ...third, tolerance: 0 })).toMatch(/tolerance must be above 0.* with a = /)
  })

  test('of any type is shown, answered and graded', COSTLY, async () => {
    const variables = [{ name: 'a', from: 2, to: 90, step: 1 }]
    const { examId, ids } = await createExam([
      { question_type: 'SHORT', question_text: 'minus {@a@}', correct_answer: '{@-a@}', variables },
      {
        question_type: 'MATCHING',
        question_text: 'match',
        parts: {
          pairs: [
            { prompt: '{@a@} + 1', match: '{@a+1@}' },
            { prompt: 'twice {@a@}', match: '{@2*a+1@}' },
          ],
        },
        variables,
      },
      {
        question_type: 'ORDERING',
        question_text: 'order',
        parts: { items: ['{@a@}', '{@a+1@}', '{@a+2@}'] },
        variables,
      },
      {
        question_type: 'GAPS',
        question_text: '{@a@}/7 = [[1]], minus: [[2]]',
        parts: {
          gaps: [
            { kind: 'number', key: '{@a/7@}', tolerance: '{@a/1000@}' },
            { kind: 'text', accepted: ['{@-a@}'] },
          ],
        },
        variables,
      },
      {
        question_type: 'FORMULA',
        question_text: '{@a@} times x',
        correct_answer: '{@-a@}*x + 0*x^2',
        parts: { symbols: [{ name: 'x' }] },
        variables,
      },
      {
        question_type: 'MSQ',
        question_text: 'q',
        option_a: '{@a@}',
        option_b: '{@a/2@}',
        correct_answer: 'A,B',
        variables,
      },
    ])
    const student = await service.person()
    const { questions } = await begin(student, examId)
    const of = (place: number) => numbersOf(questions[place]?.question_text ?? '')[0] ?? 0
    const parts = questions[1]?.parts as { prompts: string[]; choices: { id: string; text: string }[] }
    const [one = 0] = numbersOf(parts.prompts[0] ?? '')
    const idOf = (text: string) => parts.choices.find((choice) => choice.text === text)?.id ?? ''
    const items = (questions[2] as { parts: { items: { id: string; text: string }[] } }).parts.items
    const answers = {
      [ids[0] as number]: `-${of(0)}`,
      [ids[1] as number]: [idOf(String(one + 1)), idOf(String(2 * one + 1))],
      [ids[2] as number]: items.toSorted((x, y) => Number(x.text) - Number(y.text)).map(({ id }) => id),
      [ids[3] as number]: [(of(3) / 7).toFixed(5), `-${of(3)}`],
      [ids[4] as number]: `-${of(4)}x`,
      [ids[5] as number]: ['A', 'B'],
    }
    const { body } = await student.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
    const { result, review } = (await student.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
    expect(review.filter(({ is_correct }) => !is_correct)).toEqual([])
    expect(result).toMatchObject({ correct: 6 })
    expect((await admin.get(`/api/v01/admin/analytics/exams/${examId}/items`, 200)).body.items).toHaveLength(
      6,
    )
  })

  test('is regraded by each attempt’s own values, and the preview has examples', COSTLY, async () => {
    const { examId, ids } = await createExam([SUM])
    const [id] = ids as [number]
    const attempts: number[] = []
    for (let index = 0; index < 3; index++) {
      const student = await service.person()
      const { questions } = await begin(student, examId)
      const [a, b] = summands(questions[0]?.question_text ?? '')
      const { body } = await student.post(
        `/api/v01/exams/${examId}/submit`,
        { answers: { [id]: String(a - b) } },
        200,
      )
      expect(body).toMatchObject({ result: { correct: 0 } })
      attempts.push(body.attempt_id)
    }
    const key = { question_id: id, action: 'new_key', correct_answer: '{@a - b@}' } as const
    const preview = await admin.post(`${EXAMS}/${examId}/regrades`, { ...key, preview: true }, 200)
    expect(preview.body.regrade).toMatchObject({ raised: 3, examples: [{}, {}, {}] })
    for (const { values, correct_answer } of preview.body.regrade.examples ?? [])
      expect(Number(correct_answer)).toBe(Number(values.a) - Number(values.b?.replace('−', '-')))
    const { body } = await admin.post(`${EXAMS}/${examId}/regrades`, key, 201)
    expect(body.regrade).toMatchObject({ raised: 3, correct_answer: '{@a - b@}' })
    await admin.post(`${EXAMS}/${examId}/regrades`, { ...key, correct_answer: '{@c@}' }, 400)
    const undone = await admin.post(`/api/v01/admin/regrades/${body.regrade.id}/undo`, {}, 200)
    expect(undone.body.regrade.undone_at).not.toBeNull()
  })
})

describe('saving one', () => {
  test(
    'counts accepted lines as they were written, also where a value brings a minus sign',
    COSTLY,
    async () => {
      const variables = [{ name: 'a', values: [-2, -3] }]
      const accepted = Array.from({ length: 50 }, (_, index) => `{@a - ${index}@}`)
      const gaps = {
        question_type: 'GAPS',
        question_text: '[[1]]',
        parts: { gaps: [{ kind: 'text', accepted }] },
        variables,
      }
      const short = {
        question_type: 'SHORT',
        question_text: 'q',
        correct_answer: accepted.join('\n'),
        variables,
      }
      await createExam([short, gaps])
      const more = [...accepted, 'x']
      expect(await refused({ ...short, correct_answer: more.join('\n') })).toMatch(/more than 50 lines/)
      expect(await refused({ ...gaps, parts: { gaps: [{ kind: 'text', accepted: more }] } })).toMatch(
        /more than 50 texts/,
      )
    },
  )

  test.each([
    [{ variables: [{ name: 'sin', values: [1] }] }, /variables\/0\/name/],
    [{ variables: [{ name: 'a', from: 1, to: 0, step: 1 }] }, /variables\/0 /],
    [{ variables: [{ name: 'a', is: 'b' }] }, /variables\/0\/is/],
    [{ variables: [{ name: 'a' }] }, /variables\/0 is not/],
    [{ variables: 'x' }, /variables is not a list/],
    [{ conditions: ['a +'] }, /conditions\/0/],
    [{ conditions: ['a > 999'] }, /conditions let only \d+ of 500/],
    [{ question_text: '{@c@}' }, /question_text has 'c'/],
    [{ question_text: '{@a +@}' }, /question_text/],
    [{ correct_answer: '{@1/(a - a)@}' }, /correct_answer has no finite value with a = /],
    [
      { variables: [...SUM.variables, { name: 'c', is: '1/(b - b)' }] },
      /variables\/2\/is has no finite value with/,
    ],
    [{ explanation: '{@ln(b)@}' }, /explanation has no finite value/],
    [{ ...CHOICE, option_b: '{@n + n@}', conditions: [], explanation: '' }, /option_b comes out twice/],
    [{ question_text: `${'x'.repeat(19_995)}{@a*1000000@}` }, /question_text is longer than 20000/],
    [
      { question_type: 'FORMULA', correct_answer: '{@a@}*y', parts: { symbols: [{ name: 'x' }] } },
      /correct_answer .*y/,
    ],
  ] as [object, RegExp][])('%j is refused with its place', COSTLY, async (changes, error) => {
    expect(await refused({ ...SUM, ...changes })).toMatch(error)
  })

  test('says at which path, and what the values were', COSTLY, async () => {
    const { examId } = await createExam([])
    const fields = {
      exam_id: String(examId),
      question_type: 'NUMERIC',
      question_text: '{@1/(a-1)@}',
      variables: '[{"name":"a","from":1,"to":2,"step":1}]',
    }
    const { body } = await admin.request('POST', QUESTIONS, form(fields), 400)
    expect(body).toMatchObject({
      errors: [{ path: '/question_text', message: 'has no finite value with a = 1' }],
    })
    const conditions = '["a != 1"]'
    const added = await admin.request('POST', QUESTIONS, form({ ...fields, conditions }), 201)
    const { question } = (await admin.get(`${QUESTIONS}/${added.body.question_id}` as const, 200)).body
    expect(question).toMatchObject({ variables: JSON.parse(fields.variables), conditions: ['a != 1'] })
    await admin.request('PATCH', `${QUESTIONS}/${question.id}` as const, form({ conditions: '' }), 400)
    await admin.request(
      'PATCH',
      `${QUESTIONS}/${question.id}` as const,
      form({ question_text: '{@a@}', conditions: '' }),
      200,
    )
  })
})

test('names what can’t be read in keys, and reads a text of many beginnings at once', COSTLY, async () => {
  const { body } = await admin.post(EXAMS, { name: 'Refused' }, 201)
  const exam_id = body.exam.id
  for (const correct_answer of ['{@2a@}', '{@1+@}', '{@a; 99@}'])
    expect(await refused({ ...SUM, correct_answer })).toContain('correct_answer')
  const gap = { kind: 'number', key: '{@1+@}', tolerance: '0' }
  const gaps = { ...SUM, question_type: 'GAPS', question_text: '{@a@} [[1]]', correct_answer: '' }
  expect(await refused({ ...gaps, parts: { gaps: [gap] } })).not.toBe('')
  const many = { ...SUM, exam_id, question_text: '{@'.repeat(10_000) }
  const began = performance.now()
  await admin.post(`${QUESTIONS}/preview`, many, 200)
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('lets options be alike that are written alike', COSTLY, async () => {
  const { examId } = await createExam([{ ...CHOICE, option_b: 'none of these' }])
  const texts = new Set<string>()
  for (let student = 0; student < 3; student++)
    texts.add((await begin(await service.person(), examId)).questions[0]?.question_text ?? '')
  expect(texts.size).toBe(3)
})

describe('previews and variants', () => {
  test('are draws of a seed, as a student would see them, with the key', COSTLY, async () => {
    const preview = async (seed?: number) =>
      (await admin.post(`${QUESTIONS}/preview`, { ...SUM, ...(seed === undefined ? {} : { seed }) }, 200))
        .body
    const [one, again, other] = [await preview(7), await preview(7), await preview(8)]
    expect(one).toEqual(again)
    expect(other.values).not.toEqual(one.values)
    const [a, b] = [Number(one.values.a), Number(one.values.b?.replace('−', '-'))]
    expect(one.question).toMatchObject({ correct_answer: String(a + b), correct: String(a + b) })
    expect(summands(one.question.question_text)).toEqual([a, b])
    await preview()
    await admin.post(`${QUESTIONS}/preview`, { ...SUM, question_text: '{@c@}' }, 400)

    const { ids } = await createExam([SUM])
    const { body } = await admin.get(`${QUESTIONS}/${ids[0] as number}/variants?count=50`, 200)
    expect(body.variants).toHaveLength(50)
    expect(new Set(body.variants.map(({ values }) => values.a)).size).toBeGreaterThan(30)
    expect((await admin.get(`${QUESTIONS}/${ids[0] as number}/variants?count=50`, 200)).body).toEqual(body)
    await admin.get(`${QUESTIONS}/999999999/variants`, 404)
    const alice = await service.person()
    await alice.get(`${QUESTIONS}/${ids[0] as number}/variants`, 403)
    await alice.post(`${QUESTIONS}/preview`, SUM, 403)
  })
})

describe('a question with variables', () => {
  test('goes out as CSV and comes in again, and is copied with its kept draw', COSTLY, async () => {
    const tolerant = { ...SUM, tolerance: '{@abs(a)/100@}' }
    const { examId } = await createExam([tolerant, CHOICE])
    const csv = await admin.fetch('GET', `${EXAMS}/${examId}/export?format=csv`)
    const bytes = Buffer.from(await csv.arrayBuffer())
    const { examId: to } = await createExam([])
    const file = { field: 'file', name: 'questions.csv', bytes }
    const imported = await admin.request('POST', `${EXAMS}/${to}/import`, form({}, file), 201)
    expect(imported.body).toMatchObject({ inserted: 2, skipped: 0 })
    const listed = async (id: number) => (await admin.get(`${QUESTIONS}?exam_id=${id}`, 200)).body.questions
    const without = ({ id: _, exam_id: _exam, ...question }: Awaited<ReturnType<typeof listed>>[number]) =>
      question
    const [before, after] = [await listed(examId), await listed(to)]
    expect(after.map(without)).toEqual(before.map(without))

    const copies = await createExam([])
    await admin.post(`${QUESTIONS}/copy`, { ids: before.map(({ id }) => id), exam_id: copies.examId }, 201)
    expect((await listed(copies.examId)).map(without)).toEqual(before.map(without))
    const { questions } = await begin(await service.person(), copies.examId)
    expect(JSON.stringify(questions)).not.toContain('@')
  })

  test('comes back with other numbers in practice, and a review says which it answers', COSTLY, async () => {
    const { ids } = await createExam([SUM], { open_for_practice: true })
    const [id] = ids as [number]
    const alice = await service.person()
    const next = async () => {
      const { cards } = (await alice.get('/api/v01/practice/next', 200)).body
      return cards.find(({ question }) => question.id === id)?.question
    }
    const review = async (answer: string, more: object = {}) => {
      const given = { client_id: crypto.randomUUID(), question_id: id, answer, sure: false, ...more }
      const { body } = await alice.post('/api/v01/practice/reviews', { reviews: [given] }, 200)
      return { given, result: body.results[0] as (typeof body.results)[number] }
    }
    const first = await next()
    expect(first).toMatchObject({ draw: 0 })
    const [a, b] = summands(first?.question_text ?? '')
    expect(await next()).toEqual(first)
    const { given, result } = await review('wrong', { draw: 0, question_version: first?.question_version })
    expect(result).toMatchObject({
      outcome: 'wrong',
      correct: String(a + b),
      explanation: expect.stringContaining(`${a} and `),
    })
    // Another review by the numbers that were shown, as a device sends it later; and one of numbers to come.
    expect((await review(String(a + b), { draw: 0 })).result).toMatchObject({ outcome: 'right' })
    expect((await review('1', { draw: 5 })).result).toMatchObject({ error: { code: 'validation_failed' } })
    const again = await alice.post('/api/v01/practice/reviews', { reviews: [given] }, 200)
    expect(again.body.results[0]).toEqual(result)

    const bob = await service.person()
    const other = (await bob.get('/api/v01/practice/next', 200)).body.cards.find(
      ({ question }) => question.id === id,
    )
    expect(other?.question.question_text).not.toBe(first?.question_text)
    // An undo brings the numbers back.
    const bobs = { client_id: crypto.randomUUID(), question_id: id, answer: 'wrong', sure: false }
    await bob.post('/api/v01/practice/reviews', { reviews: [bobs] }, 200)
    await bob.post('/api/v01/practice/reviews/undo', { client_id: bobs.client_id }, 200)
    const back = (await bob.get('/api/v01/practice/next', 200)).body.cards.find(
      ({ question }) => question.id === id,
    )
    expect(back?.question).toMatchObject({ draw: 0, question_text: other?.question.question_text })
  })

  test('is unknown to the older generation', COSTLY, async () => {
    const { examId, ids } = await createExam([SUM])
    const alice = await service.person()
    expect((await alice.post(`/api/exams/${examId}/start`, {}, 409)).body).toMatchObject({
      code: 'newer_kinds',
    })
    await admin.get(`/api/admin/questions/${ids[0] as number}`, 404)
  })
})

test('one isn’t saved by any way while a node of another version is there', COSTLY, async () => {
  const own = await withService()
  const teacher = await own.admin()
  const examId = (await teacher.post(EXAMS, { name: 'Variables' }, 201)).body.exam.id
  const added = await teacher.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions: [PLAIN] }, 201)
  expect(added.body.added).toBe(1)
  const id = (await teacher.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body.questions[0]?.id as number
  const { id: drawnExam } = (await teacher.post(EXAMS, { name: 'Before' }, 201)).body.exam
  await teacher.post(`${QUESTIONS}/bulk-add`, { exam_id: drawnExam, questions: [SUM] }, 201)
  const drawn = (await teacher.get(`${QUESTIONS}?exam_id=${drawnExam}`, 200)).body.questions[0]?.id as number
  const csv = await teacher.fetch('GET', `${EXAMS}/${drawnExam}/export?format=csv`)
  const file = { field: 'file', name: 'questions.csv', bytes: Buffer.from(await csv.arrayBuffer()) }
  // As the first release connects, which knows neither.
  const other = postgres(own.databaseUrl, { max: 1, connection: { application_name: 'exam-practice' } })
  await other`select 1`
  const fields = {
    ...SUM,
    variables: JSON.stringify(SUM.variables),
    conditions: JSON.stringify(SUM.conditions),
  }
  const bulk = () => teacher.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions: [SUM] })
  const ways = await Promise.all([
    bulk(),
    teacher.request('POST', QUESTIONS, form({ ...fields, exam_id: String(examId) })),
    teacher.request('PATCH', `${QUESTIONS}/${id}` as const, form(fields)),
    teacher.request('POST', `${EXAMS}/${examId}/import`, form({}, file)),
    teacher.post(`${QUESTIONS}/copy`, { ids: [drawn], exam_id: examId }),
  ])
  for (const { status, body } of ways)
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'nodes_differ' })
  expect((await teacher.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body.questions).toMatchObject([PLAIN])
  await other.end()
  await expect.poll(async () => (await bulk()).status).toBe(201)
})
