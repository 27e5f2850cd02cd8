import './questions.css'
import { t } from '../../texts.ts'
import { RichText } from '../rich-text/rich-text.tsx'
import type { ReviewProps } from './kind.ts'
import { kindOf } from './kinds.ts'
import { imagesOf } from './question-text.tsx'

interface ReviewedQuestionProps extends Omit<ReviewProps, 'givenName'> {
  /** Why the right answer is right; '' for none. */
  explanation: string
  givenName?: string
}

/** A question with the answer that was given, the right one, and why it is right. */
export function ReviewedQuestion({
  explanation,
  givenName = t('Your answer'),
  ...props
}: ReviewedQuestionProps) {
  const { Review } = kindOf(props.question.question_type)
  return (
    <>
      <Review {...props} givenName={givenName} />
      {explanation !== '' && (
        <div class="explanation">
          <p class="label">Explanation</p>
          <RichText text={explanation} images={imagesOf(props.question)} />
        </div>
      )}
    </>
  )
}
