import type { Describe } from '../../../components/forms/changes.ts'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { list, number } from '../../../format.ts'
import { t } from '../../../texts.ts'
import type { WrittenFields } from './written-question.ts'

const LABELS: Record<keyof WrittenFields, string> = {
  question_type: t('Type'),
  question_text: t('Question'),
  option_a: t('Option {letter}', { letter: 'A' }),
  option_b: t('Option {letter}', { letter: 'B' }),
  option_c: t('Option {letter}', { letter: 'C' }),
  option_d: t('Option {letter}', { letter: 'D' }),
  more_options: t('Options'),
  correct_answer: t('Correct answer'),
  parts: t('Key'),
  tolerance: t('Tolerance'),
  explanation: t('Explanation'),
  tags: t('Tags'),
  variables: t('Variables'),
  conditions: t('Conditions'),
  image_path: t('Image'),
  image_alt: t('What the image shows'),
  positive_marks: t('Marks for a correct answer'),
  negative_marks: t('Marks off for an incorrect one'),
}

/** The fields of a question that is being written, in words. */
export function describeFields(written: TeacherQuestion): Describe<WrittenFields> {
  return {
    label: (name) => LABELS[name],
    value: (name, value, version) => {
      if (value === null || value === undefined || value === '') return t('None')
      if (name === 'question_type') return kindOf(value as TeacherQuestion['question_type']).name
      if (name === 'correct_answer' || name === 'parts') return describeKey({ ...written, ...version })
      if (Array.isArray(value)) return value.length === 0 ? t('None') : list(value.map(nameOf))
      return typeof value === 'number' ? number(value) : String(value)
    },
  }
}

/** A variable by its name. */
function nameOf(entry: unknown): string {
  return typeof entry === 'object' && entry !== null && 'name' in entry ? String(entry.name) : String(entry)
}

function describeKey(question: TeacherQuestion): string {
  const kind = kindOf(question.question_type)
  const { correct, ...shown } = kind.show(question)
  if (correct === null) return t('No key')
  return kind.describeKey?.(question) ?? kind.describe({ ...question, ...shown, id: 0 }, correct)
}
