import { useStore } from '@nanostores/preact'
import type { ComponentChildren } from 'preact'
import { chat } from '../chat.ts'
import { ask, client } from '../client.ts'
import { Countdown } from '../components/countdown.tsx'
import { Action } from '../components/forms/button.tsx'
import { Empty, Loaded } from '../components/page/load-states.tsx'
import { Page } from '../components/page/page.tsx'
import { useLive } from '../components/page/use-live.ts'
import { useLoad } from '../components/page/use-load.ts'
import { describeMinutes, moment, percent } from '../format.ts'
import { $isHelpLocked } from '../help-lock.ts'
import { $notices, $unreadNotices, hrefOf, readNotices } from '../notices.ts'
import { isAdministrator } from '../roles.ts'
import { serverNow } from '../server-time.ts'
import { t } from '../texts.ts'
import { $underWay, lookForUnderWay } from '../under-way.ts'
import { $invitations, $taught, lookForClasses } from '../waiting.ts'
import { SittingNow } from './classes/sitting-now.tsx'
import { KeptHere } from './exams/kept-here.tsx'
import { Undelivered } from './exams/undelivered.tsx'
import { PracticeDue } from './practice/practice-due.tsx'
import { Waiting } from './teach/waiting.tsx'
import type { ViewProps } from './view-props.ts'

const MOST = 5
/** Where somebody arrives: what is under way, what is new, what waits for them. */
export default function Home({ user }: ViewProps) {
  const isTeacher = useStore($taught).length > 0
  const found = useLoad('home', async () => {
    const [{ exams }, { attempts }] = await Promise.all([
      ask(client.GET('/api/v01/exams')),
      ask(client.GET('/api/v01/attempts')),
    ])
    void lookForClasses().catch(() => {})
    void lookForUnderWay()
    return { exams, attempts }
  })
  useLive(found.reload, ({ type }) => type === 'results_released' || type === 'result_changed')
  return (
    <Page title="Home" lead={user.full_name || user.username}>
      <Undelivered />
      <KeptHere />
      <UnderWay />
      <Notices />
      <div class="home">
        <div class="stack">
          {(isAdministrator(user) || isTeacher) && <Waiting user={user} />}
          {(isAdministrator(user) || isTeacher) && <SittingNow user={user} />}
          <Loaded of={found}>
            {({ exams, attempts }) => {
              const soon = exams
                .filter(({ opens_at }) => opens_at && Date.parse(opens_at) > serverNow())
                .sort((a, b) => Date.parse(a.opens_at ?? '') - Date.parse(b.opens_at ?? ''))
                .slice(0, MOST)
              return (
                <>
                  {exams.length === 0 ? (
                    <Empty title="No exams yet">
                      <p>They appear here as soon as a teacher publishes one.</p>
                    </Empty>
                  ) : (
                    <Section id="exams" title="Exams">
                      <ul class="list">
                        {exams
                          .filter(isOpen)
                          .slice(0, MOST)
                          .map((exam) => (
                            <li key={exam.id} class="row spread">
                              <a href={`/desk/exams/${exam.id}`}>{exam.name}</a>
                              <span>{describeMinutes(exam.duration_minutes)}</span>
                            </li>
                          ))}
                      </ul>
                      <a href="/desk/exams">All exams</a>
                    </Section>
                  )}
                  {soon.length > 0 && (
                    <Section id="soon" title="Opening soon">
                      <ul class="list">
                        {soon.map((exam) => (
                          <li key={exam.id} class="row spread">
                            <a href={`/desk/exams/${exam.id}`}>{exam.name}</a>
                            <span>{exam.opens_at && moment(exam.opens_at)}</span>
                          </li>
                        ))}
                      </ul>
                    </Section>
                  )}
                  <Section id="results" title="Latest results">
                    {attempts.length === 0 ? (
                      <p class="lead">You haven’t finished an exam yet.</p>
                    ) : (
                      <ul class="list">
                        {attempts.slice(0, MOST).map((attempt) => (
                          <li key={attempt.attempt_id} class="row spread">
                            <span>{attempt.exam_name}</span>
                            {attempt.score === null ? (
                              <span class="chip">Not released yet</span>
                            ) : (
                              <a
                                href={`/desk/results/${attempt.attempt_id}`}
                                aria-label={t('Result of {exam}: {percent}', {
                                  exam: attempt.exam_name,
                                  percent: percent(attempt.percentage),
                                })}
                              >
                                {percent(attempt.percentage)}
                              </a>
                            )}
                          </li>
                        ))}
                      </ul>
                    )}
                    {attempts.length > 0 && <a href="/desk/progress">All results</a>}
                  </Section>
                </>
              )
            }}
          </Loaded>
        </div>
        <div class="stack">
          <Messages />
          <PracticeDue />
        </div>
      </div>
    </Page>
  )
}

function isOpen({ opens_at, closes_at }: { opens_at: string | null; closes_at: string | null }): boolean {
  const now = serverNow()
  return (!opens_at || Date.parse(opens_at) <= now) && (!closes_at || Date.parse(closes_at) > now)
}

function UnderWay() {
  return useStore($underWay).map(({ examId, name, endsAt }) => (
    <Section key={examId} id={`under-way-${examId}`} title={t('{name} is under way', { name })}>
      <p class="row spread">
        <span class="clock">
          {endsAt ? t('{clock} left', { clock: <Countdown to={endsAt} /> }) : 'No time limit'}
        </span>
        <a class="button main" href={`/desk/exams/${examId}`}>
          Continue the exam
        </a>
      </p>
    </Section>
  ))
}

/** What the person hasn't read, as far as it is new. */
function Notices() {
  const newest = useStore($notices)
  const count = useStore($unreadNotices)
  const unread = newest.filter(({ read }) => !read).slice(0, MOST)
  if (unread.length === 0) return null
  return (
    <Section id="notices" title="What is new">
      <ul class="list">
        {unread.map((notice) => (
          <li key={notice.id} class="row spread">
            <a href={hrefOf(notice)}>
              <bdi>{notice.title}</bdi>
            </a>
            <span>
              <bdi>{notice.body}</bdi>
            </span>
          </li>
        ))}
      </ul>
      <p class="row">
        <Action class="small" act={() => readNotices(newest)}>
          Seen
        </Action>
        <a href="/desk/new">{count > unread.length ? t('All {count} new ones', { count }) : 'All'}</a>
      </p>
    </Section>
  )
}

function Messages() {
  const unread = useStore(chat.$unread)
  const requests = useStore(chat.$requests).length
  const invitations = useStore($invitations)
  if (useStore($isHelpLocked)) return null
  return (
    <Section id="messages" title="Messages">
      {unread + requests + invitations === 0 && <p class="lead">Nothing new.</p>}
      {unread > 0 && (
        <a href="/desk/chat">
          {t('{count, plural, one {# unread message} other {# unread messages}}', { count: unread })}
        </a>
      )}
      {requests > 0 && (
        <a href="/desk/people">
          {t('{count, plural, one {# connection request} other {# connection requests}}', {
            count: requests,
          })}
        </a>
      )}
      {invitations > 0 && (
        <a href="/desk/classes">
          {t('{count, plural, one {# class invites you} other {# classes invite you}}', {
            count: invitations,
          })}
        </a>
      )}
    </Section>
  )
}

function Section({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section class="sheet" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
