import type { ComponentType } from 'preact'
import { t } from '../../texts.ts'
import type { TeacherQuestion } from './kind.ts'

/** What a kind's editor edits of a question. */
export type QuestionContent = Pick<
  TeacherQuestion,
  | 'question_type'
  | 'option_a'
  | 'option_b'
  | 'option_c'
  | 'option_d'
  | 'more_options'
  | 'correct_answer'
  | 'tolerance'
  | 'parts'
  | 'variables'
  | 'conditions'
>

export interface EditorProps {
  content: QuestionContent
  change: (changes: Partial<QuestionContent>) => void
  /** Only what is right can be changed, as in a regrade: what students see stays. */
  isKeyOnly: boolean
  /** The question's text, and how to change it by the place of the cursor in it; for kinds whose text has marks. */
  text: string
  editText: (edit: (text: string, cursor: number) => string) => void
}

/** What speaks against a question: `wrong` keeps it from being saved, `doubtful` is asked about. */
export interface Problems {
  wrong: string[]
  doubtful: string[]
}

/** How questions of a kind are written. */
export interface QuestionEditor {
  Editor: ComponentType<EditorProps>
  hasOptions: boolean
  /** Key and parts for a question that was of another kind: what this one can't use is replaced. */
  adopt(content: QuestionContent): Pick<QuestionContent, 'correct_answer' | 'parts'>
  findProblems(question: TeacherQuestion): Problems
}

/**
 * For radio buttons, which need a name to be a group: their draft is the whole content's, so the form's leaves them
 * out.
 */
export const NOT_IN_FORM = { form: '' }

export const NO_KEY = t('The question has no correct answer, so nobody can get marks for it.')

/** The problem of texts that are empty, by the names of their fields. */
export function findEmpty(fields: readonly (readonly [name: string, text: string])[]): string[] {
  return fields.flatMap(([name, text]) =>
    text.trim() === '' ? [t('{field} is empty.', { field: name })] : [],
  )
}
