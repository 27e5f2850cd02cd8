import { toFormData } from '../../../client.ts'
import { type FormChanges, pick } from '../../../components/forms/changes.ts'
import type { QuestionContent } from '../../../components/questions/editor.ts'
import { editorOf } from '../../../components/questions/editors.ts'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'

/** A new question. */
export const EMPTY: TeacherQuestion = {
  exam_id: 0,
  question_text: '',
  option_a: '',
  option_b: '',
  option_c: '',
  option_d: '',
  more_options: [],
  correct_answer: '',
  parts: null,
  explanation: '',
  tags: [],
  question_type: 'MCQ',
  image_path: null,
  image_alt: '',
  image_url: null,
  positive_marks: 4,
  negative_marks: 1,
  tolerance: 0,
  variables: [],
  conditions: [],
}

/** What the form edits. */
export type WrittenFields = Partial<Omit<TeacherQuestion, 'exam_id' | 'image_url'>>

export function fieldsOf({ exam_id: _, image_url, ...fields }: TeacherQuestion): WrittenFields {
  return fields
}

const KEY_FIELDS: (keyof WrittenFields)[] = [
  'question_type',
  'correct_answer',
  'tolerance',
  'parts',
  'variables',
  'conditions',
]
/** What a key is one of. */
const CONTENT_FIELDS: (keyof WrittenFields)[] = [
  ...KEY_FIELDS,
  'option_a',
  'option_b',
  'option_c',
  'option_d',
  'more_options',
]

/** Changes as they are sent: a key says something of the options that its writer saw. */
export function withContent(
  { changes, was }: FormChanges<WrittenFields>,
  before: WrittenFields,
): FormChanges<WrittenFields> {
  return { changes, was: isKeyChanged(changes) ? { ...pick(before, CONTENT_FIELDS), ...was } : was }
}

export function isKeyChanged(changes: WrittenFields): boolean {
  return KEY_FIELDS.some((name) => name in changes)
}

export function contentOf(question: TeacherQuestion): QuestionContent {
  const { question_type, option_a, option_b, option_c, option_d, more_options } = question
  const { correct_answer, tolerance, parts, variables, conditions } = question
  return {
    question_type,
    option_a,
    option_b,
    option_c,
    option_d,
    more_options,
    correct_answer,
    tolerance,
    parts,
    variables,
    conditions,
  }
}

/** What is saved of it: a kind without options has none, whatever was written before its type was changed. */
export function clean(content: QuestionContent): QuestionContent {
  const { option_a, option_b, option_c, option_d, more_options } = EMPTY
  return editorOf(content.question_type).hasOptions
    ? content
    : { ...content, option_a, option_b, option_c, option_d, more_options }
}

/** As the service takes it: lists and parts as JSON. */
export function toQuestionForm(fields: WrittenFields & { exam_id?: number; was?: WrittenFields }): FormData {
  const { more_options, tags, parts, variables, conditions, image_path, was, ...plain } = fields
  return toFormData({
    ...plain,
    ...(was && { was: JSON.stringify(was) }),
    ...(image_path === undefined ? {} : { image_path: image_path ?? '' }),
    ...(more_options && { more_options: JSON.stringify(more_options) }),
    ...(tags && { tags: JSON.stringify(tags) }),
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(conditions && { conditions: JSON.stringify(conditions) }),
    ...(parts === undefined ? {} : { parts: parts === null ? '' : JSON.stringify(parts) }),
  })
}
