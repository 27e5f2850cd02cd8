/** What an account may be, with the names of it. */
export const ROLES = [
  ['user', 'Student'],
  ['admin', 'Teacher'],
  ['user,admin', 'Both'],
] as const
