import type { Answers, StoredAnswer, StoredQuestion } from '../../db/tables/attempts.tables.ts'
import type { Task } from '../questions/kinds/kind.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { shuffled } from '../questions/kinds/opaque-ids.ts'
import type { AttemptRow } from './attempts.store.ts'
import type { Paper } from './paper.ts'

/** What an attempt has of its own beside its paper, fixed at its start (docs/protocol/questions.md). */
export type Sitting = Pick<AttemptRow, 'seed' | 'shuffle' | 'drawn'>

/** Whether every student with this paper gets it like this. */
export function isNatural({ shuffle, drawn }: Sitting): boolean {
  return shuffle === null && drawn === null
}

/** Papers that are shown as they are, in no attempt, have no seed, and nothing that would need one. */
export function seedOf({ seed }: Pick<Sitting, 'seed'>): string {
  return seed ?? ''
}

/** Tells which questions of its paper an attempt has. */
export function givenBy({ drawn }: Pick<Sitting, 'drawn'>): (questionId: number) => boolean {
  if (drawn === null) return () => true
  const given = new Set(drawn)
  return (questionId) => given.has(questionId)
}

/** The places in the paper of the attempt's questions, in its own order. */
export function placesOf(paper: Paper, sitting: Sitting): number[] {
  const isGiven = givenBy(sitting)
  const places = paper.questions.flatMap(({ id }, place) => (isGiven(id) ? [place] : []))
  const isShuffled = sitting.shuffle === 'questions' || sitting.shuffle === 'both'
  return isShuffled ? shuffled(seedOf(sitting), 'questions', places) : places
}

/** What of a question differs between attempts: the order of its options, and ids of choices. */
export function showOwn(task: StoredQuestion, sitting: Sitting) {
  return {
    option_order: orderOptions(task, sitting),
    parts: kindOf(task.question_type).show(task, seedOf(sitting)),
  }
}

function orderOptions(task: Task & Pick<StoredQuestion, 'question_type'>, sitting: Sitting): string[] | null {
  const letters = kindOf(task.question_type).letters(task)
  const isShuffled = sitting.shuffle === 'options' || sitting.shuffle === 'both'
  return letters && isShuffled ? shuffled(seedOf(sitting), `options/${task.id}`, letters) : letters
}

/** The right answer, in the form of the attempt's answers; null without a key. */
export function showRight(
  task: Task & Pick<StoredQuestion, 'question_type'>,
  sitting: Pick<Sitting, 'seed'>,
): StoredAnswer | null {
  const kind = kindOf(task.question_type)
  const right = kind.rightAnswer(task)
  return right && kind.showAnswer(task, right, seedOf(sitting))
}

/** Stored answers as the attempt's student gave them. */
export function showAnswers(paper: Paper, sitting: Sitting, answers: Answers): Answers {
  if (!paper.hasOwnIds) return answers
  return Object.fromEntries(
    Object.entries(answers).map(([id, answer]) => {
      const task = paper.find(Number(id))
      return [id, task ? showGiven(task, sitting, answer) : answer]
    }),
  )
}

/** A stored answer as the attempt's student gave it. */
export function showGiven(
  task: Task & Pick<StoredQuestion, 'question_type'>,
  sitting: Pick<Sitting, 'seed'>,
  answer: StoredAnswer,
): StoredAnswer {
  return answer.length === 0 ? answer : kindOf(task.question_type).showAnswer(task, answer, seedOf(sitting))
}
