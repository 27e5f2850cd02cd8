import { test } from 'vitest'
import { ExamWalk } from './simulation/exam-walk.ts'
import { takeWalks } from './simulation/walks.ts'

const FAILED = [333, 500249, 500514, 800898]

test(
  'whatever happens on the way, no answer is lost, shown twice or handed in unasked',
  { timeout: 3_600_000, meta: { costly: 'takes many random walks' } },
  () => takeWalks((seed) => new ExamWalk(seed), FAILED),
)
