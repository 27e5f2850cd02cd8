import type { User } from '@exam-practice/client'
import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { chat } from '../chat.ts'
import { Badge } from '../components/badge.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { Icon, type IconName } from '../components/icons.tsx'
import { $unreadNotices } from '../notices.ts'
import { isAdministrator } from '../roles.ts'
import type { RouteName } from '../router.ts'
import { t } from '../texts.ts'
import { $taught, $waiting, lookForWaiting } from '../waiting.ts'

interface NavigationEntry {
  path: string
  text: string
  icon: IconName
  routes: RouteName[]
}

const LEARN: NavigationEntry[] = [
  { path: '/desk', text: t('Home'), icon: 'home', routes: ['home'] },
  { path: '/desk/new', text: t('What is new'), icon: 'news', routes: ['whatIsNew'] },
  { path: '/desk/exams', text: t('Exams'), icon: 'exams', routes: ['exams', 'exam', 'start', 'result'] },
  { path: '/desk/classes', text: t('Classes'), icon: 'classes', routes: ['classes', 'joinClass', 'class'] },
  { path: '/desk/practice', text: t('Practice'), icon: 'practice', routes: ['practice', 'practiceCards'] },
  { path: '/desk/progress', text: t('Progress'), icon: 'progress', routes: ['progress'] },
  { path: '/desk/tutor', text: t('Tutor'), icon: 'tutor', routes: ['tutor'] },
  { path: '/desk/notes', text: t('Notes'), icon: 'notes', routes: ['notes', 'notebook', 'printNotebook'] },
  { path: '/desk/library', text: t('Library'), icon: 'library', routes: ['library', 'publicNotebook'] },
]
const TALK: NavigationEntry[] = [
  { path: '/desk/chat', text: t('Chat'), icon: 'chat', routes: ['chat'] },
  { path: '/desk/people', text: t('People'), icon: 'people', routes: ['people'] },
]
const TEACH: NavigationEntry[] = [
  { path: '/desk/teach', text: t('Overview'), icon: 'teach', routes: ['teach'] },
  {
    path: '/desk/teach/exams',
    text: t('Exams and questions'),
    icon: 'exams',
    routes: ['teachExams', 'teachExam', 'trial', 'question', 'allQuestions'],
  },
  { path: '/desk/teach/classes', text: t('All classes'), icon: 'classes', routes: ['teachClasses'] },
  { path: '/desk/teach/generate', text: t('Generate'), icon: 'make', routes: ['generate', 'job', 'aiUsage'] },
  { path: '/desk/teach/analytics', text: t('Analytics'), icon: 'progress', routes: ['analytics'] },
  { path: '/desk/teach/challenges', text: t('Challenges'), icon: 'challenges', routes: ['challenges'] },
  { path: '/desk/teach/users', text: t('Users and roles'), icon: 'roles', routes: ['users', 'newUsers'] },
  { path: '/desk/teach/allowances', text: t('Allowances'), icon: 'clock', routes: ['allowances'] },
  { path: '/desk/teach/requests', text: t('Access requests'), icon: 'requests', routes: ['requests'] },
  { path: '/desk/teach/categories', text: t('Categories'), icon: 'categories', routes: ['categories'] },
  { path: '/desk/teach/reports', text: t('Reports'), icon: 'reports', routes: ['reports'] },
  { path: '/desk/teach/audit', text: t('Audit log'), icon: 'list', routes: ['audit'] },
]
/** On a phone's bar, for all of these. */
const TEACHING: NavigationEntry = {
  path: '/desk/teach',
  text: t('Teach'),
  icon: 'teach',
  routes: TEACH.flatMap(({ routes }) => routes),
}
const ACCOUNT: NavigationEntry = {
  path: '/desk/account',
  text: t('Account'),
  icon: 'account',
  routes: ['account'],
}

/** A sidebar on wide screens; on a phone the most used views, and the others behind one button. */
export function Navigation({ user, route }: { user: User; route: RouteName | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const isTeacher = useStore($taught).length > 0
  useEffect(() => {
    setOpen(false)
    void lookForWaiting(user).catch(() => {})
  }, [route, user])
  const groups = (
    <>
      <Group title="Learn" places={LEARN} here={route} />
      <Group title="Talk" places={TALK} here={route} />
      {isAdministrator(user) && <Group title="Teach" places={TEACH} here={route} />}
      {!isAdministrator(user) && isTeacher && (
        <Group
          title="Teach"
          places={TEACH.filter(({ routes }) => routes.includes('challenges'))}
          here={route}
        />
      )}
    </>
  )
  return (
    <>
      <nav class="rail" aria-label="Main">
        <a class="brand" href="/desk" translate={false}>
          <img src="/desk/icon.svg" alt="" width="28" height="28" /> Exam Practice
        </a>
        <div class="rail-places">{groups}</div>
        <div class="rail-end">
          <Entry place={{ ...ACCOUNT, text: user.full_name || user.username }} isHere={route === 'account'} />
        </div>
      </nav>
      <nav class="tabs" aria-label="Main, short">
        {[LEARN[0], LEARN[2], TALK[0], isAdministrator(user) ? TEACHING : LEARN[4]].map(
          (place) =>
            place && (
              <Entry
                key={place.path}
                place={place}
                isHere={route !== undefined && place.routes.includes(route)}
              />
            ),
        )}
        <button type="button" class="entry" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="more" />
          <span>More</span>
          <InMenu />
        </button>
      </nav>
      {isOpen && (
        <Dialog title="Menu" close={() => setOpen(false)} class="menu">
          <nav aria-label="Everything">
            {groups}
            <Group title="You" places={[ACCOUNT]} here={route} />
          </nav>
        </Dialog>
      )}
    </>
  )
}

function Group({
  title,
  places,
  here,
}: {
  title: string
  places: NavigationEntry[]
  here: RouteName | undefined
}) {
  return (
    <section class="group">
      <h2>{title}</h2>
      <ul>
        {places.map((place) => (
          <li key={place.path}>
            <Entry place={place} isHere={here !== undefined && place.routes.includes(here)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Entry({ place: { path, text, icon }, isHere }: { place: NavigationEntry; isHere: boolean }) {
  return (
    <a class="entry" href={path} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{text}</span>
      {path === '/desk/new' && <News />}
      {path === '/desk/chat' && <Unread />}
      {path === '/desk/people' && <Requests />}
      {path.startsWith('/desk/teach/') && <Waiting path={path} />}
    </a>
  )
}

function Unread() {
  const count = useStore(chat.$unread)
  return <Badge count={count} label={t('{count, plural, other {# unread}}', { count })} />
}

function News() {
  const count = useStore($unreadNotices)
  return <Badge count={count} label={t('{count, plural, other {# new}}', { count })} />
}

function Waiting({ path }: { path: string }) {
  const count = useStore($waiting)[path] ?? 0
  return <Badge count={count} label={t('{count, plural, other {# waiting}}', { count })} />
}

/** What waits behind the entries that a phone's bar leaves out. */
function InMenu() {
  const others = useStore(chat.$requests).length + useStore($unreadNotices)
  const count = Object.values(useStore($waiting)).reduce((sum, each) => sum + each, others)
  return <Badge count={count} label={t('{count, plural, other {# waiting}}', { count })} />
}

function Requests() {
  const count = useStore(chat.$requests).length
  return <Badge count={count} label={t('{count, plural, other {# asking to connect}}', { count })} />
}
