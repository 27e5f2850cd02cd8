import type { Problems } from '../../../components/questions/editor.ts'
import { editorOf } from '../../../components/questions/editors.ts'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { t } from '../../../texts.ts'

/** What speaks against a question, its kind's own problems included. */
export function findProblems(question: TeacherQuestion): Problems {
  const { wrong, doubtful } = editorOf(question.question_type).findProblems(question)
  const isEmpty = question.question_text.trim() === '' && !question.image_path
  return {
    wrong: [...(isEmpty ? [t('The question has neither a text nor an image.')] : []), ...wrong],
    doubtful,
  }
}
