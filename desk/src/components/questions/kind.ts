import type { Answer as GivenAnswer, PaperQuestion } from '@exam-practice/client/exam'
import type { ComponentType } from 'preact'
import type { Answer } from '../../client.ts'

export type { GivenAnswer }
export type QuestionType = PaperQuestion['question_type']

/** A question as students get it: in an exam, in a review, in practice, and in the preview of whoever writes it. */
export type StudentQuestion = Pick<
  PaperQuestion,
  | 'id'
  | 'question_type'
  | 'question_text'
  | 'image_path'
  | 'image_alt'
  | 'image_url'
  | 'option_a'
  | 'option_b'
  | 'option_c'
  | 'option_d'
  | 'more_options'
  | 'option_order'
  | 'parts'
>

/** A question as teachers write it; a new one has no id yet. */
export type TeacherQuestion = Omit<Answer<'/api/v01/admin/questions/{id}', 'get'>['question'], 'id'>

/** What students get of a written question, and the right answer in their form. */
export type QuestionPreview = Pick<StudentQuestion, 'parts' | 'option_order'> & {
  correct: GivenAnswer | null
}

/** Makes the next answer of the present one; null clears it. */
export type AnswerChange = (before: GivenAnswer | undefined) => GivenAnswer | null

export interface AnswerProps {
  question: StudentQuestion
  answer: GivenAnswer | undefined
  /** Keys and clicks can come faster than the page is drawn, so a change is made of the latest answer. */
  change: (next: AnswerChange) => void
  isReadOnly: boolean
}

export interface ReviewProps {
  question: StudentQuestion & {
    correct_answer: string
    tolerance: number
  }
  /** null: none */
  given: GivenAnswer | null
  /** In the form of an answer; null: there is no key, or it isn't shown. */
  correct: GivenAnswer | null
  /** What the given answer is called. */
  givenName: string
}

/**
 * A kind of question in the desk: all that depends on `question_type` is in a file of its own here. The components draw
 * the question's text as well, since an answer can stand within it.
 */
export interface QuestionKind {
  /** What teachers call it. */
  name: string
  /** The question with the means to answer it. */
  Answer: ComponentType<AnswerProps>
  /** The question with the answer that was given, and the right one. */
  Review: ComponentType<ReviewProps>
  /** What a key press of a letter changes; undefined where letters choose nothing. */
  chooseLetter?: (question: StudentQuestion, letter: string) => AnswerChange | undefined
  /** Whether an answer counts as one; undefined where all do. */
  isComplete?: (question: StudentQuestion, answer: GivenAnswer) => boolean
  /** An answer in words. */
  describe(question: StudentQuestion, answer: GivenAnswer): string
  /** The whole key in words, where it takes more than the right answer. */
  describeKey?(question: Omit<TeacherQuestion, 'exam_id'>): string
  /**
   * What students get of a question that is being written, which may be unfinished. Choices are in alphabetical order
   * instead of a shuffled one, so that they stay where they are while somebody types.
   */
  show(question: Omit<TeacherQuestion, 'exam_id'>): QuestionPreview
}

export type WithOptions = Pick<
  TeacherQuestion,
  'option_a' | 'option_b' | 'option_c' | 'option_d' | 'more_options'
>

/** The texts of options A, B, C, …; some may be empty. */
export function optionTexts(question: WithOptions): string[] {
  const { option_a, option_b, option_c, option_d, more_options } = question
  return [option_a, option_b, option_c, option_d, ...more_options]
}

/** Different texts with ids. */
export function toChoices(texts: readonly string[]): { id: string; text: string }[] {
  const sorted = [...new Set(texts)].sort((one, other) => one.localeCompare(other))
  return sorted.map((text, index) => ({ id: String(index + 1), text }))
}

/** The entries of an answer that has one for each part of its question. */
export function entriesOf(answer: GivenAnswer | null | undefined, count: number): string[] {
  return Array.from({ length: count }, (_, index) => (Array.isArray(answer) ? (answer[index] ?? '') : ''))
}

/** An answer of entries with another one of them; none where all are empty. */
export function withEntry(
  before: GivenAnswer | undefined,
  count: number,
  index: number,
  entry: string,
): GivenAnswer | null {
  const next = entriesOf(before, count).with(index, entry)
  return next.every((each) => each === '') ? null : next
}

/** Whether a question has no key yet, so that nobody can get marks for it. */
export function lacksKey({
  correct_answer,
  parts,
}: Pick<TeacherQuestion, 'correct_answer' | 'parts'>): boolean {
  return correct_answer === '' && parts === null
}
