import { describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { sharedService } from '../support/service.ts'

const service = await sharedService()
const admin = await service.admin()

describe('answers in the older form', () => {
  test('come from deleting an exam and toggling its results', async () => {
    const { examId } = await createExam(service.sql)
    const toggle = (body?: object) => admin.post(`/admin/exams/${examId}/toggle-results`, body, 200)
    expect((await toggle()).body).toEqual({ success: true, released: true })
    expect((await toggle()).body).toEqual({ success: true, released: false })
    expect((await toggle({ released: true })).body.released).toBe(true)
    expect((await toggle({ released: true })).body.released).toBe(true)
    expect((await admin.delete(`/admin/exams/${examId}`, 200)).body).toEqual({ success: true })
    await admin.delete(`/admin/exams/${examId}`, 404)
    await admin.post(`/admin/exams/${examId}/toggle-results`, {}, 404)
  })

  test('come from adding and deleting questions', async () => {
    const { examId } = await createExam(service.sql, { questions: [] })
    const fields = { exam_id: examId, question_text: 'Which?', correct_answer: 'b' }
    const added = await admin.request('POST', '/admin/questions', form(fields), 201)
    expect(added.body).toEqual({
      success: true,
      question: {
        id: expect.any(Number),
        exam_id: examId,
        question_text: 'Which?',
        option_a: '',
        option_b: '',
        option_c: '',
        option_d: '',
        correct_answer: 'B',
        question_type: 'MCQ',
        image_path: null,
        image_url: null,
        positive_marks: 4,
        negative_marks: 1,
        tolerance: 0,
      },
    })
    await admin.request('POST', '/admin/questions', form({ ...fields, exam_id: 999_999 }), 404)
    await admin.request('POST', '/admin/questions', form({ ...fields, correct_answer: 'E' }), 400)
    await admin.post('/admin/questions', fields, 415)

    const questions = [{ question_text: 'One' }, { question_text: '' }, {}, { question_text: 'Two' }]
    const bulk = (more: object[]) =>
      admin.post('/admin/questions/bulk-add', { exam_id: examId, questions: [...questions, ...more] }, 201)
    expect((await bulk([])).body).toEqual({ success: true, inserted: 2, skipped: 2, errors: null })
    expect((await bulk([{ question_text: 'Three', correct_answer: 'E' }])).body).toEqual({
      success: true,
      inserted: 2,
      skipped: 3,
      errors: [expect.stringMatching(/^Question 5: correct_answer/)],
    })
    const ids = (await service.sql`select id from questions where exam_id = ${examId}`).map(({ id }) => id)
    expect(ids).toHaveLength(5)
    const deleted = await admin.post('/admin/questions/bulk-delete', { ids }, 200)
    expect(deleted.body).toEqual({ success: true, deleted: 5 })
  })

  test('come for category images of up to 5 MB, of which the newer generation takes 500 KB', async () => {
    // Bytes after the end of a JPEG are ignored, so they make the file as large as needed.
    const picture = await makeImage('jpeg')
    const sized = (bytes: number) =>
      form({ name: 'Large' }, { field: 'image', name: 'large.jpg', bytes: Buffer.concat([picture], bytes) })
    const largest = 5 * 1024 * 1024
    const listed = async () => (await admin.get('/admin/categories', 200)).body.categories
    const before = await listed()
    const { body } = await admin.request('POST', '/admin/categories', sized(largest), 201)
    expect(body).toEqual({
      success: true,
      category: {
        id: expect.any(Number),
        name: 'Large',
        drive_file_id: expect.stringMatching(/^Category\/large_[0-9a-f]+\.jpg$/),
        image_url: expect.stringContaining('/files/Category/large_'),
      },
    })
    const stored = await admin.fetch('GET', body.category.image_url)
    expect((await stored.arrayBuffer()).byteLength).toBe(largest)
    await admin.request('POST', '/admin/categories', sized(largest + 1), 413)
    await admin.request('POST', '/api/v01/admin/categories', sized(512_001), 413)
    const after = await listed()
    expect(after).toHaveLength(before.length + 1)
    expect(after).toContainEqual(body.category)
  })
})

describe('access', () => {
  const JSON_READS = [
    '/admin/users',
    '/admin/users/counts',
    '/admin/overview',
    '/admin/categories',
    '/admin/attempts',
    '/admin/access-requests',
    '/admin/access-requests/counts',
  ]
  const asBrowser = (client: Client, path: string) =>
    client.request('GET', path, undefined, undefined, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })

  test('is refused in JSON by JSON operations, whatever the caller accepts', async () => {
    const person = await service.person()
    for (const path of JSON_READS) {
      const guest = await asBrowser(service.guest(), path)
      expect(guest, path).toMatchObject({
        status: 401,
        body: { status: 'error', success: false, message: 'Authentication required' },
      })
      const forbidden = await asBrowser(person, path)
      expect(forbidden, path).toMatchObject({ status: 403, body: { message: 'Admin access required' } })
      expect((await asBrowser(admin, path)).headers.get('content-type')).toContain('application/json')
    }
    await service.guest().delete('/admin/exams/1', 401)
  })

  test('leads browsers from every page to the login, the analytics page included', async () => {
    for (const path of ['/admin', '/admin/anything', '/admin/exams/1/anything', '/admin/users/analytics']) {
      const { status, headers } = await asBrowser(service.guest(), path)
      expect(status, path).toBe(303)
      expect(headers.get('location')).toBe('/admin/login')
    }
    const page = '/admin/users/analytics'
    const json = { accept: 'application/json' }
    for (const accept of ['*/*', '', 'application/json'])
      await service.guest().request('GET', '/admin', undefined, 303, { accept })
    await service.guest().request('GET', '/admin/anything', undefined, 404, json)
    await service.guest().request('GET', page, undefined, 401, json)
    const person = await service.person()
    await person.get(page, 403)
    await person.loginOnWeb(person.username)
    expect((await asBrowser(person, page)).headers.get('location')).toBe('/admin/login')
  })

  test('is granted by cookie and bearer token, but by cookie not to another site', async () => {
    const browser = await service.admin()
    await browser.loginOnWeb(browser.username, { path: '/admin/login' })
    await browser.get('/admin/users', 200)
    await browser.get('/admin/users/analytics', 200)
    const { examId } = await createExam(service.sql)
    const toggle = (origin: string, status: number) =>
      browser.request('POST', `/admin/exams/${examId}/toggle-results`, {}, status, { origin })
    await toggle('https://elsewhere.example', 403)
    await toggle(browser.url, 200)
  })
})

describe('user analytics', () => {
  const PAGE = '/admin/users/analytics'

  async function studentWith(name: string, percentages: number[]): Promise<Client> {
    const student = await service.person(name)
    for (const [index, percentage] of percentages.entries()) {
      const { examId } = await createExam(service.sql)
      await service.sql`
        insert into attempts (user_id, exam_id, attempt_number, status, started_at, submitted_at, score,
                              max_score, percentage, correct, incorrect, unattempted)
        values (${student.id}, ${examId}, 1, 'submitted', '2026-01-14 10:00Z', ${`2026-01-${15 + index} 10:30Z`},
                ${percentage}, 100, ${percentage}, 1, 0, 0)`
    }
    return student
  }
  const cells = (table: string) =>
    [...table.matchAll(/<tr>(<th scope="row">.*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell),
    )

  test('show everybody’s attempts, average, best and latest', async () => {
    const student = await studentWith('zz_analytics', [40, 90, 12.5])
    const { examId } = await createExam(service.sql)
    await student.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await admin.post(
      '/admin/attempts/modify',
      { student_id: student.id, exam_id: examId, action: 'increase' },
      200,
    )
    await service.person('zz_analytics_idle')
    const { headers, body } = await admin.get(`${PAGE}?partial=1&q=ZZ_analytics`, 200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(body.startsWith('<table>')).toBe(true)
    expect(body.trimEnd().endsWith('</table>')).toBe(true)
    expect(cells(body)).toEqual([
      ['zz_analytics', 'zz_analytics', 'user', '3', '47.50 %', '90.00 %', '17 January 2026 10:30 AM'],
      ['zz_analytics_idle', 'zz_analytics_idle', 'user', '0', '–', '–', '–'],
    ])
    const page = (await admin.get(`${PAGE}?q=zz_analytics`, 200)).body
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).toContain(body)
  })

  test('refuse a polling page in JSON instead of with the login page', async () => {
    const student = await service.person()
    for (const accept of ['text/html', '*/*', 'application/json', '']) {
      const refused = await service.guest().request('GET', `${PAGE}?partial=1`, undefined, 401, { accept })
      expect(refused.body).toMatchObject({ status: 'error', message: 'Authentication required' })
      await student.request('GET', `${PAGE}?partial=1`, undefined, 403, { accept })
    }
    const browser = service.guest()
    await browser.loginOnWeb(student.username)
    await browser.request('GET', `${PAGE}?partial=1`, undefined, 403, { accept: 'text/html' })
    await service.guest().request('GET', PAGE, undefined, 303, { accept: 'text/html' })
  })

  test('escape names and search texts', async () => {
    const student = await service.person()
    await student.patch('/api/v01/account', { full_name: '<script>alert("&1")</script>' }, 200)
    const { body } = await admin.get(`${PAGE}?q=${encodeURIComponent('"><script>')}`, 200)
    expect(body).not.toContain('<script')
    expect(body).toContain('value="&quot;&gt;&lt;script&gt;"')
    const table = (await admin.get(`${PAGE}?partial=1&q=${student.username}`, 200)).body
    expect(table).toContain('&lt;script&gt;alert(&quot;&amp;1&quot;)&lt;/script&gt;')
    expect(table).not.toContain('<script')
  })

  test('come in pages of 50 with links to one another', async () => {
    await service.sql`
      insert into users (username, email, full_name, role)
      select 'paged' || n, 'paged' || n || '@example.org', 'Paged & more', 'user' from generate_series(1, 51) n`
    const first = (await admin.get(`${PAGE}?q=Paged%20%26`, 200)).body
    expect(cells(first)).toHaveLength(50)
    const [, next = ''] = /<a href="(\?[^"]+)">Next/.exec(first) ?? []
    const second = (await admin.get(`${PAGE}${next.replaceAll('&amp;', '&')}`, 200)).body
    expect(cells(second)).toHaveLength(1)
    expect(second).toContain('Page 2 of 2, 51 people')
    expect(second).toContain('>Previous</a>')
    expect(second).not.toContain('>Next</a>')
    await admin.get(`${PAGE}?page=0`, 400)
  })
})
