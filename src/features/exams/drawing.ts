import { randomInt } from 'node:crypto'
import type { DrawRule } from '../../../schemas/exams.schemas.ts'
import { foldTag } from '../questions/question-tags.ts'

/** Tags are folded. */
interface Tagged {
  tag_keys: readonly string[]
}

/** The folded tags of rules. */
export function keysOf(rules: readonly DrawRule[]): string[] {
  return rules.map(({ tag }) => foldTag(tag))
}

/**
 * The questions that each rule of a draw takes from (docs/protocol/questions.md#drawn-papers): a question with the tags
 * of several rules serves the first of them.
 */
function poolsOf<Question extends Tagged>(
  rules: readonly DrawRule[],
  questions: readonly Question[],
): Question[][] {
  const pools: Question[][] = rules.map(() => [])
  const keys = keysOf(rules)
  for (const question of questions)
    pools[keys.findIndex((key) => question.tag_keys.includes(key))]?.push(question)
  return pools
}

/** How many of these questions an attempt gets: all of them where there are no rules. */
export function countDrawn(rules: readonly DrawRule[] | null, questions: readonly Tagged[]): number {
  if (!rules) return questions.length
  return sumDrawn(
    rules,
    poolsOf(rules, questions).map(({ length }) => length),
  )
}

/** How many questions an attempt gets where so many are there for each rule. */
export function sumDrawn(rules: readonly DrawRule[], pools: readonly number[]): number {
  return rules.reduce((sum, { count }, index) => sum + Math.min(count, pools[index] ?? 0), 0)
}

/** The rules for which too few questions are there. */
export function findTooFew(rules: readonly DrawRule[], pools: readonly number[]): DrawRule[] {
  return rules.filter(({ count }, index) => (pools[index] ?? 0) < count)
}

/** How likely an attempt has each question, by its id; those that no rule takes are left out. */
export function chancesOf(
  rules: readonly DrawRule[],
  questions: readonly (Tagged & { id: number })[],
): ReadonlyMap<number, number> {
  return new Map(
    poolsOf(rules, questions).flatMap((pool, index) => {
      const chance = Math.min(1, (rules[index]?.count ?? 0) / pool.length)
      return pool.map(({ id }) => [id, chance] as const)
    }),
  )
}

/** The ids of an attempt's questions, in the order of the questions; all of a pool that is too small. */
export function draw(rules: readonly DrawRule[], questions: readonly (Tagged & { id: number })[]): number[] {
  const pools = poolsOf(rules, questions)
  const drawn = new Set(
    pools.flatMap((pool, index) => pick(pool, rules[index]?.count ?? 0).map(({ id }) => id)),
  )
  return questions.flatMap(({ id }) => (drawn.has(id) ? [id] : []))
}

/** So many of them, each set of them equally likely. */
function pick<T>(things: readonly T[], count: number): T[] {
  const rest = [...things]
  const picked: T[] = []
  while (picked.length < count && rest.length > 0) {
    const at = randomInt(rest.length)
    picked.push(rest[at] as T)
    rest[at] = rest.at(-1) as T
    rest.pop()
  }
  return picked
}
