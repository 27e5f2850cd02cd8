import { describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { sharedService } from '../support/service.ts'

const EXAMS = '/api/v01/admin/exams'
const QUESTIONS = '/api/v01/admin/questions'
const service = await sharedService()
const admin = await service.admin()

type Fields = Record<string, unknown>

const MATCHING = {
  question_type: 'MATCHING',
  question_text: 'Capitals',
  parts: {
    pairs: [
      { prompt: 'France', match: 'Paris' },
      { prompt: 'Italy', match: 'Rome' },
      { prompt: 'Spain', match: 'Madrid' },
    ],
    distractors: ['Oslo'],
  },
}
const ORDERING = {
  question_type: 'ORDERING',
  question_text: 'Upwards',
  parts: { items: ['one', 'two', 'three', 'two'] },
}
const GAPS = {
  question_type: 'GAPS',
  question_text: '[[1]] and [[3]], then [[2]]',
  parts: {
    gaps: [
      { kind: 'text', accepted: ['red', '%50%reddish'] },
      { kind: 'choice', choices: ['left', 'right'], correct: 1 },
      { kind: 'number', key: '2.5', tolerance: 0.1 },
    ],
  },
}
const SHORT = {
  question_type: 'SHORT',
  question_text: 'Colour?',
  correct_answer: 'Crème  brûlée\n%50%pudding\n%100%%x',
}
const LONG_MCQ = {
  question_text: 'Which?',
  option_a: 'a',
  option_b: 'b',
  more_options: ['e', '', 'g'],
  correct_answer: 'g',
}

async function createExam(
  questions: Fields[],
  settings: Fields = {},
): Promise<{ examId: number; ids: number[] }> {
  const { body } = await admin.post(EXAMS, { name: 'An exam', is_published: true, ...settings }, 201)
  const examId = body.exam.id
  const added = await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions }, 201)
  expect(added.body).toMatchObject({ added: questions.length, errors: null })
  return { examId, ids: (await listed(examId)).map(({ id }) => id) }
}

const listed = async (examId: number) =>
  (await admin.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body.questions

async function begin(student: Client, examId: number) {
  await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
  return (await student.get(`/api/v01/exams/${examId}/paper`, 200)).body
}

async function finish(student: Client, examId: number, answers: Record<string, string | string[]>) {
  const { body } = await student.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
  expect(body.rejected).toBeNull()
  return (await student.get(`/api/v01/attempts/${body.attempt_id}`, 200)).body
}

interface Choice {
  id: string
  text: string
}
interface Shown {
  prompts: string[]
  choices: Choice[]
  items: Choice[]
  gaps: { kind: string; choices?: Choice[] }[]
}
const partsOf = (question: { parts: unknown } | undefined) => question?.parts as Shown
const idOf = (choices: Choice[] | undefined, text: string) =>
  choices?.find((each) => each.text === text)?.id ?? '?'

describe('each kind', () => {
  test('is stored as it was written, shown without its key, answered, graded and reviewed', async () => {
    const { examId, ids } = await createExam([MATCHING, ORDERING, GAPS, SHORT, LONG_MCQ], {
      msq_scoring: 'partial',
    })
    const stored = await listed(examId)
    expect(stored[0]).toMatchObject({ ...MATCHING, correct_answer: '' })
    expect(stored[1]).toMatchObject({ ...ORDERING, correct_answer: '' })
    expect(stored[2]).toMatchObject({ ...GAPS, correct_answer: '' })
    expect(stored[4]).toMatchObject({ more_options: ['e', '', 'g'], correct_answer: 'G', parts: null })

    const alice = await service.person()
    const { questions } = await begin(alice, examId)
    const [matching, ordering, gaps, short, mcq] = questions
    expect(partsOf(matching).prompts).toEqual(['France', 'Italy', 'Spain'])
    expect(
      partsOf(matching)
        .choices.map(({ text }) => text)
        .sort(),
    ).toEqual(['Madrid', 'Oslo', 'Paris', 'Rome'])
    expect(
      partsOf(ordering)
        .items.map(({ text }) => text)
        .sort(),
    ).toEqual(['one', 'three', 'two', 'two'])
    expect(partsOf(gaps).gaps.map(({ kind }) => kind)).toEqual(['text', 'choice', 'number'])
    expect(short).toMatchObject({ parts: null, option_order: null })
    expect(mcq).toMatchObject({ more_options: ['e', '', 'g'], option_order: ['A', 'B', 'E', 'G'] })
    expect(JSON.stringify(questions)).not.toMatch(/correct|accepted|reddish|brûlée|tolerance/)

    const { choices } = partsOf(matching)
    const items = partsOf(ordering).items
    const twos = items.filter(({ text }) => text === 'two').map(({ id }) => id)
    const [m, o, g, s, q] = ids as [number, number, number, number, number]
    const answers = {
      [m]: [idOf(choices, 'Paris'), idOf(choices, 'Oslo'), ''],
      [o]: [idOf(items, 'one'), twos[1] as string, idOf(items, 'three'), twos[0] as string],
      [g]: [' REDDISH', idOf(partsOf(gaps).gaps[1]?.choices, 'right'), '2,55'],
      [s]: ' crème brûlée ',
      [q]: 'g',
    }
    const base = `/api/v01/exams/${examId}` as const
    const saved = await alice.request('PUT', `${base}/answers`, { answers }, 200)
    expect(saved.body).toMatchObject({ saved: 5, rejected: null })
    const again = (await alice.get(`${base}/paper`, 200)).body
    expect(again.questions).toEqual(questions)
    expect(again.answers).toMatchObject({ [m]: answers[m], [o]: answers[o], [s]: 'crème brûlée', [q]: 'G' })

    const { result, review } = await finish(alice, examId, {})
    expect(review.map(({ marks_awarded }) => marks_awarded)).toEqual([1.3333, 4, 3.3333, 4, 4])
    expect(review.map(({ is_correct }) => is_correct)).toEqual([false, true, false, true, true])
    // 4/3 + 4 + 4 × (½ + 1 + 1)/3 + 4 + 4: exact until it is shown.
    expect(result).toMatchObject({ score: 16.6667, max_score: 20, correct: 3, incorrect: 2, unattempted: 0 })
    expect(review[0]?.given_answer).toEqual(answers[m])
    expect(review[0]?.correct).toEqual(['Paris', 'Rome', 'Madrid'].map((text) => idOf(choices, text)))
    expect(review[2]?.correct).toEqual(['red', idOf(partsOf(gaps).gaps[1]?.choices, 'right'), '2.5'])
    expect(review[3]?.correct).toBe('Crème  brûlée')
    expect(review[4]?.correct).toBe('G')
  })

  test('rejects answers of another form, and counts blank ones as none', async () => {
    const { examId, ids } = await createExam([MATCHING, ORDERING, GAPS, SHORT, LONG_MCQ])
    const alice = await service.person()
    const { questions } = await begin(alice, examId)
    const [m, o, g, s, q] = ids as [number, number, number, number, number]
    const { choices } = partsOf(questions[0])
    const items = partsOf(questions[1]).items.map(({ id }) => id)
    const wrong: [number, unknown][] = [
      [m, [choices[0]?.id, choices[1]?.id]],
      [m, ['Paris', '', '']],
      [m, 'Paris'],
      [m, ['0', '1', '2']],
      [o, items.slice(1)],
      [o, [...items.slice(1), items[1]]],
      [g, ['red', 'right', '1']],
      [g, ['x'.repeat(201), '', '']],
      [s, 'x'.repeat(201)],
      [s, ['red']],
      [q, 'F'],
      [q, 'H'],
    ]
    for (const [id, answer] of wrong) {
      const body = { answers: { [id]: answer } }
      const { rejected } = (await alice.request('PUT', `/api/v01/exams/${examId}/answers`, body, 200)).body
      expect(rejected, JSON.stringify(answer)).toMatchObject([{ question_id: id }])
    }
    const blank = { [m]: ['', '', ''], [o]: [], [g]: ['  ', '', '3.'], [s]: ' ', [q]: '' }
    const { result } = await finish(alice, examId, blank)
    expect(result).toMatchObject({ score: 0, unattempted: 5 })
  })

  test.each([
    ['parts', { ...MATCHING, parts: { pairs: [MATCHING.parts.pairs[0], MATCHING.parts.pairs[0]] } }],
    ['parts', { ...MATCHING, parts: null }],
    ['parts', { ...MATCHING, parts: { pairs: [MATCHING.parts.pairs[0]] } }],
    ['parts', { ...ORDERING, parts: { items: ['one'] } }],
    ['parts', { ...GAPS, parts: { gaps: [{ kind: 'choice', choices: ['a', 'b'], correct: 2 }] } }],
    ['parts', { ...GAPS, parts: { gaps: [{ kind: 'text', accepted: ['%0%a'] }] } }],
    ['question_text', { ...GAPS, question_text: '[[1]] [[2]]' }],
    ['question_text', { ...GAPS, question_text: '[[1]] [[2]] [[3]] [[3]]' }],
    ['question_text', { ...GAPS, question_text: '[[1]] [[2]] [[3]] [[4]]' }],
    ['correct_answer', { ...SHORT, correct_answer: 'a\n%101%b' }],
    ['correct_answer', { ...SHORT, correct_answer: '%' }],
    ['correct_answer', { ...SHORT, correct_answer: Array(51).fill('a').join('\n') }],
    ['correct_answer', { ...LONG_MCQ, correct_answer: 'F' }],
    ['correct_answer', { ...LONG_MCQ, correct_answer: 'D' }],
    ['parts', { ...LONG_MCQ, parts: { items: ['a', 'b'] } }],
    ['more_options', { ...LONG_MCQ, more_options: Array(23).fill('x') }],
    ['tags', { ...LONG_MCQ, tags: [''] }],
    ['explanation', { ...LONG_MCQ, explanation: 'x'.repeat(10_001) }],
  ] as [string, Fields][])('that does not fit is refused by its field: %s', async (field, question) => {
    const { examId } = await createExam([])
    const texts = Object.entries(question).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''),
    ])
    const { body } = await admin.request(
      'POST',
      QUESTIONS,
      form({ ...Object.fromEntries(texts), exam_id: examId }),
      400,
    )
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: `/${field}` }] })
    const bulk = await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions: [question] }, 201)
    expect(bulk.body).toMatchObject({ added: 0, errors: [expect.stringContaining(`Question 1: ${field}`)] })
  })

  test('parts that are no object are named once', async () => {
    const { body } = await admin.post(EXAMS, { name: 'An exam' }, 201)
    const questions = [
      { ...ORDERING, parts: null },
      { ...ORDERING, parts: '{' },
    ]
    const bulk = await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: body.exam.id, questions }, 201)
    expect(bulk.body.errors).toEqual([
      'Question 1: parts is not an object',
      'Question 2: parts is not an object',
    ])
  })

  test('is regraded by a new key of the same task', async () => {
    const { examId, ids } = await createExam([MATCHING, SHORT])
    const alice = await service.person()
    const { questions } = await begin(alice, examId)
    const { choices } = partsOf(questions[0])
    const swapped = ['Rome', 'Paris', 'Madrid'].map((text) => idOf(choices, text))
    const { attempt_id, result } = await finish(alice, examId, {
      [ids[0] as number]: swapped,
      [ids[1] as number]: 'flan',
    })
    expect(result.score).toBe(-2)
    const [france, italy, spain] = MATCHING.parts.pairs.map(({ prompt }) => prompt)
    const parts = {
      pairs: [
        { prompt: france, match: 'Rome' },
        { prompt: italy, match: 'Paris' },
        { prompt: spain, match: 'Madrid' },
      ],
      distractors: ['Oslo'],
    }
    const regrade = (body: Fields, status: number) => admin.post(`${EXAMS}/${examId}/regrades`, body, status)
    const refused = await regrade(
      { question_id: ids[0], action: 'new_key', parts: { ...parts, distractors: ['Bern'] } },
      400,
    )
    expect(refused.body).toMatchObject({ errors: [{ path: '/parts' }] })
    const { regrade: applied } = (await regrade({ question_id: ids[0], action: 'new_key', parts }, 201)).body
    expect(applied).toMatchObject({ parts, raised: 1 })
    await regrade({ question_id: ids[1], action: 'new_key', correct_answer: 'pie\n%25%flan' }, 201)
    const after = (await alice.get(`/api/v01/attempts/${attempt_id}`, 200)).body
    expect(after.result).toMatchObject({ score: 5, correct: 1, incorrect: 1 })
    expect(after.review[0]).toMatchObject({ correct: swapped, regraded: true })
    expect((await listed(examId))[0]?.parts).toEqual(parts)
    await admin.post(`/api/v01/admin/regrades/${applied.id}/undo`, {}, 200)
    expect((await alice.get(`/api/v01/attempts/${attempt_id}`, 200)).body.result.score).toBe(0)
  })

  test('is analysed: wrong texts, shares of prompts and items, and marks that were never rounded', async () => {
    const { examId, ids } = await createExam([MATCHING, SHORT, GAPS, ORDERING], { msq_scoring: 'partial' })
    const [m, s, g, o] = ids as [number, number, number, number]
    for (const [index, text] of ['Flan', ' flan', 'pie'].entries()) {
      const student = await service.person()
      const { questions } = await begin(student, examId)
      const { choices } = partsOf(questions[0])
      const items = partsOf(questions[3]).items
      const inOrder = ['one', 'three', 'two'].flatMap((each) =>
        items.filter((item) => item.text === each).map(({ id }) => id),
      )
      await finish(student, examId, {
        [m]: [idOf(choices, 'Paris'), idOf(choices, index === 0 ? 'Rome' : 'Oslo'), ''],
        [s]: text,
        [g]: ['Blue', '', '7,0'],
        ...(index === 0 ? { [o]: inOrder } : {}),
      })
    }
    const { items } = (await admin.get(`/api/v01/admin/analytics/exams/${examId}/items`, 200)).body
    expect(items.map(({ wrong_texts }) => wrong_texts)).toEqual([
      [],
      [
        { text: 'flan', count: 2 },
        { text: 'pie', count: 1 },
      ],
      [
        { gap: 1, text: 'blue', count: 3 },
        { gap: 3, text: '7', count: 3 },
      ],
      [],
    ])
    expect(items[0]?.shares).toEqual([
      { text: 'France', share: 1 },
      { text: 'Italy', share: 1 / 3 },
      { text: 'Spain', share: 0 },
    ])
    expect(items[3]?.shares.map(({ share }) => share)).toEqual([1 / 3, 0, 0, 1 / 3])
    expect(items[3]?.omitted).toBe(2)
    // Two of three are right, then one and one; GAPS and SHORT are all wrong.
    expect(items[0]?.facility).toBeCloseTo((2 / 3 + 1 / 3 + 1 / 3) / 3, 12)
    expect(items[2]?.facility).toBe(-1 / 4)
  })
})

describe('explanations', () => {
  test('show with the result; an edit of the explanation alone shows in old reviews, of the content it does not', async () => {
    const { examId, ids } = await createExam([{ ...LONG_MCQ, explanation: 'first' }])
    const id = ids[0] as number
    const alice = await service.person()
    expect(JSON.stringify(await begin(alice, examId))).not.toContain('first')
    const { attempt_id, review } = await finish(alice, examId, {})
    expect(review[0]?.explanation).toBe('first')
    const shown = async () =>
      (await alice.get(`/api/v01/attempts/${attempt_id}`, 200)).body.review[0]?.explanation
    const change = (fields: Record<string, string>) =>
      admin.request('PUT', `${QUESTIONS}/${id}`, form(fields), 200)
    await change({ explanation: 'second' })
    expect(await shown()).toBe('second')
    await change({ option_a: 'another', explanation: 'third' })
    await change({ explanation: 'fourth' })
    expect(await shown()).toBe('second')
    await admin.delete(`${QUESTIONS}/${id}`, 200)
    expect(await shown()).toBe('second')
  })

  test('a deleted question keeps its last one', async () => {
    const { examId, ids } = await createExam([{ ...LONG_MCQ, explanation: 'the last' }, SHORT])
    const alice = await service.person()
    await begin(alice, examId)
    const { attempt_id } = await finish(alice, examId, {})
    await admin.delete(`${QUESTIONS}/${ids[0]}`, 200)
    const { review } = (await alice.get(`/api/v01/attempts/${attempt_id}`, 200)).body
    expect(review.map(({ explanation }) => explanation)).toEqual(['the last', ''])
  })
})

test('tags are compared without case, listed in their first spelling, and filter questions', async () => {
  const { examId, ids } = await createExam([
    { ...LONG_MCQ, tags: [' Ökologie ', 'ÖKOLOGIE', 'Kinds'] },
    { ...SHORT, tags: ['ökologie'] },
  ])
  expect((await listed(examId))[0]?.tags).toEqual(['Ökologie', 'Kinds'])
  const { tags } = (await admin.get('/api/v01/admin/tags', 200)).body
  expect(tags).toContainEqual({ tag: 'Ökologie', questions: 2 })
  const found = await admin.get(`${QUESTIONS}?tag=${encodeURIComponent('öKOLOGIE')}`, 200)
  expect(found.body.questions.map(({ id }) => id)).toEqual(ids)
})

describe('shuffled and drawn papers', () => {
  const tagged = Array.from({ length: 12 }, (_, index) => ({
    ...LONG_MCQ,
    question_text: `Question ${index}`,
    tags: index < 6 ? ['One', 'Two'] : ['two'],
  }))

  test('an attempt keeps its order on every device, another has another', async () => {
    const { examId, ids } = await createExam(tagged, { shuffle: 'both' })
    const orders = new Set<string>()
    for (let round = 0; round < 4; round += 1) {
      const student = await service.person()
      const paper = await begin(student, examId)
      const again = (await student.get(`/api/v01/exams/${examId}/paper`, 200)).body
      expect(again.questions).toEqual(paper.questions)
      expect(paper.questions.map(({ id }) => id).sort((one, other) => one - other)).toEqual(ids)
      for (const { option_order } of paper.questions)
        expect(option_order?.toSorted()).toEqual(['A', 'B', 'E', 'G'])
      orders.add(JSON.stringify(paper.questions.map(({ id, option_order }) => [id, option_order])))
    }
    expect(orders.size).toBe(4)
  })

  test('an attempt gets as many questions as the rules say, and only these count', async () => {
    const { examId, ids } = await createExam(tagged)
    const rules = [
      { tag: 'ONE', count: 2 },
      { tag: 'two', count: 3 },
    ]
    const change = (body: Fields, status: number) =>
      admin.request('PATCH', `${EXAMS}/${examId}`, body, status)
    expect(
      (
        await change(
          {
            draw: [
              { tag: 'two', count: 7 },
              { tag: 'one', count: 6 },
            ],
          },
          409,
        )
      ).body.code,
    ).toBe('draw_too_few')
    const { exam } = (await change({ draw: rules }, 200)).body
    expect(exam).toMatchObject({ question_count: 5, pool_count: 12, draw: rules })
    const alice = await service.person()
    expect((await alice.get(`/api/v01/exams/${examId}`, 200)).body.exam.question_count).toBe(5)
    const { questions } = await begin(alice, examId)
    const drawn = questions.map(({ id }) => id)
    expect(drawn).toEqual(drawn.toSorted((one, other) => one - other))
    expect(drawn.filter((id) => ids.indexOf(id) < 6)).toHaveLength(2)
    expect(drawn).toHaveLength(5)
    const other = ids.find((id) => !drawn.includes(id)) as number
    const body = { answers: { [other]: 'G', [drawn[0] as number]: 'G' } }
    const { rejected } = (await alice.request('PUT', `/api/v01/exams/${examId}/answers`, body, 200)).body
    expect(rejected).toMatchObject([{ question_id: other }])
    await change({ draw: null, shuffle: 'questions' }, 200)
    const { attempt_id, result, review } = await finish(alice, examId, {})
    expect(result).toMatchObject({ score: 4, max_score: 20, correct: 1, unattempted: 4 })
    expect(review.map(({ id }) => id)).toEqual(drawn)
    await alice.post(`/api/v01/attempts/${attempt_id}/challenges`, { question_id: other, message: 'No' }, 404)
    const regrade = (id: number) =>
      admin.post(`${EXAMS}/${examId}/regrades`, { question_id: id, action: 'credit_all' }, 201)
    expect((await regrade(other)).body.regrade.attempts).toBe(0)
    expect((await regrade(drawn[1] as number)).body.regrade).toMatchObject({ attempts: 1, raised: 1 })
    const analysis = (await admin.get(`/api/v01/admin/analytics/exams/${examId}/items`, 200)).body
    expect(analysis.exam.alpha).toBeNull()
    expect(analysis.items.find(({ question_id }) => question_id === other)?.administered).toBe(0)
    expect(analysis.items.find(({ question_id }) => question_id === drawn[0])?.administered).toBe(1)
  })

  test('nothing in two papers tells the key: orders and ids are the seed’s alone', async () => {
    const { examId } = await createExam([MATCHING, ORDERING])
    const firsts: string[] = []
    const ids = new Set<string>()
    for (let round = 0; round < 40; round += 1) {
      const { questions } = await begin(await service.person(), examId)
      const { choices } = partsOf(questions[0])
      firsts.push(choices[0]?.text ?? '')
      for (const { id } of [...choices, ...partsOf(questions[1]).items]) {
        expect(id).toMatch(/^[\w-]{12}$/)
        ids.add(id)
      }
    }
    expect(ids.size).toBe(40 * 8)
    // Each of the four choices comes first in about ten papers: fewer than two, or more than 25, are one in a million.
    for (const text of ['Paris', 'Rome', 'Madrid', 'Oslo']) {
      const count = firsts.filter((first) => first === text).length
      expect(count, text).toBeGreaterThan(0)
      expect(count, text).toBeLessThan(26)
    }
  })
})

describe('the older generation', () => {
  test('leaves newer kinds out, and neither starts nor resumes an exam that has one', async () => {
    const old = { question_text: 'Old', option_a: 'a', option_b: 'b', correct_answer: 'A' }
    const { examId, ids } = await createExam([old, SHORT, LONG_MCQ])
    const alice = await service.person()
    expect((await alice.post(`/api/exams/${examId}/start`, {}, 409)).body.code).toBe('newer_kinds')
    await begin(alice, examId)
    expect((await alice.post(`/api/exams/${examId}/start`, {}, 409)).body.code).toBe('newer_kinds')
    const shown = (await alice.get(`/api/exams/${examId}/paper`, 200)).body.questions
    expect(shown.map(({ id }: { id: number }) => id)).toEqual([ids[0]])
    const { attempt_id } = await finish(alice, examId, {})
    const { review } = (await alice.get(`/api/attempts/${attempt_id}`, 200)).body
    expect(review.map(({ id }: { id: number }) => id)).toEqual([ids[0]])
    const admins = (await admin.get(`/admin/questions?exam_id=${examId}`, 200)).body
    expect(admins).toMatchObject({ total: 1, questions: [{ id: ids[0] }] })
    await admin.get(`/admin/questions/${ids[1]}`, 404)
    const fine = await createExam([old])
    await alice.post(`/api/exams/${fine.examId}/start`, {}, 201)
  })

  test('sets the marks of no question that it does not know', async () => {
    const old = { question_text: 'Old', option_a: 'a', option_b: 'b', correct_answer: 'A' }
    const { examId } = await createExam([old, SHORT, LONG_MCQ])
    const before = (await listed(examId)).map(({ positive_marks }) => positive_marks)
    const marks = { exam_id: examId, positive_marks: 7 }
    await admin.post('/admin/questions/bulk-marks', { ...marks, question_type: 'SHORT' }, 400)
    const { body } = await admin.post('/admin/questions/bulk-marks', { ...marks, question_type: 'MCQ' }, 200)
    expect(body.updated).toBe(1)
    const after = (await listed(examId)).map(({ positive_marks }) => positive_marks)
    expect(after).toEqual([7, ...before.slice(1)])
  })

  test.each([
    ['question_type', { question_type: 'SHORT', correct_answer: 'a' }],
    ['question_type', { question_type: 'ORDERING', parts: JSON.stringify(ORDERING.parts) }],
    ['more_options', { more_options: '["e"]' }],
  ])('takes no newer question: %s', async (field, newer) => {
    const old = { question_text: 'Old', option_a: 'a', option_b: 'b', correct_answer: 'A' }
    const { examId, ids } = await createExam([old, SHORT])
    const fields = form({ ...old, ...newer, exam_id: String(examId) })
    const refused = { code: 'validation_failed', errors: [{ path: `/${field}` }] }
    expect((await admin.request('POST', '/admin/questions', fields, 400)).body).toMatchObject(refused)
    const path = `/admin/questions/${ids[0]}` as const
    expect((await admin.request('PUT', path, form({ ...old, ...newer }), 400)).body).toMatchObject(refused)
    await admin.request('PUT', `/admin/questions/${ids[1]}`, form({ question_text: 'Other' }), 404)
    const bulk = { exam_id: examId, questions: [old, { ...old, ...newer }] }
    expect((await admin.post('/admin/questions/bulk-add', bulk, 201)).body).toMatchObject({
      inserted: 1,
      errors: [expect.stringContaining(`Question 2: ${field}`)],
    })
    expect((await listed(examId)).map(({ question_type }) => question_type)).toEqual(['MCQ', 'SHORT', 'MCQ'])
  })
})
