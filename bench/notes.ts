/**
 * Measures syncs of ten new objects into the middle of a page with 10 objects and of one with 10,000, in turn. Then
 * reading a discussion of 5,000 comments, nested 50 deep.
 *
 *   DATABASE_URL=postgres://… npx node bench/notes.ts
 */
import { quantile } from './measure.ts'
import { show, startOwnService, time } from './own-service.ts'

const ROUNDS = 200
const SIZES = [10, 10_000]

const service = await startOwnService()
try {
  const { sql, url } = service
  await sql`insert into users (id, username, email, full_name, role) values (1, 'one', 'one@example.org', 'One', 'user')`
  const headers = service.headersOf(1)
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.text()
  }
  const { notebook } = JSON.parse(await call('POST', '/api/v01/notebooks', { title: 'Bench' }))
  const draw = (id: string) => ({ id, type: 'path', colour: '#336699', points: [1, 2, 3, 4, 5, 6, 7, 8] })
  const pages = []
  for (const size of SIZES) {
    const { page } = JSON.parse(await call('POST', `/api/v01/notebooks/${notebook.id}/pages`, {}))
    for (let start = 0; start < size; start += 1_000) {
      const objects = Array.from({ length: Math.min(1_000, size) }, (_, n) => draw(`first-${start + n}`))
      await call('POST', `/api/v01/pages/${page.id}/sync`, { objects, start_index: start })
    }
    pages.push({ id: page.id as number, size, inserts: [] as number[], edits: [] as number[] })
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const { id, size, inserts, edits } of pages) {
      const objects = Array.from({ length: 10 }, (_, n) => draw(`${round}-${n}`))
      const path = `/api/v01/pages/${id}/sync`
      inserts.push(await time(() => call('POST', path, { objects, start_index: size / 2 })))
      const edited = objects.map((object) => ({ ...object, colour: 'red' }))
      edits.push(await time(() => call('POST', path, { objects: edited, start_index: size / 2 })))
      await call('POST', path, { deleted_ids: objects.map((object) => object.id) })
    }
  console.log(`a sync of ten objects, ${ROUNDS} rounds by turns, milliseconds: median, p90`)
  for (const { size, inserts, edits } of pages) {
    console.log(
      `  inserted, page of ${size}`.padEnd(30),
      show(quantile(inserts, 0.5)),
      show(quantile(inserts, 0.9)),
    )
    console.log(
      `  edited, page of ${size}`.padEnd(30),
      show(quantile(edits, 0.5)),
      show(quantile(edits, 0.9)),
    )
  }

  await sql`insert into exams (id, name) values (1, 'One')`
  await sql`insert into questions (id, exam_id) values (1, 1)`
  await sql`
    insert into comments (id, question_id, parent_id, author_id, message)
    select n, 1, case when n % 50 > 0 then n - 1 end, 1,
           'A comment of the usual length, say some eighty characters, the number of which is ' || n
      from generate_series(50, 5049) n order by n`
  await sql`analyze comments`
  const reads: number[] = []
  let bytes = 0
  for (let round = 0; round < 30; round++)
    reads.push(
      await time(async () => {
        bytes = (await call('GET', '/api/v01/discussions/1')).length
      }),
    )
  console.log(`a discussion of 5,000 comments: median${show(quantile(reads, 0.5))} ms, ${bytes} bytes`)
} finally {
  await service.close()
}
