import { t } from '../../../texts.ts'

/** What an account may be, with the names of it. */
export const ROLES = [
  ['user', t('Student')],
  ['admin', t('Teacher')],
  ['user,admin', t('Both')],
] as const

export const nameOfRole = (role: string) => ROLES.find(([value]) => value === role)?.[1] ?? role
