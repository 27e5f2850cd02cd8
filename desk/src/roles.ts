import type { User } from '@exam-practice/client'
import { t } from './texts.ts'

/** What an account may be, with the names of it. */
export const ROLES = [
  ['user', t('Student')],
  ['admin', t('Administrator')],
  ['user,admin', t('Both')],
] as const

/** Somebody who teaches a class may have the role `user`. */
export const isAdministrator = ({ role }: Pick<User, 'role'>) => role !== 'user'

export const nameOfRole = (role: string) => ROLES.find(([value]) => value === role)?.[1] ?? role
