import type { Role } from '../../../schemas/auth.schemas.ts'

/** Fields whose own name says little to a reader of the log. */
const NAMES: Record<string, string> = {
  category_id: 'category',
  class_ids: 'classes',
  exam_id: 'exam',
  is_published: 'whether it is published',
  open_for_practice: 'whether it can be practised',
  lock_help: 'whether help is locked',
  watch_page: 'whether it is watched who has the paper in view',
  msq_scoring: 'scoring of several correct options',
  result_mode: 'when results are shown',
  draw: 'drawn questions',
  shuffle: 'order of questions and options',
  image_path: 'image',
  image_alt: 'description of the image',
  opens_at: 'opening',
  closes_at: 'closing',
  parts: 'answers',
}

/** `Changed: name, negative marks` */
export function describeChanged(fields: readonly string[]): string {
  return `Changed: ${fields.map(inWords).join(', ')}`
}

/** `negative_marks` and `negativeMarks` as `negative marks` */
export function inWords(name: string): string {
  return NAMES[name] ?? name.replaceAll('_', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

const ROLES: Record<Role, string> = {
  user: 'student',
  admin: 'administrator',
  'user,admin': 'student and administrator',
}

export function describeRole(role: Role | undefined): string {
  return role === undefined ? 'nobody' : ROLES[role]
}
