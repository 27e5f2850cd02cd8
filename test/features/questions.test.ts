import { beforeEach, describe, expect, test } from 'vitest'
import { form } from '../support/content/forms.ts'
import { sharedService } from '../support/service.ts'

const QUESTIONS = '/api/v01/admin/questions'
let examId: number
const service = await sharedService()
const admin = await service.admin()
beforeEach(async () => {
  examId = (await admin.post('/api/v01/admin/exams', { name: 'An exam' }, 201)).body.exam.id
})

const add = (fields: Record<string, string | number>, status = 201) =>
  admin.request('POST', QUESTIONS, form(fields), status)
const change = (id: number, fields: Record<string, string | number>, status = 200, method = 'PUT') =>
  admin.request(method, `${QUESTIONS}/${id}`, form(fields), status)
const find = async (id: number) => (await admin.get(`${QUESTIONS}/${id}`, 200)).body.question
const list = async () => (await admin.get(`${QUESTIONS}?exam_id=${examId}`, 200)).body.questions

describe('one question', () => {
  test('keeps its type, marks and tolerance where a form sends them empty', async () => {
    const fields = { question_type: 'NUMERIC', correct_answer: '5', option_a: 'x' }
    const marks = { positive_marks: 3, negative_marks: 2, tolerance: 0.5 }
    const { question_id: id } = (await add({ exam_id: examId, ...fields, ...marks })).body
    const empty = { question_type: '', positive_marks: '', negative_marks: '', tolerance: '' }
    await change(id, { ...empty, option_a: '' })
    expect(await find(id)).toMatchObject({ question_type: 'NUMERIC', ...marks, option_a: '' })
    expect((await change(id, empty, 400)).body.code).toBe('nothing_to_update')
  })

  test('is added with the defaults', async () => {
    const added = await add({ exam_id: examId })
    expect(added.body).toEqual({
      success: true,
      message: expect.any(String),
      question_id: expect.any(Number),
    })
    expect(await find(added.body.question_id)).toEqual({
      id: added.body.question_id,
      exam_id: examId,
      question_text: '',
      option_a: '',
      option_b: '',
      option_c: '',
      option_d: '',
      more_options: [],
      correct_answer: '',
      parts: null,
      explanation: '',
      tags: [],
      variables: [],
      conditions: [],
      question_type: 'MCQ',
      image_path: null,
      image_alt: '',
      image_url: null,
      positive_marks: 4,
      negative_marks: 1,
      tolerance: 0,
    })
  })

  test('keeps its fields; a change leaves omitted fields as they are', async () => {
    const fields = {
      exam_id: examId,
      question_text: '$\\int_0^1 x\\,dx$ — 😀',
      option_a: 'a "quoted" one',
      question_type: 'NUMERIC',
      correct_answer: '0.1',
      image_path: 'Maths/integral 1.png',
      positive_marks: '3.25',
      negative_marks: '0',
      tolerance: '0.01',
    }
    const id = (await add(fields)).body.question_id
    const numbers = { positive_marks: 3.25, negative_marks: 0, tolerance: 0.01 }
    const stored = await find(id)
    expect(stored).toMatchObject({ ...fields, ...numbers })
    expect(stored.image_url).toMatch(/^\/files\/Maths\/integral%201\.png\?/)

    await change(id, { option_b: 'b', negative_marks: 1 })
    expect(await find(id)).toMatchObject({ ...fields, ...numbers, option_b: 'b', negative_marks: 1 })
    const other = (await admin.post('/api/v01/admin/exams', { name: 'Other' }, 201)).body.exam.id
    await change(id, { exam_id: other, image_path: '' }, 200, 'PATCH')
    expect(await find(id)).toMatchObject({ exam_id: other, image_path: null, option_b: 'b' })
  })

  test('is refused with the name of an invalid field', async () => {
    const id = (await add({ exam_id: examId, question_type: 'MSQ', correct_answer: 'c,A' })).body.question_id
    expect(await find(id)).toMatchObject({ correct_answer: 'A,C' })
    for (const [fields, path] of [
      [{ correct_answer: 'E' }, '/correct_answer'],
      [{ question_type: 'MCQ' }, '/correct_answer'],
      [{ question_type: 'ESSAY' }, '/question_type'],
      [{ positive_marks: 'many' }, '/positive_marks'],
      [{ tolerance: '-1' }, '/tolerance'],
      [{ image_path: '../../etc/passwd' }, '/image_path'],
      [{ exam_id: 'x' }, '/exam_id'],
    ] as [Record<string, string>, string][]) {
      const refused = await change(id, fields, 400)
      expect(refused.body, path).toMatchObject({ code: 'validation_failed', errors: [{ path }] })
    }
    const several = {
      tags: '["", "a"]',
      explanation: 'x'.repeat(10_001),
      correct_answer: 'E',
      tolerance: '-1',
    }
    expect((await change(id, several, 400)).body.errors?.map(({ path }) => path).sort()).toEqual([
      '/correct_answer',
      '/explanation',
      '/tags',
      '/tolerance',
    ])
    expect((await change(id, {}, 400)).body.code).toBe('nothing_to_update')
    expect((await add({ question_text: 'no exam' }, 400)).body.errors?.[0]?.path).toBe('/exam_id')
    await add({ exam_id: 999_999 }, 404)
    await change(id, { exam_id: 999_999 }, 404)
    await change(999_999, { option_a: 'a' }, 404)
    expect(await find(id)).toMatchObject({ correct_answer: 'A,C', question_type: 'MSQ' })
    expect((await admin.post(QUESTIONS, { exam_id: examId }, 415)).body.code).toBe('unsupported_media_type')
  })

  test('keeps all changes of different fields at once', async () => {
    const id = (await add({ exam_id: examId })).body.question_id
    for (let round = 0; round < 10; round++) {
      await Promise.all([
        change(id, { option_a: `a${round}` }),
        change(id, { option_b: `b${round}` }),
        change(id, { option_c: `c${round}` }),
      ])
      expect(await find(id)).toMatchObject({
        option_a: `a${round}`,
        option_b: `b${round}`,
        option_c: `c${round}`,
      })
    }
  })

  test('is deleted once', async () => {
    const id = (await add({ exam_id: examId })).body.question_id
    await admin.delete(`${QUESTIONS}/${id}`, 200)
    await admin.delete(`${QUESTIONS}/${id}`, 404)
    await admin.get(`${QUESTIONS}/${id}`, 404)
  })

  test('is refused in a truncated or malformed form', async () => {
    const send = (type: string, body: string) =>
      admin.request('POST', QUESTIONS, body, undefined, { 'content-type': type })
    const head = '--b\r\ncontent-disposition: form-data; name="exam_id"\r\n\r\n'
    for (const [type, body] of [
      ['multipart/form-data', `${head}1\r\n--b--\r\n`],
      ['multipart/form-data; boundary=b', `${head}1`],
      ['multipart/form-data; boundary=b', '--b\r\nnonsense'],
      ['multipart/form-data; boundary=b', ''],
      ['multipart/form-data; boundary=b', `${head.replace('exam_id', '__proto__')}1\r\n--b--\r\n`],
    ] as const)
      expect((await send(type, body)).status, JSON.stringify(body)).toBe(400)
    const huge = `${head.replace('exam_id', 'question_text')}${'x'.repeat(2 * 1024 * 1024)}\r\n--b--\r\n`
    expect((await send('multipart/form-data; boundary=b', huge)).status).toBe(413)
  })
})

test('questions that move between two exams in both directions at once don’t wait for one another', async () => {
  const other = (await admin.post('/api/v01/admin/exams', { name: 'Another exam' }, 201)).body.exam.id
  const homes = Array.from({ length: 12 }, (_, n) => [examId, other][n % 2] as number)
  const added = await Promise.all(homes.map((home) => add({ exam_id: home })))
  const ids = added.map(({ body }) => body.question_id as number)
  for (let round = 0; round < 6; round++)
    await Promise.all(ids.map((id, n) => change(id, { exam_id: homes[(n + round + 1) % 2] as number })))
  expect(await list()).toHaveLength(6)
})

describe('many questions', () => {
  test('are listed by exam, 50 a page', async () => {
    await admin.post(
      `${QUESTIONS}/bulk-add`,
      {
        exam_id: examId,
        questions: Array.from({ length: 51 }, (_, n) => ({ question_text: `question ${n + 1}` })),
      },
      201,
    )
    const first = await admin.get(`${QUESTIONS}?exam_id=${examId}`, 200)
    expect(first.body).toMatchObject({ success: true, total: 51, page: 1, per_page: 50, total_pages: 2 })
    const second = await admin.get(`${QUESTIONS}?exam_id=${examId}&page=2`, 200)
    expect(
      [...first.body.questions, ...second.body.questions].map(({ question_text }) => question_text),
    ).toEqual(Array.from({ length: 51 }, (_, n) => `question ${n + 1}`))
  })

  test('are added one by one: numbers are read as texts, and an odd key or mark is reported alone', async () => {
    const questions = [
      { question_text: 'Six by two?', option_a: 3, option_b: 4, correct_answer: 'A' },
      { question_text: 'Which?', correct_answer: true },
      { question_text: 'Which ones?', question_type: 'MSQ', correct_answer: [1, null] },
      { question_text: 'How much?', correct_answer: 'A', positive_marks: false },
      { question_text: 42, question_type: 'NUMERIC', correct_answer: 42 },
    ]
    const { body } = await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions }, 201)
    expect(body).toEqual({
      success: true,
      added: 2,
      errors: [
        'Question 2: correct_answer does not fit a question of type MCQ',
        'Question 3: correct_answer does not fit a question of type MSQ',
        'Question 4: positive_marks is not a number from 0 to 10000',
      ],
    })
  })

  test('with a key of millions of letters, or lists of thousands of texts, are named like other odd ones', async () => {
    const questions = [
      { question_text: 'Key?', option_a: 'a', correct_answer: 'A'.repeat(15_900_000), question_type: 'MSQ' },
      { question_text: 'Tags?', tags: Array.from({ length: 2_000 }, () => 'same') },
      { question_text: 'Options?', more_options: Array.from({ length: 2_000 }, () => []) },
    ]
    const { body } = await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions }, 201)
    expect(body.errors).toEqual([
      'Question 1: correct_answer is longer than 20000 characters',
      'Question 2: tags has more than 20 tags',
      'Question 3: more_options has more than 22 texts',
    ])
  })

  test('are added in a body of 16 MiB at most', { meta: { costly: 'sends 16 MiB' } }, async () => {
    const questions = Array.from({ length: 400 }, () => ({ question_text: 'x'.repeat(20_000) }))
    const body = { exam_id: examId, questions }
    expect((await admin.post(`${QUESTIONS}/bulk-add`, body, 201)).body.added).toBe(400)
    expect((await admin.post('/admin/questions/bulk-add', body, 201)).body.inserted).toBe(400)
    const tooLong = { ...body, more: 'x'.repeat(9 * 1024 * 1024) }
    await admin.request('POST', `${QUESTIONS}/bulk-add`, tooLong, 413)
  })

  test('are at most 10,000 of a published exam, and 16 MiB, whichever way they come, also at once', async () => {
    const teacher = await service.person()
    const made = await admin.post(
      '/api/v01/admin/classes',
      { name: 'Physics', teacher_ids: [teacher.id] },
      201,
    )
    const own = { name: 'Giant', class_ids: [made.body.class.id], is_published: true }
    const [giant, other] = await Promise.all([
      teacher.post('/api/v01/admin/exams', own, 201),
      teacher.post('/api/v01/admin/exams', own, 201),
    ])
    const [exam_id, otherId] = [giant.body.exam.id, other.body.exam.id]
    const bulk = (count: number, question_text = 'one of many', into = exam_id) =>
      teacher.post(`${QUESTIONS}/bulk-add`, {
        exam_id: into,
        questions: Array.from({ length: count }, () => ({ question_text })),
      })
    /** Questions that are there already. */
    const fill = (count: number, question_text: string, into: number) => service.sql`
      insert into questions (exam_id, question_text, question_type, correct_answer)
      select ${into}, ${question_text}, 'MCQ', 'A' from generate_series(1, ${count})`
    const count = async () =>
      (await service.sql`select count(*)::int from questions where exam_id = ${exam_id}`)[0]?.count
    await fill(9_998, 'one of many', exam_id)
    const answers = await Promise.all(Array.from({ length: 4 }, () => bulk(1)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])

    expect((await bulk(1)).body.code).toBe('too_many')
    const single = form({ exam_id: String(exam_id), question_text: 'one more' })
    expect((await teacher.request('POST', QUESTIONS, single, 409)).body.code).toBe('too_many')
    const csv = form(
      {},
      { field: 'file', name: 'a.txt', bytes: Buffer.from('Two?\nA. 1\nB. 2\nANSWER: B\n') },
    )
    const path = `/api/v01/admin/exams/${exam_id}/import?format=aiken`
    expect((await teacher.request('POST', path, csv, 409)).body.code).toBe('too_many')
    expect((await bulk(1, 'to be moved', otherId)).status).toBe(201)
    const [moved] = await service.sql`select id from questions where exam_id = ${otherId}`
    const move = form({ exam_id: String(exam_id) })
    await teacher.request('PATCH', `${QUESTIONS}/${moved?.id}`, move, 409)
    await admin.post(`${QUESTIONS}/copy`, { ids: [moved?.id], exam_id }, 409)
    expect(await count()).toBe(10_000)

    await fill(800, 'x'.repeat(20_000), otherId)
    expect((await bulk(50, 'x'.repeat(20_000), otherId)).body.code).toBe('too_many')

    const draft = await teacher.post('/api/v01/admin/exams', { ...own, is_published: false }, 201)
    const draftId = draft.body.exam.id
    await fill(10_000, 'one of many', draftId)
    expect((await bulk(1, 'one more', draftId)).status).toBe(201)
    const published = await teacher.patch(`/api/v01/admin/exams/${draftId}`, { is_published: true }, 409)
    expect(published.body.code).toBe('too_many')
    expect((await teacher.get(`/api/v01/admin/exams/${draftId}/trial`, 409)).body.code).toBe('too_many')
  })

  test('of one exam have at most 1,000 different tags, whichever way they come, also at once', async () => {
    const newExam = async () =>
      (await admin.post('/api/v01/admin/exams', { name: 'Tagged' }, 201)).body.exam.id
    const [exam_id, otherId] = [await newExam(), await newExam()]
    const add = (tags: string[], into = exam_id) =>
      admin.post(`${QUESTIONS}/bulk-add`, { exam_id: into, questions: [{ question_text: 'tagged', tags }] })
    const tagsOf = (from: number, count: number) => Array.from({ length: count }, (_, n) => `Tag ${from + n}`)
    const questions = Array.from({ length: 49 }, (_, n) => ({
      question_text: 'one of many',
      tags: tagsOf(20 * n, 20),
    }))
    await admin.post(`${QUESTIONS}/bulk-add`, { exam_id, questions }, 201)
    const answers = await Promise.all([0, 1, 2, 3].map((n) => add(tagsOf(1_000 + 10 * n, 10))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
    expect((await add(['one more'])).body.code).toBe('too_many')
    expect((await add(['TAG 7', 'tag 8'])).status).toBe(201)
    expect((await add([])).status).toBe(201)

    const single = form({ exam_id: String(exam_id), question_text: 'x', tags: '["one more"]' })
    expect((await admin.request('POST', QUESTIONS, single, 409)).body.code).toBe('too_many')
    expect((await add(['one more'], otherId)).status).toBe(201)
    const [elsewhere] = await service.sql`select id from questions where exam_id = ${otherId}`
    const there = `${QUESTIONS}/${elsewhere?.id}` as const
    await admin.request('PATCH', there, form({ exam_id: String(exam_id) }), 409)
    const ids = [elsewhere?.id]
    expect((await admin.post(`${QUESTIONS}/copy`, { ids, exam_id }, 409)).body.code).toBe('too_many')
    const gift = '// [tag:one more]\nTwo? {TRUE}\n'
    const file = form({}, { field: 'file', name: 'a.gift', bytes: gift })
    const path = `/api/v01/admin/exams/${exam_id}/import?format=gift` as const
    expect((await admin.request('POST', path, file, 409)).body.code).toBe('too_many')
    const ofExam = await service.sql`select id from questions where exam_id = ${exam_id} order by id`
    const change = (tags: string[], which = 0) =>
      admin.request('PATCH', `${QUESTIONS}/${ofExam.at(which)?.id}`, form({ tags: JSON.stringify(tags) }))
    expect((await change(['one more'], -1)).body.code).toBe('too_many')
    expect((await change([...tagsOf(0, 19), 'one more'])).status).toBe(200)
  })

  test('of an exam with more tags from before take its tags and bring no other one', async () => {
    const newExam = async () =>
      (await admin.post('/api/v01/admin/exams', { name: 'Tagged' }, 201)).body.exam.id
    const [exam_id, otherId] = [await newExam(), await newExam()]
    const older = await service.sql`
      insert into questions (exam_id, question_text, question_type, correct_answer, tags, tag_keys)
      select ${exam_id}, 'older', 'MCQ', 'A', t, t from (
        select jsonb_build_array('older ' || n) as t from generate_series(1, 1001) n) older
      returning id`
    const tagsOf = (count: number, name: string) =>
      Array.from({ length: count }, (_, n) => `${name} ${n + 1}`)
    const single = (tags: string[], into = exam_id) => {
      const fields = { exam_id: String(into), question_text: 'x', tags: JSON.stringify(tags) }
      return admin.request('POST', QUESTIONS, form(fields))
    }
    const bulk = (lists: string[][]) => {
      const questions = lists.map((tags) => ({ question_text: 'x', tags }))
      return admin.post(`${QUESTIONS}/bulk-add`, { exam_id, questions })
    }
    const change = (n: number, tags: string[]) =>
      admin.request('PATCH', `${QUESTIONS}/${older[n - 1]?.id}`, form({ tags: JSON.stringify(tags) }))
    const elsewhere = async (tags: string[]) => (await single(tags, otherId)).body.question_id
    const copy = async (...lists: string[][]) => {
      const ids = await Promise.all(lists.map(elsewhere))
      return admin.post(`${QUESTIONS}/copy`, { ids, exam_id })
    }
    const move = async (tags: string[]) =>
      admin.request('PATCH', `${QUESTIONS}/${await elsewhere(tags)}`, form({ exam_id: String(exam_id) }))
    const load = (...tags: string[]) => {
      const gift = `${tags.map((tag) => `// [tag:${tag}]\nTwo? {TRUE}\n`).join('\n')}`
      const file = form({}, { field: 'file', name: 'a.gift', bytes: gift })
      return admin.request('POST', `/api/v01/admin/exams/${exam_id}/import?format=gift`, file)
    }
    const codesOf = async (...asked: ReturnType<typeof bulk | typeof change>[]) =>
      (await Promise.all(asked)).map(({ status, body }) => (status < 300 ? 'done' : body.code))
    const many = tagsOf(40, 'older')
    const [some, rest] = [many.slice(0, 20), many.slice(20)]

    const same = ['Older 7', 'older 8']
    const taken = [
      ...(await codesOf(single(same), bulk([same]), bulk([some, rest]), copy(same), copy(some, rest))),
      ...(await codesOf(move(same), change(1, same), change(2, ['older 2', 'older 3']), change(5, []))),
      ...(await codesOf(load('older 7'), load(...many), bulk([[]]))),
    ]
    expect(taken).toEqual(taken.map(() => 'done'))

    const other = ['older 7', 'other']
    const refused = await codesOf(
      single(other),
      bulk([other]),
      bulk([some, rest, ['other']]),
      copy(other),
      copy(some, rest, ['other']),
      move(other),
      change(3, ['older 3', 'other']),
      change(1_001, ['other']),
      load('other'),
      load(...many, 'other'),
    )
    expect(refused).toEqual(refused.map(() => 'too_many'))
    // Written by a change that was refused, it's still of nobody.
    expect((await single(['other'])).status).toBe(409)
  })

  test('are added together: empty ones are left out silently, invalid ones are named', async () => {
    const added = await admin.post(
      `${QUESTIONS}/bulk-add`,
      {
        exam_id: examId,
        questions: [
          { question_text: 'first', correct_answer: 'b' },
          { question_text: '  ' },
          { option_a: 'no text' },
          { question_text: null },
          { question_text: 'wrong key', correct_answer: 'F' },
          { question_text: 'number', question_type: 'numeric', correct_answer: 42, tolerance: '0.5' },
          { question_text: 'several', question_type: 'MSQ', correct_answer: ['D', 'A'], positive_marks: 2 },
          { question_text: 'wrong marks', positive_marks: -1 },
        ],
      },
      201,
    )
    expect(added.body).toEqual({
      success: true,
      added: 3,
      errors: [
        'Question 5: correct_answer does not fit a question of type MCQ',
        'Question 8: positive_marks is not a number from 0 to 10000',
      ],
    })
    expect(await list()).toMatchObject([
      { question_text: 'first', correct_answer: 'B', positive_marks: 4 },
      { question_text: 'number', correct_answer: '42', question_type: 'NUMERIC', tolerance: 0.5 },
      { question_text: 'several', correct_answer: 'A,D', positive_marks: 2, negative_marks: 1 },
    ])
    const body = { exam_id: examId, questions: [{ question_text: 'fine' }, { question_text: '' }] }
    expect((await admin.post(`${QUESTIONS}/bulk-add`, body, 201)).body).toMatchObject({
      added: 1,
      errors: null,
    })
    await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: 999_999, questions: [] }, 404)
  })

  test('are added and deleted by thousands in one request', async () => {
    const questions = Array.from({ length: 5_000 }, (_, n) => ({ question_text: `question ${n}` }))
    const { body } = await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: examId, questions }, 201)
    expect(body.added).toBe(5_000)
    const rows = await service.sql<{ id: number }[]>`
      select id from questions where exam_id = ${examId} order by id`
    const ids = rows.map(({ id }) => id)
    const answers = await Promise.all([1, 2].map(() => admin.post(`${QUESTIONS}/bulk-delete`, { ids }, 200)))
    expect(answers.reduce((sum, answer) => sum + answer.body.deleted, 0)).toBe(5_000)
    expect((await admin.post(`${QUESTIONS}/bulk-delete`, { ids: [] }, 200)).body.deleted).toBe(0)
  })

  test('get marks by type; only given fields change', async () => {
    await admin.post(
      `${QUESTIONS}/bulk-add`,
      {
        exam_id: examId,
        questions: [
          { question_text: 'one', question_type: 'NUMERIC', correct_answer: '1', negative_marks: 2 },
          { question_text: 'two', question_type: 'NUMERIC' },
          { question_text: 'three', question_type: 'MCQ' },
        ],
      },
      201,
    )
    const mark = (marks: object, status = 200) =>
      admin.post(`${QUESTIONS}/bulk-marks`, { exam_id: examId, question_type: 'numeric', ...marks }, status)
    expect((await mark({ positive_marks: 3, tolerance: 0.05 })).body).toEqual({ success: true, updated: 2 })
    expect(await list()).toMatchObject([
      { positive_marks: 3, negative_marks: 2, tolerance: 0.05 },
      { positive_marks: 3, negative_marks: 1, tolerance: 0.05 },
      { positive_marks: 4, negative_marks: 1, tolerance: 0 },
    ])
    expect((await mark({}, 400)).body.code).toBe('nothing_to_update')
    const wrong = await mark({ question_type: 'ESSAY', positive_marks: 1e9, tolerance: -1 }, 400)
    expect(wrong.body.errors?.map(({ path }: { path: string }) => path)).toEqual([
      '/question_type',
      '/positive_marks',
      '/tolerance',
    ])
    await mark({ exam_id: 999_999, tolerance: 1 }, 404)
  })

  test('are changed and deleted concurrently with their exam without an error or a deadlock', async () => {
    for (let round = 0; round < 6; round++) {
      const exam = (await admin.post('/api/v01/admin/exams', { name: 'Busy' }, 201)).body.exam.id
      const questions = Array.from({ length: 20 }, () => ({ question_text: 'one' }))
      await admin.post(`${QUESTIONS}/bulk-add`, { exam_id: exam, questions }, 201)
      const { body } = await admin.get(`${QUESTIONS}?exam_id=${exam}`, 200)
      const ids: number[] = body.questions.map(({ id }) => id)
      const answers = await Promise.all([
        ...ids.map((id) => admin.request('PUT', `${QUESTIONS}/${id}`, form({ question_text: 'two' }))),
        admin.delete(`/api/v01/admin/exams/${exam}`),
        admin.post(`${QUESTIONS}/bulk-delete`, { ids: ids.toReversed() }),
        admin.post(`${QUESTIONS}/bulk-marks`, { exam_id: exam, question_type: 'MCQ', positive_marks: 2 }),
      ])
      expect(answers.filter(({ status }) => status !== 200 && status !== 404)).toEqual([])
    }
  })
})
