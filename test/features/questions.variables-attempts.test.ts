import { afterAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { startService } from '../support/service.ts'

const EXAMS = '/api/v01/admin/exams'
const QUESTIONS = '/api/v01/admin/questions'
const service = await startService({ nodes: 2 })
afterAll(() => service.close())
const admin = await service.admin()
const elsewhere = (person: Client) => person.at(service.urls[1] as string)

const COSTLY = { meta: { costly: 'questions with variables are tried before they are saved' } }

const WIDE = { from: 100_000, to: 999_999, step: 1 }
const SUM = {
  question_type: 'NUMERIC',
  question_text: 'Add {@zeppelin@} to {@quagga@}.',
  correct_answer: '{@zeppelin + quagga@}',
  explanation: 'It is {@zeppelin + quagga@}.',
  variables: [
    { name: 'zeppelin', ...WIDE },
    { name: 'quagga', ...WIDE },
  ],
  conditions: ['zeppelin != quagga'],
}
const SQUARE = {
  question_type: 'FORMULA',
  question_text: 'Expand $({@zeppelin@} + x)^2$.',
  correct_answer: '({@zeppelin@} + x)^2',
  parts: { symbols: [{ name: 'x' }] },
  variables: SUM.variables.slice(0, 1),
}
const CHOICE = {
  question_type: 'MCQ',
  question_text: 'Double {@zeppelin@}',
  option_a: '{@2*zeppelin@}',
  option_b: '{@3*zeppelin@}',
  correct_answer: 'A',
  variables: SUM.variables.slice(0, 1),
}

async function createExam(questions: object[], settings: object = {}) {
  const { body } = await admin.post(EXAMS, { name: 'Variables', is_published: true, ...settings }, 201)
  const examId = body.exam.id
  await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions }, 201)
  const { questions: listed } = (await admin.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body
  expect(listed).toHaveLength(questions.length)
  return { examId, ids: listed.map(({ id }) => id) }
}

const numbersIn = (text: string) => [...text.matchAll(/\d{6,7}/g)].map(([digits]) => Number(digits))

test(
  'what students get before, during and after holds neither names, expressions nor seeds, nor others’ numbers',
  COSTLY,
  async () => {
    const { examId, ids } = await createExam([SUM, SQUARE, CHOICE], {
      open_for_practice: true,
      shuffle: 'both',
    })
    const [sum, square, choice] = ids as [number, number, number]
    const seen = await Promise.all(
      [0, 1].map(async (node) => {
        const student = await service.person(undefined, node)
        const socket = await student.socket()
        const texts: unknown[] = []
        const keep = async <A extends { body: unknown }>(asking: Promise<A>): Promise<A> => {
          const answer = await asking
          texts.push(answer.body)
          return answer
        }
        await keep(student.get('/api/v01/exams'))
        await keep(student.post(`/api/v01/exams/${examId}/start`, {}, 201))
        const { questions } = (await keep(student.get(`/api/v01/exams/${examId}/paper`, 200))).body
        const text = (id: number) => questions.find((each) => each.id === id)?.question_text ?? ''
        const numbers = ids.flatMap((id) => numbersIn(text(id)))
        const answers = { [sum]: '1', [square]: 'x^', [choice]: 'A' }
        await keep(student.request('PUT', `/api/v01/exams/${examId}/answers`, { answers }, 200))
        await keep(elsewhere(student).post(`/api/v01/exams/${examId}/start`, {}))
        const resumed = await keep(elsewhere(student).get(`/api/v01/exams/${examId}/paper`, 200))
        expect(resumed.body.questions).toEqual(questions)
        await keep(student.get('/api/v01/attempts/active'))
        const { body } = await keep(student.post(`/api/v01/exams/${examId}/submit`, {}, 200))
        const result = await keep(elsewhere(student).get(`/api/v01/attempts/${body.attempt_id}`, 200))
        const challenge = { question_id: sum, message: 'Why?' }
        await keep(student.post(`/api/v01/attempts/${body.attempt_id}/challenges`, challenge, 201))
        await keep(student.get(`/api/v01/discussions/${sum}`, 200))
        await keep(student.get('/api/v01/practice/next', 200))
        const reviews = [{ client_id: crypto.randomUUID(), question_id: sum, answer: '1', sure: false }]
        await keep(student.post('/api/v01/practice/reviews', { reviews }, 200))
        texts.push(socket.frames)
        const discussed = result.body.review.map(({ discussed_text }) => discussed_text)
        return { text: JSON.stringify(texts), numbers, discussed, review: result.body.review }
      }),
    )
    const [one, other] = seen as [(typeof seen)[number], (typeof seen)[number]]
    const seeds = await service.sql`select seed from attempts where exam_id = ${examId}`
    const learners = await service.sql`select seed from practice_learners`
    expect(seeds).toHaveLength(2)
    expect(learners.length).toBeGreaterThan(0)
    for (const { text } of seen) {
      expect(text).not.toMatch(/zeppelin|quagga|\{@|"(?:seed|variables|conditions|kept|draws|exact)"/)
      for (const { seed } of [...seeds, ...learners]) expect(text).not.toContain(seed)
    }
    // No number of one is in anything that the other got.
    expect(one.numbers).toHaveLength(4)
    for (const number of one.numbers) expect(other.text).not.toContain(String(number))
    for (const number of other.numbers) expect(one.text).not.toContain(String(number))
    // For a discussion both have the same text, which is neither's.
    expect(new Set(one.discussed)).toEqual(new Set(other.discussed))
    for (const text of one.discussed)
      for (const number of numbersIn(text ?? ''))
        expect([...one.numbers, ...other.numbers]).not.toContain(number)
  },
)

test(
  'a regrade grades each attempt by its own values, also those that are handed in meanwhile, on two nodes',
  COSTLY,
  async () => {
    const { examId, ids } = await createExam([SUM, CHOICE])
    const [sum, choice] = ids as [number, number]
    const begin = async (node: number) => {
      const student = await service.person(undefined, node)
      await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
      const { questions } = (await student.get(`/api/v01/exams/${examId}/paper`, 200)).body
      const [a = 0, b = 0] = numbersIn(questions.find(({ id }) => id === sum)?.question_text ?? '')
      return { student, a, b }
    }
    const submit = async ({ student, a, b }: Awaited<ReturnType<typeof begin>>, index: number) => {
      const at = index % 3 ? student : elsewhere(student)
      const answers = { [sum]: String(a - b), [choice]: 'B' }
      const { body } = await at.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
      return body.attempt_id
    }
    const sittings = await Promise.all(Array.from({ length: 20 }, (_, index) => begin(index % 2)))
    await Promise.all(sittings.slice(0, 8).map(submit))
    const path = `${EXAMS}/${examId}/regrades` as const
    const key = { question_id: sum, action: 'new_key', correct_answer: '{@zeppelin - quagga@}' } as const
    const preview = await admin.post(path, { ...key, preview: true }, 200)
    expect(preview.body.regrade).toMatchObject({ attempts: 8, raised: 8 })
    const { examples = [] } = preview.body.regrade
    expect(examples).toHaveLength(5)
    const drawn = new Map(sittings.map(({ a, b }) => [`${a} ${b}`, a - b]))
    for (const { values, correct_answer } of examples)
      expect(Number(correct_answer)).toBe(drawn.get(`${values.zeppelin} ${values.quagga}`))

    await Promise.all([
      ...sittings.slice(8).map(submit),
      admin.post(path, key, 201),
      elsewhere(admin).post(path, { question_id: choice, action: 'new_key', correct_answer: 'B' }, 201),
    ])
    const rows = await service.sql`
    select distinct score::float8, correct, incorrect from attempts where exam_id = ${examId}`
    expect(rows).toEqual([{ score: 8, correct: 2, incorrect: 0 }])
  },
)
