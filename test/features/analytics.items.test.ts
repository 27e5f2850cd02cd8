import { describe, expect, test } from 'vitest'
import { cronbachAlpha, Moments, median } from '../../src/features/analytics/item-statistics.ts'
import { addQuestion, createExam, type QuestionFields } from '../support/content/exams.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { sharedService } from '../support/service.ts'
import * as naive from './analytics.reference.ts'

const service = await sharedService()
const admin = await service.admin()

const analyse = async (examId: number, query: '' | `?${string}` = '') =>
  (await admin.get(`/api/v01/admin/analytics/exams/${examId}/items${query}`, 200)).body

/** Pseudo-random numbers in [0, 1), the same for the same seed. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Sitting {
  user: number
  number: number
  answers: Record<string, string | string[]>
}

/** Stores finished attempts that the service has graded: one is started, and copied for everybody else. */
async function sitAll(examId: number, sittings: Sitting[]): Promise<void> {
  const alice = await service.person()
  await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await service.sql`
    insert into users (id, username, email, full_name, role)
    select id, 'sat' || id, 'sat' || id || '@example.org', 'Sat', 'user'
      from unnest(${[...new Set(sittings.map(({ user }) => user))]}::int[]) id
    on conflict do nothing`
  // A person's attempts come one after another. They are overdue, so that the service closes and grades them.
  for (const round of Map.groupBy(sittings, ({ number }) => number).values()) {
    await service.sql`
      insert into attempts (user_id, exam_id, paper_id, attempt_number, status, started_at, ends_at, answers)
      select sat.person, exam_id, paper_id, sat.number, 'active', started_at, now() - interval '1 hour', sat.given::jsonb
        from attempts, unnest(${round.map(({ user }) => user)}::int[], ${round.map(({ number }) => number)}::int[],
                              ${round.map(({ answers }) => JSON.stringify(answers))}::text[]) as sat(person, number, given)
       where exam_id = ${examId} and status = 'active' and user_id = ${alice.id}`
    await expect
      .poll(
        async () => {
          const active =
            await service.sql`select from attempts where exam_id = ${examId} and status = 'active'`
          return active.length
        },
        { timeout: PATIENCE_MS },
      )
      .toBe(1)
  }
  const reset = { student_id: alice.id, exam_id: examId, action: 'reset' } as const
  await admin.post('/api/v01/admin/attempts/modify', reset, 200)
}

/** What the reference needs, read from the database; marks by the simplest rules. */
async function observe(
  examId: number,
  questions: QuestionFields[],
  ids: number[],
  which: 'first' | 'last' | 'all',
) {
  const rows = await service.sql<
    { user_id: number; attempt_number: number; answers: Record<string, string | string[]>; score: number }[]
  >`select user_id, attempt_number, answers, score::float8 from attempts
     where exam_id = ${examId} and submitted_at is not null order by user_id, attempt_number`
  const ofUser = Map.groupBy(rows, ({ user_id }) => user_id)
  const chosen = [...ofUser.values()].flatMap((own) =>
    which === 'all' ? own : [own[which === 'first' ? 0 : own.length - 1] as (typeof rows)[number]],
  )
  const marks = chosen.map(({ answers }) =>
    questions.map((question, index) => {
      const answer = answers[ids[index] as number]
      const positive = Number(question.positive_marks ?? 4)
      const negative = Number(question.negative_marks ?? 1)
      if (answer === undefined || answer.length === 0) return 0
      if (question.question_type === 'NUMERIC')
        return Number(answer) === Number(question.correct_answer) ? positive : -negative
      return String(answer) === question.correct_answer ? positive : -negative
    }),
  )
  return { chosen, marks, scores: chosen.map(({ score }) => score) }
}

const expectClose = (value: number | null, wanted: number | null, what: string) => {
  if (value === null || wanted === null) expect(value, what).toBe(wanted)
  else
    expect(Math.abs(value - wanted), `${what}: ${value}, ${wanted}`).toBeLessThanOrEqual(
      1e-9 * Math.max(1, Math.abs(wanted)),
    )
}

describe('item analysis', () => {
  test.each(['first', 'last', 'all'] as const)(
    'equals a naive reference to 1e-9: %s',
    async (which) => {
      const next = random(which.length)
      const types = ['MCQ', 'MSQ', 'NUMERIC'] as const
      const questions = Array.from({ length: 12 }, (_, index): QuestionFields => {
        const question_type = types[index % 3] as (typeof types)[number]
        const correct_answer = { MCQ: 'B', MSQ: 'A,C', NUMERIC: '2.5' }[question_type]
        return {
          question_type,
          correct_answer,
          positive_marks: index + 0.1,
          negative_marks: 0.7,
          question_text: `Q${index}`,
        }
      })
      const { examId, questionIds } = await createExam(service.sql, { questions })
      const answer = (type: string, ability: number): string | string[] => {
        if (next() < 0.1) return type === 'MSQ' ? [] : ''
        const isRight = next() < ability
        if (type === 'MCQ') return isRight ? 'B' : ('ACD'[Math.floor(next() * 3)] as string)
        if (type === 'MSQ')
          return isRight ? ['A', 'C'] : ([['A'], ['B', 'C'], ['D']][Math.floor(next() * 3)] as string[])
        return isRight ? '2.5' : String(Math.floor(next() * 8) / 2 + 3)
      }
      const sittings = Array.from({ length: 150 }, (_, index): Sitting => {
        const ability = next()
        return {
          user: 500_000 + which.length * 1_000 + (index % 90),
          number: 1 + Math.floor(index / 90),
          answers: Object.fromEntries(
            questions.map(({ question_type = 'MCQ' }, at) => [
              questionIds[at],
              answer(question_type, ability),
            ]),
          ),
        }
      })
      await sitAll(examId, sittings)
      const { chosen, marks, scores } = await observe(examId, questions, questionIds, which)
      const { exam, items } = await analyse(examId, which === 'first' ? '' : `?attempts=${which}`)

      expect(exam.attempts).toBe(which === 'all' ? 150 : 90)
      expectClose(exam.mean, naive.mean(scores), 'mean')
      expectClose(exam.median, naive.median(scores), 'median')
      expectClose(exam.standard_deviation, naive.deviation(scores), 'standard deviation')
      const alpha = naive.alpha(marks, scores)
      expectClose(exam.alpha, alpha, 'alpha')
      expectClose(
        exam.standard_error,
        (naive.deviation(scores) ?? 0) * Math.sqrt(1 - (alpha ?? 0)),
        'standard error',
      )

      expect(items.map(({ question_id }) => question_id)).toEqual(questionIds)
      for (const [index, item] of items.entries()) {
        const own = marks.map((row) => row[index] as number)
        const rests = scores.map((score, row) => score - (own[row] as number))
        const given = chosen.map(({ answers }) => answers[questionIds[index] as number] ?? '')
        const positive = Number(questions[index]?.positive_marks)
        expect(item).toMatchObject({
          question_text: `Q${index}`,
          question_type: questions[index]?.question_type,
          administered: chosen.length,
          omitted: given.filter(({ length }) => length === 0).length,
        })
        expectClose(item.facility, (naive.mean(own) ?? 0) / positive, 'facility')
        expectClose(item.discrimination, naive.correlation(own, rests), 'discrimination')
        const right = questions[index]?.correct_answer as string
        const options =
          item.question_type === 'NUMERIC'
            ? naive.mostCommon(given.filter((each) => each.length > 0 && each !== right).map(String), 5)
            : ['A', 'B', 'C', 'D']
        expect(item.options.map(({ option }) => option)).toEqual(options)
        for (const { option, chosen: count, share, mean_rest_score } of item.options) {
          const choosers = rests.filter((_, row) =>
            item.question_type === 'NUMERIC' ? given[row] === option : given[row]?.includes(option),
          )
          expect(count).toBe(choosers.length)
          expectClose(share, count / chosen.length, 'share')
          expectClose(mean_rest_score, naive.mean(choosers), 'mean rest score')
        }
      }
    },
    60_000,
  )

  test('answers null for what is undefined, and flags bad questions', async () => {
    const { examId, questionIds } = await createExam(service.sql, {
      questions: [{}, { positive_marks: 0, negative_marks: 0 }, {}, {}],
    })
    await admin.get('/api/v01/admin/analytics/exams/2000000000/items', 404)
    await admin.get(`/api/v01/admin/analytics/exams/${examId}/items?attempts=best`, 400)
    const alice = await service.person()
    await alice.get(`/api/v01/admin/analytics/exams/${examId}/items`, 403)
    const undefinedOnes = {
      mean: null,
      median: null,
      standard_deviation: null,
      alpha: null,
      standard_error: null,
    }
    expect(await analyse(examId)).toEqual({
      success: true,
      shows_keys: true,
      keys_open_at: null,
      exam: { attempts: 0, ...undefinedOnes },
      items: [],
    })

    const [easy, worthless, hard, odd] = questionIds as [number, number, number, number]
    // Everybody gets the easy one right, few the hard one, and better students choose a wrong option of the odd one.
    const sittings = Array.from(
      { length: 30 },
      (_, index): Sitting => ({
        user: 600_000 + index,
        number: 1,
        answers: {
          [easy]: 'A',
          [worthless]: 'A',
          [hard]: index < 3 ? 'A' : 'B',
          [odd]: index < 15 ? 'C' : 'A',
        },
      }),
    )
    await sitAll(examId, sittings.slice(0, 1))
    const single = await analyse(examId)
    expect(single.exam).toEqual({ ...undefinedOnes, attempts: 1, mean: 7, median: 7 })
    expect(single.items[0]).toMatchObject({ discrimination: null, facility: 1 })
    await sitAll(examId, sittings.slice(1, 19))
    expect((await analyse(examId)).items).toMatchObject(
      questionIds.map(() => ({ administered: 19, too_few: true, flags: [] })),
    )
    await sitAll(examId, sittings.slice(19))
    const { items } = await analyse(examId)
    expect(items.map((item) => item.too_few)).toEqual([false, false, false, false])
    expect(items.map(({ flags }) => flags)).toEqual([
      ['too_easy'],
      [],
      ['negative_discrimination', 'too_hard'],
      ['negative_discrimination', 'distractor_beats_key'],
    ])
    expect(items[1]).toMatchObject({ facility: null, discrimination: null })
    expect(items[0]).toMatchObject({
      discrimination: null,
      options: [
        { option: 'A', chosen: 30, share: 1 },
        { option: 'B', chosen: 0, mean_rest_score: null },
        {},
        {},
      ],
    })
  })

  test('uses the regrades in force, and counts a question only where it was asked', async () => {
    const { examId, questionIds } = await createExam(service.sql, { questions: [{}, {}] })
    const [first, second] = questionIds as [number, number]
    await sitAll(examId, [
      { user: 700_001, number: 1, answers: { [first]: 'A', [second]: 'A' } },
      { user: 700_002, number: 1, answers: { [first]: 'B' } },
      { user: 700_003, number: 1, answers: { [first]: 'B', [second]: 'A' } },
    ])
    const third = await addQuestion(service.sql, examId)
    await sitAll(examId, [{ user: 700_004, number: 1, answers: { [first]: 'B', [third]: 'C' } }])
    await admin.post(
      `/api/v01/admin/exams/${examId}/regrades`,
      { question_id: first, action: 'new_key', correct_answer: 'B' },
      201,
    )
    const { exam, items } = await analyse(examId)
    expect(exam).toMatchObject({ attempts: 4, mean: (3 + 4 + 8 + 3) / 4 })
    expect(items).toMatchObject([
      { question_id: first, administered: 4, facility: (3 * 4 - 1) / 16 },
      { question_id: second, administered: 4, omitted: 2 },
      { question_id: third, administered: 1, omitted: 0, facility: -1 / 4, discrimination: null },
    ])
    // Over the three attempts of the most common paper: marks (-1, 4), (4, 0), (4, 4).
    expectClose(
      exam.alpha,
      naive.alpha(
        [
          [-1, 4],
          [4, 0],
          [4, 4],
        ],
        [3, 4, 8],
      ),
      'alpha',
    )
  })

  test('leaves a dropped question out of alpha, scores and discriminations, and undefined itself', async () => {
    const people = [
      [700_101, 'AAAB'],
      [700_102, 'ABAA'],
      [700_103, 'BBAA'],
      [700_104, 'BABA'],
      [700_105, 'AABB'],
    ] as const
    const sat = async (places: readonly number[]) => {
      const { examId, questionIds } = await createExam(service.sql, { questions: places.map(() => ({})) })
      const given = (letters: string) =>
        Object.fromEntries(places.map((place, index) => [questionIds[index], letters.charAt(place)]))
      await sitAll(
        examId,
        people.map(([user, letters]) => ({ user, number: 1, answers: given(letters) })),
      )
      return { examId, questionIds }
    }
    const whole = await sat([0, 1, 2, 3])
    const without = await sat([0, 1, 2])
    const dropped = whole.questionIds[3]
    await admin.post(
      `/api/v01/admin/exams/${whole.examId}/regrades`,
      { question_id: dropped as number, action: 'drop' },
      201,
    )
    const [found, expected] = [await analyse(whole.examId), await analyse(without.examId)]
    expect(found.exam).toEqual(expected.exam)
    const numbers = ({ items }: typeof found) =>
      items.slice(0, 3).map(({ facility, discrimination, flags }) => ({ facility, discrimination, flags }))
    expect(numbers(found)).toEqual(numbers(expected))
    expect(found.items[3]).toMatchObject({ question_id: dropped, facility: null, discrimination: null })
  })
})

test('moments equal their definitions, merged or not, and are null where they are undefined', () => {
  const next = random(7)
  const pairs = Array.from({ length: 500 }, () => [1e6 + next() * 10, 1e6 - next()] as const)
  const whole = new Moments()
  const parts = [new Moments(), new Moments(), new Moments()]
  for (const [index, [x, y]] of pairs.entries()) {
    whole.add(x, y)
    parts[index % 3]?.add(x, y)
  }
  const merged = new Moments()
  for (const part of parts) merged.merge(part)
  for (const moments of [whole, merged]) {
    expectClose(moments.meanX, naive.mean(pairs.map(([x]) => x)), 'mean')
    expectClose(moments.varianceX, (naive.deviation(pairs.map(([x]) => x)) ?? 0) ** 2, 'variance')
    expectClose(
      moments.correlation,
      naive.correlation(
        pairs.map(([x]) => x),
        pairs.map(([, y]) => y),
      ),
      'correlation',
    )
  }
  const constant = new Moments()
  for (let count = 0; count < 10; count++) constant.add(0.1, count)
  expect(constant.correlation).toBeNull()
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
  expect(cronbachAlpha([1], 4)).toBeNull()
  expect(cronbachAlpha([1, 1], 0)).toBeNull()
})
