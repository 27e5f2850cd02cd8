import { t } from '../../texts.ts'
import type { DrawMark } from '../rich-text/drawn-marks.tsx'
import type { Images } from '../rich-text/markdown.tsx'
import { RichText } from '../rich-text/rich-text.tsx'
import { optionTexts, type StudentQuestion, type WithOptions } from './kind.ts'

type QuestionImage = Pick<StudentQuestion, 'image_path' | 'image_url'>

/** The question's image by its key, for texts that name it: no other one is signed. */
export function imagesOf({ image_path, image_url }: QuestionImage): Images | undefined {
  return image_path && image_url ? { [image_path]: image_url } : undefined
}

interface QuestionTextProps {
  question: QuestionImage & WithOptions & Pick<StudentQuestion, 'question_text' | 'image_alt'>
  /** Draws what stands in place of `[[1]]` and so on. */
  gap?: DrawMark
}

/** The text of a question, with its image below it, unless it or an option has it where it belongs. */
export function QuestionText({ question, gap }: QuestionTextProps) {
  const { question_text: text, image_path: path, image_url: address } = question
  const isPlaced = [text, ...optionTexts(question)].some((each) => each.includes(`](${path})`))
  return (
    <div class="stack tight">
      {text && <RichText class="question-text" text={text} images={imagesOf(question)} gap={gap} />}
      {address && !isPlaced && (
        <img class="question-image" src={address} alt={question.image_alt || t('Part of the question')} />
      )}
    </div>
  )
}
