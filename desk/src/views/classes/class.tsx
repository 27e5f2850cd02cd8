import { useStore } from '@nanostores/preact'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, client, RequestFailed } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLive } from '../../components/page/use-live.ts'
import { useLoad } from '../../components/page/use-load.ts'
import { isAdministrator } from '../../roles.ts'
import { $query, go } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { ClassNews } from './class-news.tsx'
import { type ClassTabProps, isTaught, type OneClass } from './class-tab.ts'
import { describeStudents } from './class-words.ts'
import { ClassExams } from './exams.tsx'
import { Gradebook } from './gradebook.tsx'
import { Materials } from './materials/materials.tsx'
import { Members } from './members.tsx'
import { ClassResults } from './results.tsx'
import { StudentClass } from './student-class.tsx'

const TABS: [key: string, text: string, view: ComponentType<ClassTabProps>][] = [
  ['members', t('Members'), Members],
  ['news', t('News'), News],
  ['materials', t('Materials'), ClassMaterials],
  ['exams', t('Exams'), ClassExams],
  ['results', t('Results'), ClassResults],
  ['gradebook', t('Gradebook'), Gradebook],
]

/** One class, as far as the person may see it. */
export default function Class({ params, user }: ViewProps) {
  const id = Number(params.id)
  const tab = params.tab || 'members'
  const { page } = useStore($query)
  // The page of the address is the tab's own.
  const query = tab === 'members' && page ? { page: Number(page) } : {}
  const found = useLoad(`${id} ${query.page ?? 1}`, () =>
    ask(client.GET('/api/v01/classes/{id}', { params: { path: { id }, query } })),
  )
  // Somebody may have joined meanwhile.
  useEffect(() => {
    if (found.data) void found.reload()
  }, [tab])
  // Who is removed gets `resync`.
  useLive(found.reload, () => false)
  const isGone =
    found.data !== undefined && found.error instanceof RequestFailed && found.error.code === 'not_found'
  if (isGone)
    return (
      <Page title={found.data?.class.name ?? ''}>
        <Empty title="You are not in this class any more">
          <p>What you have begun can be finished, and your results stay yours.</p>
          <a class="button" href="/desk/classes">
            Your classes
          </a>
        </Empty>
      </Page>
    )
  return (
    <Loaded of={found}>
      {(one) =>
        isTaught(one) ? (
          <TaughtClass of={one} tab={tab} user={user} reload={found.reload} />
        ) : (
          <StudentClass of={one} tab={tab} reload={found.reload} />
        )
      }
    </Loaded>
  )
}

/** A class for its teachers and administrators: a tab for each part of it. */
function TaughtClass({ of: one, tab, user, reload }: ClassTabProps & { tab: string }) {
  const { id, name, role, archived } = one.class
  const Shown = TABS.find(([key]) => key === tab)?.[2] ?? Members
  return (
    <Page
      title={name}
      lead={describeStudents(one.class)}
      actions={
        !archived &&
        role === 'teacher' && (
          <Action
            act={async () => {
              const path = { params: { path: { id } } }
              const { conv_id } = await ask(client.POST('/api/v01/classes/{id}/conversation', path))
              go(`/desk/chat/${conv_id}`)
            }}
          >
            Conversation
          </Action>
        )
      }
    >
      <nav class="subtabs" aria-label="Parts of this class">
        {TABS.map(([key, text]) => (
          <a
            key={key}
            href={`/desk/classes/${id}/${key}`}
            {...(key === tab ? { 'aria-current': 'page' as const } : {})}
          >
            {text}
          </a>
        ))}
      </nav>
      <Shown of={one} user={user} reload={reload} />
    </Page>
  )
}

function News({ of: { class: own }, user }: { of: OneClass; user: ViewProps['user'] }) {
  const isTeacher = own.role === 'teacher'
  return (
    <ClassNews
      id={own.id}
      writes={isTeacher && !own.archived}
      changes={(isTeacher || isAdministrator(user)) && !own.archived}
    />
  )
}

function ClassMaterials({ of: { class: own }, user }: ClassTabProps) {
  return <Materials id={own.id} writes={(own.role === 'teacher' || isAdministrator(user)) && !own.archived} />
}
