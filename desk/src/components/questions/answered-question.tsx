import './questions.css'
import type { AnswerProps } from './kind.ts'
import { kindOf } from './kinds.ts'

/** A question with the means to answer it. */
export function AnsweredQuestion(props: AnswerProps) {
  const { Answer } = kindOf(props.question.question_type)
  return <Answer key={props.question.id} {...props} />
}
