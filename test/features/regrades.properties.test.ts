import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createExam } from '../support/content/exams.ts'
import { withService } from '../support/service.ts'
import {
  gradeFromScratch,
  type ReferenceQuestion,
  type ReferenceRegrade,
  type ReferenceResult,
} from './regrades.reference.ts'

const runs = process.env.LONG_TESTS ? 40 : 4
const LETTERS = ['A', 'B', 'C', 'D']
const KEYS: Record<ReferenceQuestion['type'], string[]> = {
  MCQ: LETTERS,
  MSQ: ['A', 'A,B', 'A,C,D', 'B,C', 'A,B,C,D'],
  NUMERIC: ['1', '2.5', '-3'],
}
const ANSWERS: Record<ReferenceQuestion['type'], (string | string[])[]> = {
  MCQ: ['', ...LETTERS],
  MSQ: [[], ['A'], ['A', 'B'], ['A', 'C'], ['A', 'C', 'D'], ['B', 'C'], LETTERS],
  NUMERIC: ['', '1', '1.4', '2.5', '-3', '7'],
}
const ACTIONS = ['new_key', 'new_key', 'credit_all', 'drop'] as const

/** An event. `picks` choose among what exists at that moment. */
const event = fc.record({
  what: fc.constantFrom(
    'sit',
    'sit',
    'regrade',
    'regrade',
    'regrade',
    'undo',
    'undo',
    'edit',
    'preview',
    'retype',
    'remark',
    'delete',
  ),
  picks: fc.array(fc.nat(1_000), { minLength: 6, maxLength: 6 }),
})
const pick = <T>(from: readonly T[], by = 0): T => from[by % from.length] as T

test('after any sequence of regrades, undos and edits every result equals grading from scratch', {
  timeout: 600_000,
  meta: { costly: 'takes random sequences of regrades' },
}, async () => {
  const service = await withService()
  const admin = await service.admin()
  const people = await Promise.all(Array.from({ length: 3 }, () => service.person()))

  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('all_or_nothing' as const, 'partial' as const),
      fc.array(event, { minLength: 12, maxLength: 30 }),
      async (scoring, events) => {
        const types = ['MCQ', 'MSQ', 'NUMERIC', 'MCQ'] as const
        const { examId, questionIds } = await createExam(service.sql, {
          msq_scoring: scoring,
          questions: types.map((question_type, index) => ({
            question_type,
            correct_answer: pick(KEYS[question_type], index),
            positive_marks: index + 1.5,
            negative_marks: 0.25,
          })),
        })
        let time = 0
        let questions: ReferenceQuestion[] = types.map((type, index) => ({
          id: questionIds[index] as number,
          type,
          key: pick(KEYS[type], index),
          tolerance: 0,
          positive: index + 1.5,
          negative: 0.25,
          keyedAt: 0,
        }))
        const everAsked = new Map(questions.map((question) => [question.id, question]))
        const regrades: ReferenceRegrade[] = []
        const attempts: {
          id: number
          paper: ReferenceQuestion[]
          answers: Record<string, string | string[]>
        }[] = []
        const base = `/api/v01/admin/exams/${examId}/regrades` as const

        const expected = (inForce = regrades) =>
          new Map(
            attempts.map(({ id, paper, answers }) => [
              id,
              gradeFromScratch(paper, scoring, answers, inForce),
            ]),
          )
        const compare = async () => {
          const rows = await service.sql<({ id: number; percentage: number } & ReferenceResult)[]>`
            select id, score::float8, max_score::float8, correct, incorrect, unattempted, percentage
              from attempts where exam_id = ${examId} and submitted_at is not null`
          const wanted = expected()
          expect(rows).toHaveLength(wanted.size)
          for (const { id, percentage, ...result } of rows) {
            expect(result, `attempt ${id}`).toEqual(wanted.get(id))
            expect(percentage).toBe(percentageOf(result))
          }
        }

        for (const { what, picks } of events) {
          time += 1
          const question = questions.length > 0 ? pick(questions, picks[0]) : undefined
          if (what === 'sit' && questions.length > 0) {
            const person = pick(people, picks[1])
            const id = (await person.post(`/api/v01/exams/${examId}/start`, {}, 201)).body.attempt_id
            const answers = Object.fromEntries(
              questions.map((each, index) => [each.id, pick(ANSWERS[each.type], picks[index])]),
            )
            await person.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
            attempts.push({ id, paper: structuredClone(questions), answers })
          } else if (what === 'regrade' || what === 'preview') {
            const of = pick([...everAsked.values()], picks[0])
            const { type } = questions.find(({ id }) => id === of.id) ?? of
            const action = pick(ACTIONS, picks[1])
            const key = pick(KEYS[type], picks[2])
            const tolerance = type === 'NUMERIC' ? pick([0, 0.5], picks[3]) : 0
            const before = expected()
            const made: ReferenceRegrade = {
              id: 0,
              questionId: of.id,
              action,
              key: action === 'new_key' ? key : null,
              tolerance: action === 'new_key' ? tolerance : null,
              type,
              madeAt: time,
              undone: false,
            }
            const preview = what === 'preview'
            const { body } = await admin.post(
              base,
              { question_id: of.id, action, correct_answer: key, tolerance, preview },
              preview ? 200 : 201,
            )
            const after = expected([...regrades, made])
            const having = attempts
              .filter(({ paper }) => paper.some(({ id }) => id === of.id))
              .map(({ id }) => id)
            // By the score or, where that is the same, by the verdict: a question that no longer counts changes it too.
            const changes = having.map((id) => {
              const [old, now] = [before.get(id), after.get(id)] as [ReferenceResult, ReferenceResult]
              return now.score - old.score || Number(hasPassed(now)) - Number(hasPassed(old))
            })
            expect(body.regrade).toMatchObject({
              id: preview ? null : expect.any(Number),
              exam_id: examId,
              question_id: of.id,
              action,
              correct_answer: made.key,
              tolerance: made.tolerance,
              attempts: having.length,
              raised: changes.filter((change) => change > 0).length,
              lowered: changes.filter((change) => change < 0).length,
              unchanged: changes.filter((change) => change === 0).length,
              undone_at: null,
            })
            if (!preview) regrades.push({ ...made, id: Number(body.regrade.id) })
          } else if (what === 'undo') {
            const standing = regrades.filter(({ undone }) => !undone)
            if (standing.length === 0) continue
            const undone = pick(standing, picks[0])
            const { body } = await admin.post(`/api/v01/admin/regrades/${undone.id}/undo`, {}, 200)
            expect(body.regrade.undone_at).toMatch(/Z$/)
            undone.undone = true
            const again = await admin.post(`/api/v01/admin/regrades/${undone.id}/undo`, {}, 409)
            expect(again.body.code).toBe('already_undone')
          } else if (question && what === 'edit') {
            const key = pick(KEYS[question.type], picks[1])
            if (key !== question.key) question.keyedAt = time
            question.key = key
            await service.sql`update questions set correct_answer = ${key} where id = ${question.id}`
          } else if (question && what === 'retype') {
            const type = pick(types, picks[1])
            if (type === question.type) continue
            Object.assign(question, { type, key: pick(KEYS[type], picks[2]), keyedAt: time })
            await service.sql`
              update questions set question_type = ${type}, correct_answer = ${question.key} where id = ${question.id}`
          } else if (question && what === 'remark') {
            question.positive = pick([0, 1, 2.25], picks[1])
            await service.sql`update questions set positive_marks = ${question.positive} where id = ${question.id}`
          } else if (question && what === 'delete' && questions.length > 2) {
            await admin.delete(`/api/v01/admin/questions/${question.id}`, 200)
            // It can still be regraded as the newest paper has it; a question that is in no paper is gone.
            const last = attempts.findLast(({ paper }) => paper.some(({ id }) => id === question.id))
            const asked = last?.paper.find(({ id }) => id === question.id)
            if (asked) everAsked.set(question.id, asked)
            else everAsked.delete(question.id)
            questions = questions.filter(({ id }) => id !== question.id)
            continue
          }
          if (question && questions.includes(question)) everAsked.set(question.id, question)
          await compare()
        }
        // Undone in any order, no regrade has an effect.
        for (const { id } of regrades
          .filter(({ undone }) => !undone)
          .sort((one, other) => ((one.id * 7) % 5) - ((other.id * 7) % 5)))
          await admin.post(`/api/v01/admin/regrades/${id}/undo`, {}, 200)
        for (const regrade of regrades) regrade.undone = true
        await compare()
      },
    ),
    { numRuns: runs, ...(process.env.SEED ? { seed: Number(process.env.SEED) } : {}) },
  )
})

function percentageOf({ score, max_score }: ReferenceResult): number {
  return max_score === 0 ? 0 : Math.round((score / max_score) * 10_000) / 100 + 0
}

/** By the mark that an exam has if it says none. */
function hasPassed(result: ReferenceResult): boolean {
  return result.max_score !== 0 && percentageOf(result) >= 40
}
