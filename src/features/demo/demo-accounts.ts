import type { Core } from '../../core.ts'
import { text } from '../../formats/translations.ts'

export const DEMO_PASSWORD = 'practice-demo'

/** The accounts that anybody may use, and what each one shows. */
export const DEMO_PEOPLE = [
  { username: 'alice', what: text('a student') },
  { username: 'bob', what: text('another student') },
  { username: 'admin', what: text('a teacher and administrator') },
]

/**
 * Whether this password is no longer one: a service that was tried with demo accounts may have gone public with the
 * same database.
 */
export function isOutdatedDemo({ config }: Core, username: string, password: string): boolean {
  return !config.demo && password === DEMO_PASSWORD && DEMO_PEOPLE.some((one) => one.username === username)
}
