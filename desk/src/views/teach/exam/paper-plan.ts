import type { Answer } from '../../../client.ts'
import type { Exam } from './tab-props.ts'

export type ListedQuestion = Answer<'/api/v01/admin/questions', 'get'>['questions'][number]
export type Shuffle = Exam['shuffle']
export type DrawRule = NonNullable<Exam['draw']>[number]

const fold = (tag: string) => tag.normalize('NFC').trim().toLowerCase()

/** The questions that each rule takes from: one with the tags of several rules serves the first of them. */
function poolsOf(rules: readonly DrawRule[], questions: readonly ListedQuestion[]): ListedQuestion[][] {
  const pools: ListedQuestion[][] = rules.map(() => [])
  const wanted = rules.map(({ tag }) => fold(tag))
  for (const question of questions) {
    const tags = new Set(question.tags.map(fold))
    pools[wanted.findIndex((tag) => tags.has(tag))]?.push(question)
  }
  return pools
}

/** How many questions an attempt gets, how many each rule has to draw from, and the rules that have too few. */
export function planDraw(rules: readonly DrawRule[], questions: readonly ListedQuestion[]) {
  const sizes = poolsOf(rules, questions).map(({ length }) => length)
  return {
    sizes,
    count: rules.reduce((sum, { count }, index) => sum + Math.min(count, sizes[index] ?? 0), 0),
    tooFew: rules.filter(({ count }, index) => count > (sizes[index] ?? 0)),
  }
}

/** Draws as the service does at a start; without rules all questions. */
export function draw(rules: readonly DrawRule[], questions: readonly ListedQuestion[]): ListedQuestion[] {
  if (rules.length === 0) return [...questions]
  const drawn = new Set(
    poolsOf(rules, questions).flatMap((pool, index) => shuffled(pool).slice(0, rules[index]?.count)),
  )
  return questions.filter((question) => drawn.has(question))
}

/** In a random order. */
export function shuffled<T>(things: readonly T[]): T[] {
  return things
    .map((thing) => ({ thing, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ thing }) => thing)
}
