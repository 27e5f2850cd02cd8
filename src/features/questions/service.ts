import type {
  BulkMarksBody,
  OfferedQuestion,
  Question,
  QuestionFields,
  QuestionForm,
} from '../../../schemas/questions.ts'
import type { Core } from '../../core.ts'
import { AppError, invalidField } from '../../errors.ts'
import { offsetOf } from '../../paging.ts'
import { fileUrl } from '../uploads/addresses.ts'
import { type CheckedQuestion, checkNumber, checkQuestion, isQuestionType } from './question.ts'
import * as store from './store.ts'

/** Questions on a page of the administrators' list. */
export const QUESTIONS_PER_PAGE = 50

/** One page in the order of their making, of one exam or of all, and how many there are. */
export async function listQuestions(core: Core, examId: number | undefined, page: number) {
  const [rows, total] = await Promise.all([
    store.listQuestions(core.db, examId, QUESTIONS_PER_PAGE, offsetOf(page, QUESTIONS_PER_PAGE)),
    store.countQuestions(core.db, examId),
  ])
  return { questions: rows.map((row) => present(core, row)), total }
}

export async function findQuestion(core: Core, id: number): Promise<Question> {
  const row = await store.findQuestion(core.db, id)
  if (!row) throw new AppError('not_found')
  return present(core, row)
}

/** Its id. 400 where a field is not valid, 404 without such an exam. */
export async function addQuestion(core: Core, examId: number, offered: OfferedQuestion): Promise<number> {
  const question = accept(checkQuestion(offered))
  const [id] = await store.insertQuestions(core.db, [toValues(examId, question)])
  return id as number
}

/** Changes what is given: the question that comes of it is checked as a new one. */
export async function changeQuestion(core: Core, id: number, changes: QuestionForm): Promise<void> {
  const { exam_id, ...fields } = changes
  if (Object.keys(changes).length === 0) throw new AppError('nothing_to_update')
  await core.db.transaction(async (tx) => {
    const current = await store.lockQuestion(tx, id)
    if (!current) throw new AppError('not_found')
    const question = accept(checkQuestion({ ...toFields(current), ...fields }))
    await store.updateQuestion(tx, id, toValues(exam_id ?? current.examId, question))
  })
}

export async function deleteQuestion(core: Core, id: number): Promise<void> {
  if ((await deleteQuestions(core, [id])) === 0) throw new AppError('not_found')
}

/** How many there were; unknown ids are none. */
export async function deleteQuestions(core: Core, ids: number[]): Promise<number> {
  return (await store.deleteQuestions(core.db, ids)).length
}

export interface BulkAdded {
  added: number
  /** Why single entries were left out. */
  errors: string[]
}

/** Adds what is valid. Entries without a text are dropped silently, others that don't fit are named. */
export async function addQuestions(
  core: Core,
  examId: number,
  offered: OfferedQuestion[],
): Promise<BulkAdded> {
  if (!(await store.hasExam(core.db, examId))) throw new AppError('not_found')
  const rows: store.QuestionValues[] = []
  const errors: string[] = []
  for (const [index, each] of offered.entries()) {
    if (!each.question_text?.trim()) continue
    const checked = checkQuestion(each)
    if ('question' in checked) rows.push(toValues(examId, checked.question))
    else errors.push(`Question ${index + 1}: ${checked.field} ${checked.error}`)
  }
  await core.db.transaction((tx) => store.insertQuestions(tx, rows))
  return { added: rows.length, errors }
}

/** Sets the given marks of all questions of a type in an exam; how many they are. */
export async function changeMarks(core: Core, input: BulkMarksBody): Promise<number> {
  const type = input.question_type.toUpperCase()
  if (!isQuestionType(type)) throw invalidField('/question_type', 'is not MCQ, MSQ or NUMERIC')
  const marks: store.Marks = {}
  for (const [field, column] of MARKS) {
    const value = input[field]
    if (value === undefined) continue
    const error = checkNumber(field, value)
    if (error) throw invalidField(`/${field}`, error)
    marks[column] = value
  }
  if (Object.keys(marks).length === 0) throw new AppError('nothing_to_update')
  if (!(await store.hasExam(core.db, input.exam_id))) throw new AppError('not_found')
  return store.updateMarks(core.db, input.exam_id, type, marks)
}

const MARKS = [
  ['positive_marks', 'positiveMarks'],
  ['negative_marks', 'negativeMarks'],
  ['tolerance', 'tolerance'],
] as const

function accept(checked: CheckedQuestion): QuestionFields {
  if ('question' in checked) return checked.question
  throw invalidField(`/${checked.field}`, checked.error)
}

/** As the table's columns. */
export function toValues(examId: number, question: QuestionFields): store.QuestionValues {
  return {
    examId,
    questionText: question.question_text,
    optionA: question.option_a,
    optionB: question.option_b,
    optionC: question.option_c,
    optionD: question.option_d,
    correctAnswer: question.correct_answer,
    questionType: question.question_type,
    imagePath: question.image_path,
    positiveMarks: question.positive_marks,
    negativeMarks: question.negative_marks,
    tolerance: question.tolerance,
  }
}

function toFields(row: store.QuestionRow): QuestionFields {
  return {
    question_text: row.questionText,
    option_a: row.optionA,
    option_b: row.optionB,
    option_c: row.optionC,
    option_d: row.optionD,
    correct_answer: row.correctAnswer,
    question_type: row.questionType,
    image_path: row.imagePath,
    positive_marks: row.positiveMarks,
    negative_marks: row.negativeMarks,
    tolerance: row.tolerance,
  }
}

function present(core: Core, row: store.QuestionRow): Question {
  return {
    id: row.id,
    exam_id: row.examId,
    ...toFields(row),
    image_url: fileUrl(core, row.imagePath),
  }
}
