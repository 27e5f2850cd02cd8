import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { type Grading, HAS_VARIABLES, type Paper } from '../attempts/paper.ts'
import type { GradedQuestion } from '../attempts/regraded-questions.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { Moments } from './item-statistics.ts'
import type { ChosenAttempt } from './items.store.ts'

/** How many chose it, and the sum of their scores on all other questions. */
export interface ChoiceTally {
  chosen: number
  rest: number
}

/** A wrong text of one gap, or of the whole question. */
export interface WrongText {
  gap?: number
  text: string
  count: number
}

/** What is counted of one question. */
export interface ItemTally {
  /** Pairs of its marks and the score on all other questions. */
  moments: Moments
  omitted: number
  /** The positive marks that could be reached. */
  positive: number
  /** Letters, or values of NUMERIC answers. */
  choices: Map<string, ChoiceTally>
  wrongTexts: Map<string, WrongText>
  /** How many had a prompt or an item right, by its place and text (`nameOfShared`). */
  right: Map<string, { count: number }>
}

/** The outcome of an answer, the same for everybody who gave it. */
interface AnswerOutcome {
  /** Its marks. */
  units: number
  isOmitted: boolean
  choices: ChoiceTally[]
  wrongTexts: WrongText[]
  right: { count: number }[]
}

/** Answers to a paper's questions whose outcomes are remembered: letters, and more texts than people usually give. */
const OUTCOMES_KEPT = 200_000
/** Different wrong texts and numbers that are counted for one exam; further ones are in no list. */
const MOST_TEXTS = 500_000

/** What all papers of an exam share: room for texts and numbers that nobody has given before. */
export class TextRoom {
  #left = MOST_TEXTS

  take(): boolean {
    return this.#left-- > 0
  }
}

interface CountedQuestion {
  id: string
  positive: number
  counter: ReturnType<ReturnType<typeof kindOf>['counter']>
  outcomes: Map<string, AnswerOutcome>
}

/**
 * What is counted over the attempts with one paper, question by question. Marks are taken apart and summed up as whole
 * units, so that equal ones are equal whatever they are made of; each becomes a number only once it is complete.
 */
export class PaperTally {
  readonly paper: Paper
  readonly grading: Grading
  readonly items: ItemTally[]
  /** Scores as they are shown. */
  readonly scores = new Moments()
  /** Sums of the marks, which are not rounded. */
  readonly totals = new Moments()
  /** Whether attempts have different questions of the paper. */
  isDrawn = false
  readonly #unitsPerMark: number
  readonly #room: TextRoom
  #outcomes = 0
  readonly #questions: CountedQuestion[]
  readonly #places: ReadonlyMap<number, number>
  /** The places of all questions. */
  readonly #all: readonly number[]

  /** Of an attempt, where questions have variables. */
  readonly #gradingOf: (seed: string | null) => Grading

  constructor(paper: Paper, inForce: readonly Regrade[], room: TextRoom) {
    const grading = paper.gradedBy(inForce)
    this.paper = paper
    this.grading = grading
    this.#gradingOf = paper.gradingsBy(inForce)
    this.#room = room
    this.#unitsPerMark = Number(grading.key.unitsPerMark)
    this.items = grading.questions.map(newItem)
    this.#questions = grading.questions.map((question) => ({
      id: String(question.id),
      positive: question.ruling === 'drop' ? 0 : Number(question.positive_marks),
      counter: kindOf(question.question_type).counter(question),
      outcomes: new Map(),
    }))
    this.#all = [...this.#questions.keys()]
    this.#places = new Map(grading.questions.map(({ id }, place) => [id, place]))
  }

  add({ answers, seed, drawn, score }: ChosenAttempt): void {
    const own = this.paper.hasVariables ? this.#gradingOf(seed) : undefined
    if (drawn !== null) this.isDrawn = true
    const places = drawn ? drawn.map((id) => this.#places.get(id) ?? -1) : this.#all
    const outcomes = places.map((place) => this.#findOutcome(place, answers, own))
    const total = outcomes.reduce((sum, outcome) => sum + (outcome?.units ?? 0), 0)
    if (score !== null) this.scores.add(score, 0)
    this.totals.add(this.#toMarks(total), 0)
    for (const [index, place] of places.entries()) this.#addItem(place, outcomes[index], total)
  }

  #addItem(place: number, outcome: AnswerOutcome | undefined, total: number): void {
    const question = this.#questions[place]
    const item = this.items[place]
    if (!question || !item || !outcome) return
    const rest = this.#toMarks(total - outcome.units)
    item.moments.add(this.#toMarks(outcome.units), rest)
    item.positive += question.positive
    if (outcome.isOmitted) item.omitted += 1
    for (const choice of outcome.choices) {
      choice.chosen += 1
      choice.rest += rest
    }
    for (const wrong of outcome.wrongTexts) wrong.count += 1
    for (const right of outcome.right) right.count += 1
  }

  #findOutcome(
    place: number,
    answers: ChosenAttempt['answers'],
    own: Grading | undefined,
  ): AnswerOutcome | undefined {
    const question = this.#questions[place]
    const item = this.items[place]
    if (!question || !item) return undefined
    const answer = answers[question.id] ?? ''
    // The same answer is right in one attempt and wrong in another.
    if (own && this.paper.questions[place]?.[HAS_VARIABLES])
      return this.#judge(place, question, item, answer, own)
    const given = typeof answer === 'string' ? answer : answer.join('\0')
    const known = question.outcomes.get(given)
    if (known) return known
    const outcome = this.#judge(place, question, item, answer, this.grading)
    if (this.#outcomes++ < OUTCOMES_KEPT) question.outcomes.set(given, outcome)
    return outcome
  }

  #judge(
    place: number,
    { counter: shared }: CountedQuestion,
    item: ItemTally,
    answer: string | string[],
    grading: Grading,
  ): AnswerOutcome {
    const question = grading.questions[place] as GradedQuestion
    const counter = grading === this.grading ? shared : kindOf(question.question_type).counter(question)
    const isOmitted = !kindOf(question.question_type).isAnswered(question, answer)
    const { choices = [], wrong = [], right = [] } = isOmitted ? {} : counter.count(answer)
    // There are few letters; of texts and numbers there may be as many as answers.
    const room = kindOf(question.question_type).letters(question) === null ? this.#room : undefined
    return {
      units: Number(grading.key.judgeOne(place, answer).units),
      isOmitted,
      choices: choices.flatMap((name) => choiceOf(item, name, room) ?? []),
      wrongTexts: wrong.flatMap((each) => wrongTextOf(item, each, room) ?? []),
      right: right.map((at) => rightOf(item, nameOfShared(at, shared.shared[at] ?? ''))),
    }
  }

  #toMarks(units: number): number {
    return units / this.#unitsPerMark
  }
}

function newItem(): ItemTally {
  return {
    moments: new Moments(),
    omitted: 0,
    positive: 0,
    choices: new Map(),
    wrongTexts: new Map(),
    right: new Map(),
  }
}

/** Adds what the other has counted. */
export function mergeItem(item: ItemTally, other: ItemTally): void {
  item.moments.merge(other.moments)
  item.omitted += other.omitted
  item.positive += other.positive
  for (const [name, { chosen, rest }] of other.choices) {
    const choice = entryOf(item.choices, name, newChoice)
    choice.chosen += chosen
    choice.rest += rest
  }
  for (const [name, wrong] of other.wrongTexts)
    entryOf(item.wrongTexts, name, () => ({ ...wrong, count: 0 })).count += wrong.count
  for (const [name, { count }] of other.right) rightOf(item, name).count += count
}

function newChoice(): ChoiceTally {
  return { chosen: 0, rest: 0 }
}

/** undefined where it is new and there is no room for it. */
function choiceOf({ choices }: ItemTally, name: string, room: TextRoom | undefined): ChoiceTally | undefined {
  return choices.has(name) || !room || room.take() ? entryOf(choices, name, newChoice) : undefined
}

/** undefined where the text is new and there is no room for it. */
function wrongTextOf(
  { wrongTexts }: ItemTally,
  { gap, text }: Omit<WrongText, 'count'>,
  room: TextRoom | undefined,
): WrongText | undefined {
  const name = `${gap}/${text}`
  if (!wrongTexts.has(name) && room && !room.take()) return undefined
  return entryOf(wrongTexts, name, () => ({ ...(gap === undefined ? {} : { gap }), text, count: 0 }))
}

function rightOf({ right }: ItemTally, name: string): { count: number } {
  return entryOf(right, name, () => ({ count: 0 }))
}

export function nameOfShared(place: number, text: string): string {
  return `${place}/${text}`
}

function entryOf<T>(entries: Map<string, T>, name: string, create: () => T): T {
  let entry = entries.get(name)
  if (entry === undefined) {
    entry = create()
    entries.set(name, entry)
  }
  return entry
}
