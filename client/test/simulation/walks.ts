import { expect } from 'vitest'
import type { Step } from './walk.ts'

/**
 * LONG_TESTS=1 takes longer walks, from SEED (1) on, as many as WALKS says (1000). SEED alone repeats the walk that a
 * failure names.
 */
const { LONG_TESTS, SEED } = process.env
const IS_LONG = LONG_TESTS !== undefined
const FIRST = Number(SEED ?? 1)
const WALKS = IS_LONG ? Number(process.env.WALKS ?? 1_000) : SEED ? 1 : 25
const STEPS = IS_LONG || SEED ? 200 : 100
/** Most runs that look for a shorter walk with the same end. */
const SHRINKING = 400

interface Walk {
  steps(seed: number, count: number): Step[]
  run(steps: Step[]): Promise<string[]>
  /** How much of what has happened in it. */
  summary(): Record<string, number>
}

/** `failed`: seeds of walks of 200 steps that once ended badly. */
export async function takeWalks(make: (seed: number) => Walk, failed: number[]): Promise<void> {
  const totals: Record<string, number> = {}
  for (let seed = FIRST; seed < FIRST + WALKS; seed++)
    for (const [what, count] of Object.entries(await takeWalk(make, seed, STEPS)))
      totals[what] = (totals[what] ?? 0) + count
  for (const seed of failed) await takeWalk(make, seed, 200)
  if (IS_LONG) console.log(`${WALKS} walks of ${STEPS} steps: ${JSON.stringify(totals)}`)
}

async function takeWalk(make: (seed: number) => Walk, seed: number, count: number) {
  const walk = make(seed)
  const steps = walk.steps(seed, count)
  const violations = await walk.run(steps)
  if (violations.length > 0)
    expect(await shrink(() => make(seed), steps), `seed ${seed}: ${violations}`).toEqual([])
  return walk.summary()
}

/** The fewest steps that were found to end badly, as lines to read. */
async function shrink(make: () => Walk, all: Step[]): Promise<string[]> {
  let steps = all
  let runs = 0
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0)
    for (let at = 0; at < steps.length && runs < SHRINKING; ) {
      const fewer = [...steps.slice(0, at), ...steps.slice(at + size)]
      runs += 1
      if ((await make().run(fewer)).length > 0) steps = fewer
      else at += size
    }
  const violations = await make().run(steps)
  return [...steps.map(({ name, dice }) => `${name} ${dice.map((each) => each.toFixed(2))}`), ...violations]
}
