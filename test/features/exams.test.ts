import { describe, expect, test } from 'vitest'
import { form } from '../support/content/forms.ts'
import { sharedService } from '../support/service.ts'

const EXAMS = '/api/v01/admin/exams'
const service = await sharedService()
const admin = await service.admin()

describe('exams', () => {
  test('are created with defaults, changed field by field, and read again', async () => {
    const created = await admin.post(EXAMS, { name: '  Mechanics ' }, 201)
    expect(created.body).toEqual({
      success: true,
      exam: {
        id: expect.any(Number),
        name: 'Mechanics',
        description: '',
        category_id: null,
        class_ids: [],
        duration_minutes: null,
        opens_at: null,
        closes_at: null,
        lock_help: false,
        watch_page: false,
        shuffle: 'none',
        draw: null,
        pool_count: 0,
        max_attempts: null,
        result_mode: 'instant',
        results_released: false,
        is_published: false,
        open_for_practice: false,
        pass_percentage: 40,
        msq_scoring: 'all_or_nothing',
        question_count: 0,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    })
    const path = `${EXAMS}/${created.body.exam.id}` as const
    const settings = {
      description: 'Forces',
      duration_minutes: 90,
      max_attempts: 3,
      result_mode: 'on_release',
      is_published: true,
      open_for_practice: true,
      pass_percentage: 33.5,
      msq_scoring: 'partial',
    }
    const changed = await admin.patch(path, settings, 200)
    expect(changed.body.exam).toMatchObject({ name: 'Mechanics', ...settings })
    await admin.patch(path, { duration_minutes: null }, 200)
    const found = await admin.get(path, 200)
    expect(found.body.exam).toMatchObject({ ...settings, duration_minutes: null })
  })

  test('an empty change, an unknown category and an unknown exam are refused', async () => {
    const { body } = await admin.post(EXAMS, { name: 'Optics' }, 201)
    const path = `${EXAMS}/${body.exam.id}` as const
    expect((await admin.patch(path, {}, 400)).body.code).toBe('nothing_to_update')
    expect((await admin.patch(path, { results_released: true }, 400)).body.code).toBe('nothing_to_update')
    expect((await admin.patch(path, { category_id: 999_999 }, 400)).body.code).toBe('unknown_category')
    expect((await admin.post(EXAMS, { name: 'X', category_id: 999_999 }, 400)).body.code).toBe(
      'unknown_category',
    )
    for (const wrong of [
      { max_attempts: 0 },
      { duration_minutes: 1.5 },
      { pass_percentage: 101 },
      { result_mode: 'later' },
      { name: ' ' },
    ])
      expect((await admin.patch(path, wrong, 400)).body.code, JSON.stringify(wrong)).toBe('validation_failed')
    await admin.get(`${EXAMS}/999999`, 404)
    await admin.patch(`${EXAMS}/999999`, { name: 'X' }, 404)
    await admin.delete(`${EXAMS}/999999`, 404)
    await admin.post(`${EXAMS}/999999/toggle-results`, {}, 404)
  })

  test('are listed newest first, 50 a page, by part of the name and by category', async () => {
    const [category] = await service.sql`insert into categories (name) values ('Listing') returning id`
    await service.sql`
      insert into exams (name, category_id) select 'Listing 100% ' || n, ${category?.id} from generate_series(1, 51) n`
    const first = await admin.get(`${EXAMS}?category_id=${category?.id}`, 200)
    expect(first.body).toMatchObject({ total: 51, page: 1, per_page: 50, total_pages: 2 })
    expect(first.body.exams).toHaveLength(50)
    expect(first.body.exams[0]?.name).toBe('Listing 100% 51')
    const second = await admin.get(`${EXAMS}?category_id=${category?.id}&page=2`, 200)
    expect(second.body.exams.map(({ name }) => name)).toEqual(['Listing 100% 1'])
    const named = await admin.get(`${EXAMS}?q=${encodeURIComponent('100% 2')}`, 200)
    expect(named.body.total).toBe(11)
    expect((await admin.get(`${EXAMS}?q=100_`, 200)).body.total).toBe(0)
    await admin.get(`${EXAMS}?page=0`, 400)
  })

  test('are deleted with everything that belongs to them, which the message counts', async () => {
    const { body } = await admin.post(EXAMS, { name: 'Doomed', is_published: true }, 201)
    const examId = body.exam.id
    for (const question_text of ['one', 'two'])
      await admin.request('POST', '/api/v01/admin/questions', form({ exam_id: examId, question_text }), 201)
    const student = await service.person()
    await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
    const [question] = await service.sql<{ id: number }[]>`select id from questions where exam_id = ${examId}`
    const thread = `/api/v01/discussions/${question?.id}` as const
    const parent_id = (await student.post(thread, { message: 'Why?' }, 201)).body.comment.id
    for (const message of ['Because.', 'Really?']) await admin.post(thread, { message, parent_id }, 201)
    // Its tombstone is not counted as a comment.
    await student.delete(`/api/v01/discussions/comments/${parent_id}`, 200)
    const deleted = await admin.delete(`${EXAMS}/${examId}`, 200)
    expect(deleted.body).toEqual({
      success: true,
      message: 'Deleted "Doomed" with 2 questions, 2 attempts, 1 result, 2 discussion comments',
    })
    expect(await service.sql`select id from questions where exam_id = ${examId}`).toEqual([])
    expect((await student.get('/api/v01/attempts', 200)).body.total).toBe(0)
    await admin.get(`${EXAMS}/${examId}`, 404)
  })

  test('have results that are toggled, or set with `released`', async () => {
    const { body } = await admin.post(EXAMS, { name: 'Gate' }, 201)
    const path = `${EXAMS}/${body.exam.id}/toggle-results` as const
    const toggle = async (setting?: object) => (await admin.post(path, setting, 200)).body
    expect(await toggle()).toEqual({
      success: true,
      message: 'The results of "Gate" are released',
      released: true,
    })
    expect((await toggle()).released).toBe(false)
    expect((await toggle({ released: true })).released).toBe(true)
    expect((await toggle({ released: true })).released).toBe(true)
    expect((await admin.request('POST', path, undefined, 200)).body.released).toBe(false)

    const releases = await Promise.all(Array.from({ length: 9 }, () => toggle()))
    expect(releases.filter(({ released }) => released)).toHaveLength(5)
    expect((await admin.get(`${EXAMS}/${body.exam.id}`, 200)).body.exam.results_released).toBe(true)
  })

  test('announce the release of results to those who took them', async () => {
    const { body } = await admin.post(
      EXAMS,
      { name: 'Told', is_published: true, result_mode: 'on_release' },
      201,
    )
    const examId = body.exam.id
    await admin.request('POST', '/api/v01/admin/questions', form({ exam_id: examId }), 201)
    const student = await service.person()
    await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
    const { attempt_id } = (await student.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
    await student.get(`/api/v01/attempts/${attempt_id}`, 403)
    const socket = await student.socket()
    await admin.post(`${EXAMS}/${examId}/toggle-results`, {}, 200)
    await socket.waitFor(({ type }) => type === 'results_released')
    await student.get(`/api/v01/attempts/${attempt_id}`, 200)
  })

  test('are for administrators alone', async () => {
    const person = await service.person()
    expect((await person.get(EXAMS, 403)).body).toMatchObject({
      status: 'error',
      message: 'Admin access required',
    })
    expect((await service.guest().get(EXAMS, 401)).body).toMatchObject({
      status: 'error',
      message: 'Authentication required',
    })
  })
})
