import type { NextCard, ReviewResult } from '@exam-practice/client/practice'
import { kindOf } from '../../components/questions/kinds.ts'
import { t } from '../../texts.ts'

type JudgedReview = Extract<ReviewResult, { outcome: string }>

/** Leaves room for what is asked about it. */
const MOST = 6_000

/** A practised question in words, for the tutor. */
export function toMaterial(question: NextCard['question'], given: unknown, judged: JudgedReview): string {
  const { describe } = kindOf(question.question_type)
  const { option_a, option_b, option_c, option_d, more_options } = question
  const options = [option_a, option_b, option_c, option_d, ...more_options].flatMap((text, index) =>
    text === '' ? [] : `${String.fromCharCode(65 + index)}: ${text}`,
  )
  const answer = typeof given === 'string' || Array.isArray(given) ? given : ''
  return [
    t('Question: {text}', { text: question.question_text }),
    ...options,
    t('Correct answer: {answer}', { answer: describe(question, judged.correct) }),
    t('My answer: {answer}', { answer: answer.length === 0 ? '–' : describe(question, answer) }),
    ...(judged.explanation === '' ? [] : [t('Explanation: {text}', { text: judged.explanation })]),
  ]
    .join('\n')
    .slice(0, MOST)
}
