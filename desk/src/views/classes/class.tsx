import { useStore } from '@nanostores/preact'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { $query, go } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { type ClassTabProps, isTaught } from './class-tab.ts'
import { ClassExams } from './exams.tsx'
import { Gradebook } from './gradebook.tsx'
import { Members } from './members.tsx'
import { ClassResults } from './results.tsx'

const TABS: [key: string, text: string, view: ComponentType<ClassTabProps>][] = [
  ['members', t('Members'), Members],
  ['exams', t('Exams'), ClassExams],
  ['results', t('Results'), ClassResults],
  ['gradebook', t('Gradebook'), Gradebook],
]

/** One class for its teachers and administrators: a tab for each part of it. */
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
  const Shown = TABS.find(([key]) => key === tab)?.[2] ?? Members
  return (
    <Loaded of={found}>
      {(one) => (
        <Page
          title={one.class.name}
          lead={
            one.class.archived
              ? t('{count, plural, one {# student} other {# students}}, archived', {
                  count: one.class.students,
                })
              : t('{count, plural, one {# student} other {# students}}', { count: one.class.students })
          }
          actions={
            !one.class.archived &&
            one.class.role === 'teacher' && (
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
          <nav class="subtabs" aria-label="Parts of this class" hidden={!isTaught(one)}>
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
          {isTaught(one) && <Shown of={one} user={user} reload={found.reload} />}
        </Page>
      )}
    </Loaded>
  )
}
