import { expect, test } from 'vitest'
import { createExam } from '../support/content/exams.ts'
import { withService } from '../support/service.ts'

interface Plan {
  'Node Type': string
  'Index Name'?: string
  Plans?: Plan[]
}

test('the newest results of a dashboard are read from an index alone, not from the wide rows', async () => {
  const { sql } = await withService()
  const [{ examId }, other] = [await createExam(sql), await createExam(sql)]
  await sql`insert into users (id, username, email, full_name, role)
            select n, 'u' || n, 'u' || n || '@example.org', 'U', 'user' from generate_series(1, 5000) n`
  await sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at, answers, submitted_at,
                          score, max_score, percentage, correct, incorrect, unattempted)
    select n, case when n % 20 = 0 then ${examId}::int else ${other.examId} end, 1, 'submitted', now(), jsonb_build_object('1', repeat('9', 600)),
           now() - n * interval '1 minute', 3, 4, 75, 1, 0, 0
      from generate_series(1, 5000) n`
  await sql`vacuum analyze attempts`
  for (const [filter, index] of [
    [sql`submitted_at is not null`, 'attempts_submitted_at_idx'],
    [sql`exam_id = ${examId} and submitted_at is not null`, 'attempts_exam_id_submitted_at_idx'],
  ] as const) {
    const [row] = await sql`
      explain (format json)
      select submitted_at, exam_id, user_id, score, max_score, percentage from attempts
       where ${filter} order by submitted_at desc limit 1000`
    const plan: Plan = row?.['QUERY PLAN'][0].Plan
    expect(plan.Plans).toMatchObject([{ 'Node Type': 'Index Only Scan', 'Index Name': index }])
  }
})
