import type { User } from '@exam-practice/client'
import type { ComponentType } from 'preact'
import { HelpGate } from '../components/page/help-gate.tsx'
import { Empty, Failed, Loaded } from '../components/page/load-states.tsx'
import { useLoad } from '../components/page/use-load.ts'
import { isAdministrator } from '../roles.ts'
import type { $router, RouteName } from '../router.ts'
import { t } from '../texts.ts'
import type { ViewProps } from './view-props.ts'

export type Page = NonNullable<ReturnType<typeof $router.get>>

/** Each view is loaded when it is first opened. */
const VIEWS: Record<RouteName, () => Promise<{ default: ComponentType<ViewProps> }>> = {
  home: () => import('./home.tsx'),
  whatIsNew: () => import('./what-is-new.tsx'),
  exams: () => import('./exams/list.tsx'),
  exam: () => import('./exams/exam.tsx'),
  start: () => import('./exams/exam.tsx'),
  result: () => import('./exams/result/result.tsx'),
  classes: () => import('./classes/classes.tsx'),
  joinClass: () => import('./classes/classes.tsx'),
  class: () => import('./classes/class.tsx'),
  classExam: () => import('./classes/class-exam.tsx'),
  classAttempt: () => import('./classes/student-attempt.tsx'),
  progress: () => import('./progress.tsx'),
  practice: () => import('./practice/practice.tsx'),
  practiceCards: () => import('./practice/cards.tsx'),
  tutor: () => import('./tutor/tutor.tsx'),
  chat: () => import('./chat/chat.tsx'),
  people: () => import('./chat/people.tsx'),
  notes: () => import('./notes/notebooks.tsx'),
  notebook: () => import('./notes/notebook.tsx'),
  printNotebook: () => import('./notes/print.tsx'),
  library: () => import('./notes/library.tsx'),
  publicNotebook: () => import('./notes/public-notebook.tsx'),
  account: () => import('./account.tsx'),
  teach: () => import('./teach/oversight/overview.tsx'),
  teachExams: () => import('./teach/exams.tsx'),
  trial: () => import('./teach/exam/trial.tsx'),
  teachExam: () => import('./teach/exam.tsx'),
  attempt: () => import('./classes/student-attempt.tsx'),
  teachClasses: () => import('./teach/classes.tsx'),
  allQuestions: () => import('./teach/questions/all.tsx'),
  question: () => import('./teach/questions/question.tsx'),
  generate: () => import('./teach/questions/generate.tsx'),
  aiUsage: () => import('./teach/oversight/ai-usage.tsx'),
  job: () => import('./teach/questions/job.tsx'),
  analytics: () => import('./teach/oversight/analytics.tsx'),
  challenges: () => import('./teach/oversight/challenges.tsx'),
  users: () => import('./teach/people/users.tsx'),
  newUsers: () => import('./teach/people/new-users.tsx'),
  allowances: () => import('./teach/people/allowances.tsx'),
  requests: () => import('./teach/people/requests.tsx'),
  categories: () => import('./teach/categories.tsx'),
  reports: () => import('./teach/oversight/reports.tsx'),
  audit: () => import('./teach/oversight/audit.tsx'),
}

/** Views that are closed while somebody takes an exam that locks help, with what they find there afterwards. */
const CLOSED: Partial<Record<RouteName, [title: string, promise: string]>> = {
  whatIsNew: [t('What is new'), t('What you are told meanwhile waits here.')],
  chat: [t('Chat'), t('Messages that you get meanwhile wait here.')],
  people: [t('People'), t('Requests that you get meanwhile wait here.')],
  practice: [t('Practice'), t('Your cards wait here.')],
  practiceCards: [t('Practice'), t('Your cards wait here.')],
  tutor: [t('Tutor'), t('Your conversations wait here.')],
  library: [t('Library'), t('Shared notebooks wait here.')],
  publicNotebook: [t('Library'), t('Shared notebooks wait here.')],
}

/** What teachers who are no administrators use for exams of their own. */
const FOR_TEACHERS: ReadonlySet<RouteName> = new Set(['teachExam', 'trial', 'question', 'challenges'])

/** Loads a view once. */
export function loadView(route: RouteName) {
  return VIEWS[route]()
}

export function View({ page, user }: { page: Page; user: User }) {
  const isTeaching = page.path.startsWith('/desk/teach')
  const view = useLoad(page.route, async () => (await loadView(page.route)).default)
  if (isTeaching && !isAdministrator(user) && !FOR_TEACHERS.has(page.route))
    return (
      <Empty title="This part is for teachers">
        <a href="/desk/account">Ask for access</a>
      </Empty>
    )
  // After an update of the service the files of the old page don't exist any more: the page is reloaded.
  if (view.error instanceof TypeError)
    return <Failed error={view.error} again={async () => location.reload()} />
  const shown = (
    <Loaded of={view}>
      {(Shown) => <Shown key={page.route} params={page.params as ViewProps['params']} user={user} />}
    </Loaded>
  )
  const closed = CLOSED[page.route]
  if (!closed) return shown
  return (
    <HelpGate title={closed[0]} promise={closed[1]}>
      {shown}
    </HelpGate>
  )
}
