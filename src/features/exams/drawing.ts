import { randomInt } from 'node:crypto'
import type { DrawRule } from '../../../schemas/exams.schemas.ts'
import { foldTag } from '../questions/question-tags.ts'

/** Tags are folded. */
interface TaggedQuestion {
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
function poolsOf<Question extends TaggedQuestion>(
  rules: readonly DrawRule[],
  questions: readonly Question[],
): Question[][] {
  const pools: Question[][] = rules.map(() => [])
  const places = new Map<string, number>()
  for (const [place, key] of keysOf(rules).entries()) if (!places.has(key)) places.set(key, place)
  for (const question of questions) {
    const first = Math.min(...question.tag_keys.map((key) => places.get(key) ?? rules.length))
    pools[first]?.push(question)
  }
  return pools
}

/** How many of these questions an attempt gets: all of them where there are no rules. */
export function countDrawn(rules: readonly DrawRule[] | null, questions: readonly TaggedQuestion[]): number {
  if (!rules) return questions.length
  return sumDrawn(
    rules,
    poolsOf(rules, questions).map(({ length }) => length),
  )
}

/** How many questions an attempt gets, by how many there are for each rule. */
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
  questions: readonly (TaggedQuestion & { id: number })[],
): ReadonlyMap<number, number> {
  return new Map(
    poolsOf(rules, questions).flatMap((pool, index) => {
      const chance = Math.min(1, (rules[index]?.count ?? 0) / pool.length)
      return pool.map(({ id }) => [id, chance] as const)
    }),
  )
}

/**
 * Draws for one attempt after another: the ids of its questions, in the order of the questions; all of a pool that is
 * too small. Many start at once, so the pools are made once for all of them.
 */
export function drawer(
  rules: readonly DrawRule[],
  questions: readonly (TaggedQuestion & { id: number })[],
): () => number[] {
  const pools = poolsOf(rules, questions)
  return () => {
    const drawn = new Set(
      pools.flatMap((pool, index) => pick(pool, rules[index]?.count ?? 0).map(({ id }) => id)),
    )
    return questions.flatMap(({ id }) => (drawn.has(id) ? [id] : []))
  }
}

/** That many of them, each set of them equally likely. */
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
