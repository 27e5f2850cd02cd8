import type { QuestionFields } from '../../../schemas/questions.schemas.ts'
import { foldTag } from './question-tags.ts'
import type { QuestionRow, QuestionValues } from './questions.store.ts'

/** A question as columns of the table. */
export function toValues(
  examId: number,
  question: QuestionFields,
  keptDraw: QuestionRow['keptDraw'] = null,
): QuestionValues {
  const { tolerance } = question
  return {
    examId,
    questionText: question.question_text,
    optionA: question.option_a,
    optionB: question.option_b,
    optionC: question.option_c,
    optionD: question.option_d,
    moreOptions: question.more_options,
    correctAnswer: question.correct_answer,
    parts: question.parts,
    questionType: question.question_type,
    explanation: question.explanation,
    tags: question.tags,
    tagKeys: question.tags.map(foldTag),
    imagePath: question.image_path,
    imageAlt: question.image_alt,
    positiveMarks: question.positive_marks,
    negativeMarks: question.negative_marks,
    tolerance: typeof tolerance === 'number' ? tolerance : 0,
    toleranceIs: typeof tolerance === 'number' ? null : tolerance,
    variables: question.variables,
    conditions: question.conditions,
    keptDraw,
  }
}

/** What a teacher wrote of it, and may change. */
export function toFields(row: QuestionRow): QuestionFields {
  return {
    question_text: row.questionText,
    option_a: row.optionA,
    option_b: row.optionB,
    option_c: row.optionC,
    option_d: row.optionD,
    more_options: row.moreOptions,
    correct_answer: row.correctAnswer,
    parts: row.parts,
    question_type: row.questionType,
    explanation: row.explanation,
    tags: row.tags,
    image_path: row.imagePath,
    image_alt: row.imageAlt,
    positive_marks: row.positiveMarks,
    negative_marks: row.negativeMarks,
    tolerance: row.toleranceIs ?? row.tolerance,
    variables: row.variables,
    conditions: row.conditions,
  }
}
