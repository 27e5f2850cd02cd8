import { t } from '../../texts.ts'
import { RichText } from '../rich-text/rich-text.tsx'
import { summaryOf } from '../rich-text/summary.ts'

/** The text of a question on a line of a list. */
export function QuestionSummary({ text }: { text: string }) {
  return <RichText text={summaryOf(text) || t('A question that is an image')} kind="summary" />
}
