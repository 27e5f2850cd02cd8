import { RichText } from '../../components/rich-text.tsx'

/** The text of a question, with its image. */
export function QuestionText({
  question,
}: {
  question: { question_text: string; image_url: string | null }
}) {
  return (
    <div class="stack tight">
      {question.question_text && (
        <p class="question-text">
          <RichText text={question.question_text} />
        </p>
      )}
      {question.image_url && (
        <img class="question-image" src={question.image_url} alt="Part of the question" />
      )}
    </div>
  )
}
