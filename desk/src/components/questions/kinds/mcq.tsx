import { t } from '../../../texts.ts'
import type { AnswerProps, QuestionKind } from '../kind.ts'
import { describeLetters, hasOption, OptionsAnswer, OptionsReview, shownLetters } from './options.tsx'

function Answer(props: AnswerProps) {
  return (
    <OptionsAnswer
      {...props}
      type="radio"
      legend="Choose one"
      toggle={(letter) => props.change(() => letter)}
    />
  )
}

/** One right option. */
export const mcq: QuestionKind = {
  name: t('One correct option'),
  Answer,
  Review: OptionsReview,
  chooseLetter: (question, letter) => (hasOption(question, letter) ? () => letter : undefined),
  describe: describeLetters,
  show: (question) => ({
    parts: null,
    option_order: shownLetters(question),
    correct: question.correct_answer || null,
  }),
}
