import type { DrawGap } from '../rich-text/gap-marks.tsx'
import { RichText } from '../rich-text/rich-text.tsx'
import type { Asked } from './kind.ts'

interface QuestionTextProps {
  question: Pick<Asked, 'question_text' | 'image_url'>
  /** Draws what stands in place of `[[1]]` and so on. */
  gap?: DrawGap
}

/** The text of a question, with its image. */
export function QuestionText({ question, gap }: QuestionTextProps) {
  return (
    <div class="stack tight">
      {question.question_text && <RichText class="question-text" text={question.question_text} gap={gap} />}
      {question.image_url && (
        <img class="question-image" src={question.image_url} alt="Part of the question" />
      )}
    </div>
  )
}
