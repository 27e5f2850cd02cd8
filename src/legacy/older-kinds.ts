import type { QuestionType } from '../../schemas/common.ts'
import type { OfferedQuestion } from '../../schemas/questions.schemas.ts'
import { HAS_VARIABLES } from '../features/attempts/paper.ts'
import { checkQuestion, type QuestionCheck, textOf } from '../features/questions/question-checks.ts'

/** The types of questions that the older generation knows. */
const OLDER_TYPES: readonly string[] = ['MCQ', 'MSQ', 'NUMERIC']

/** Whether the older generation can show and grade the question. */
export function isKnownToOlder(question: {
  question_type: QuestionType
  more_options: readonly string[]
  variables?: readonly unknown[] | undefined
  [HAS_VARIABLES]?: true
}): boolean {
  if ((question.variables?.length ?? 0) > 0 || question[HAS_VARIABLES]) return false
  return OLDER_TYPES.includes(question.question_type) && question.more_options.length === 0
}

/** A type of questions as it was given; where the older generation doesn't know it, what is no type for the newer one. */
export function readType(given: OfferedQuestion['question_type']): string {
  const type = textOf(given)
  return type === '' || OLDER_TYPES.includes(type.toUpperCase()) ? type : 'none'
}

/** Takes only questions that the older generation knows. */
export const checkOlder: QuestionCheck = (offered, options) => {
  const checked = checkQuestion({ ...offered, question_type: readType(offered.question_type) }, options)
  if ('question' in checked) {
    if (isKnownToOlder(checked.question)) return checked
    const field = checked.question.variables.length > 0 ? 'variables' : 'more_options'
    const error =
      field === 'variables'
        ? 'must be empty: this generation has none'
        : 'must be empty: this generation has four options'
    return { errors: [{ field, error }] }
  }
  const errors = checked.errors.map((each) =>
    each.field === 'question_type' ? { ...each, error: `is not one of ${OLDER_TYPES.join(', ')}` } : each,
  )
  return { errors }
}
