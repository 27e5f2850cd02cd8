import './questions.css'
import type { QuestionEditor } from './editor.ts'
import type { QuestionType } from './kind.ts'
import { formulaEditor } from './kinds/formula-editor.tsx'
import { gapsEditor } from './kinds/gaps-editor.tsx'
import { matchingEditor } from './kinds/matching-editor.tsx'
import { numericEditor } from './kinds/numeric-editor.tsx'
import { mcqEditor, msqEditor } from './kinds/options-editor.tsx'
import { orderingEditor } from './kinds/ordering-editor.tsx'
import { shortEditor } from './kinds/short-editor.tsx'

/** Apart from `kinds.ts`, since students don't load them. */
const EDITORS: Record<QuestionType, QuestionEditor> = {
  MCQ: mcqEditor,
  MSQ: msqEditor,
  NUMERIC: numericEditor,
  SHORT: shortEditor,
  MATCHING: matchingEditor,
  ORDERING: orderingEditor,
  GAPS: gapsEditor,
  FORMULA: formulaEditor,
}

export function editorOf(type: QuestionType): QuestionEditor {
  return EDITORS[type]
}
