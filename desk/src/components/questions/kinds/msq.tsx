import { t } from '../../../texts.ts'
import type { AnswerChange, AnswerProps, QuestionKind } from '../kind.ts'
import { describeLetters, hasOption, OptionsAnswer, OptionsReview, shownLetters } from './options.tsx'

/** Chooses an option, or no longer if it was chosen. */
const toggle =
  (letter: string): AnswerChange =>
  (before) => {
    const chosen = new Set(Array.isArray(before) ? before : [])
    if (!chosen.delete(letter)) chosen.add(letter)
    return chosen.size > 0 ? [...chosen].sort() : null
  }

function Answer(props: AnswerProps) {
  return (
    <OptionsAnswer
      {...props}
      type="checkbox"
      legend="Choose all that are correct"
      toggle={(letter) => props.change(toggle(letter))}
    />
  )
}

/** One or more right options. */
export const msq: QuestionKind = {
  name: t('Several correct options'),
  Answer,
  Review: OptionsReview,
  chooseLetter: (question, letter) => (hasOption(question, letter) ? toggle(letter) : undefined),
  describe: describeLetters,
  show: (question) => ({
    parts: null,
    option_order: shownLetters(question),
    correct: question.correct_answer === '' ? null : question.correct_answer.split(','),
  }),
}
