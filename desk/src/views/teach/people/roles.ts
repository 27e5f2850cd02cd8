/** What an account may be, with the names of it. */
export const ROLES = [
  ['user', 'Student'],
  ['admin', 'Teacher'],
  ['user,admin', 'Both'],
] as const

export const nameOfRole = (role: string) => ROLES.find(([value]) => value === role)?.[1] ?? role
