import type { GradedQuestion } from '../../attempts/grading/regraded-questions.ts'
import type { Grading, Paper } from '../../attempts/papers/service.ts'
import { isAnswered, type Verdict, writeNumber } from '../../attempts/scoring.ts'
import { Moments } from './statistics.ts'
import type { ChosenAttempt } from './store.ts'

/** How many chose it, and the sum of their scores on all other questions, in steps. */
export interface Choice {
  chosen: number
  rest: number
}

/** What is counted of one question. Marks are whole numbers of steps: nothing is rounded while it is summed up. */
export interface ItemTally {
  /** Pairs of its marks and the score on all other questions. */
  moments: Moments
  omitted: number
  /** The positive marks that could be reached. */
  positive: number
  /** Letters, or values of NUMERIC answers. */
  choices: Map<string, Choice>
}

/** The outcome of an answer, the same for everybody who gave it. */
interface Outcome {
  /** In steps. */
  marks: number
  isOmitted: boolean
  choices: Choice[]
}

/** Answers to one question whose outcomes are remembered: letters, and more numbers than people usually give. */
const OUTCOMES_KEPT = 10_000

/** What is counted over the attempts with one paper, question by question. */
export class PaperTally {
  readonly paper: Paper
  readonly grading: Grading
  readonly items: ItemTally[]
  readonly totals = new Moments()
  readonly #steps: number
  readonly #questions: { id: string; positive: number; outcomes: Map<string, Outcome> }[]

  constructor(paper: Paper, grading: Grading, steps: number) {
    this.paper = paper
    this.grading = grading
    this.#steps = steps
    this.items = grading.questions.map(newItem)
    this.#questions = grading.questions.map(({ id, ruling, positive_marks }) => ({
      id: String(id),
      positive: ruling === 'drop' ? 0 : this.#toSteps(Number(positive_marks)),
      outcomes: new Map(),
    }))
  }

  add({ answers, score }: ChosenAttempt): void {
    const total = this.#toSteps(score)
    this.totals.add(total, 0)
    for (const [index, { id, positive, outcomes }] of this.#questions.entries()) {
      const item = this.items[index] as ItemTally
      const answer = answers[id] ?? ''
      const given = typeof answer === 'string' ? answer : answer.join('')
      const outcome = outcomes.get(given) ?? this.#judge(index, given, answer)
      const rest = total - outcome.marks
      item.moments.add(outcome.marks, rest)
      item.positive += positive
      if (outcome.isOmitted) item.omitted += 1
      for (const choice of outcome.choices) {
        choice.chosen += 1
        choice.rest += rest
      }
    }
  }

  #judge(index: number, given: string, answer: string | string[]): Outcome {
    const item = this.items[index] as ItemTally
    const question = this.grading.questions[index] as GradedQuestion
    const { verdict, marks } = this.grading.key.judgeOne(index, answer)
    const isOmitted = !isAnswered(question.question_type, answer)
    const names = isOmitted ? [] : namesOf(question, verdict, answer)
    const outcome = {
      marks: this.#toSteps(marks),
      isOmitted,
      choices: names.map((name) => choiceOf(item, name)),
    }
    const { outcomes } = this.#questions[index] as { outcomes: Map<string, Outcome> }
    if (outcomes.size < OUTCOMES_KEPT) outcomes.set(given, outcome)
    return outcome
  }

  #toSteps(marks: number): number {
    return Math.round(marks * this.#steps)
  }
}

/** The letters of a choice, or the value of a number that is wrong. */
function namesOf(question: GradedQuestion, verdict: Verdict, answer: string | string[]): string[] {
  if (question.question_type !== 'NUMERIC') return [...answer]
  return isWrong(question, verdict, String(answer)) ? [writeNumber(String(answer))] : []
}

/** By the current key, also for questions whose marks a regrade has given to everybody or dropped. */
function isWrong(question: GradedQuestion, verdict: Verdict, answer: string): boolean {
  return question.ruling === 'by_key'
    ? verdict === 'incorrect'
    : writeNumber(answer) !== writeNumber(question.correct_answer)
}

export function newItem(): ItemTally {
  return { moments: new Moments(), omitted: 0, positive: 0, choices: new Map() }
}

/** Adds what the other has counted. */
export function mergeItem(item: ItemTally, other: ItemTally): void {
  item.moments.merge(other.moments)
  item.omitted += other.omitted
  item.positive += other.positive
  for (const [name, { chosen, rest }] of other.choices) {
    const choice = choiceOf(item, name)
    choice.chosen += chosen
    choice.rest += rest
  }
}

function choiceOf({ choices }: ItemTally, name: string): Choice {
  let choice = choices.get(name)
  if (!choice) {
    choice = { chosen: 0, rest: 0 }
    choices.set(name, choice)
  }
  return choice
}
