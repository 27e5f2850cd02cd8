import { createRouter } from '@nanostores/router'
import { computed } from 'nanostores'

export const $router = createRouter({
  home: '/desk',
  whatIsNew: '/desk/new',
  exams: '/desk/exams',
  exam: '/desk/exams/:id',
  /** The address to which the service sends a student who starts an exam. */
  start: '/exam/:id',
  result: '/desk/results/:id',
  classes: '/desk/classes',
  /** Where links and codes lead, with `?code=`. */
  joinClass: '/desk/classes/join',
  class: '/desk/classes/:id/:tab?',
  classExam: '/desk/classes/:id/exams/:exam/:tab',
  classAttempt: '/desk/classes/:id/attempts/:attempt',
  progress: '/desk/progress',
  practice: '/desk/practice',
  /** With `?exam=`, `?tag=` or `?attempt=`. */
  practiceCards: '/desk/practice/cards',
  tutor: '/desk/tutor/:id?',
  chat: '/desk/chat/:id?',
  people: '/desk/people',
  notes: '/desk/notes',
  printNotebook: '/desk/notes/:id/print',
  notebook: '/desk/notes/:id/:page?',
  library: '/desk/library',
  publicNotebook: '/desk/library/:id/:page?',
  account: '/desk/account',
  teach: '/desk/teach',
  teachExams: '/desk/teach/exams',
  trial: '/desk/teach/exams/:id/trial',
  teachExam: '/desk/teach/exams/:id/:tab?',
  attempt: '/desk/teach/attempts/:attempt',
  teachClasses: '/desk/teach/classes',
  allQuestions: '/desk/teach/questions',
  question: '/desk/teach/questions/:exam/:id',
  generate: '/desk/teach/generate',
  job: '/desk/teach/generate/:id',
  aiUsage: '/desk/teach/ai-usage',
  analytics: '/desk/teach/analytics',
  challenges: '/desk/teach/challenges',
  users: '/desk/teach/users',
  newUsers: '/desk/teach/users/new',
  allowances: '/desk/teach/allowances',
  requests: '/desk/teach/requests',
  categories: '/desk/teach/categories',
  reports: '/desk/teach/reports',
  audit: '/desk/teach/audit',
})

export type RouteName = NonNullable<ReturnType<typeof $router.get>>['route']

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  $router.open(path, how === 'replace')
}

let renamed: string | undefined

/** Gives the view another address, and leaves it as it is, with the focus where it is. */
export function renameView(path: string, how: 'push' | 'replace' = 'replace'): void {
  renamed = path
  go(path, how)
}

/** Whether a new path is only another address of the view: said once. */
export function takeRenaming(path: string | undefined): boolean {
  const is = path !== undefined && path === renamed
  renamed = undefined
  return is
}

/** The query of the address: lists keep their search and page there, so that going back restores them. */
export const $query = computed($router, (page) => (page?.search ?? {}) as Record<string, string>)

export function setQuery(changes: Record<string, string | number | undefined>): void {
  const query = new URLSearchParams($query.get())
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, String(value))
  go(`${location.pathname}${query.size > 0 ? `?${query}` : ''}`, 'replace')
}
