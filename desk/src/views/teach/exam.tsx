import type { ComponentType } from 'preact'
import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { go } from '../../router.ts'
import type { ViewProps } from '../view-props.ts'
import { Corrections } from './exam/corrections.tsx'
import { ImportExport } from './exam/import.tsx'
import { Items } from './exam/items.tsx'
import { Questions } from './exam/questions.tsx'
import { Settings } from './exam/settings.tsx'
import type { TabProps } from './exam/tab-props.ts'
import { Times } from './exam/times.tsx'

const TABS: [key: string, text: string, view: ComponentType<TabProps>][] = [
  ['questions', 'Questions', Questions],
  ['import', 'Import and export', ImportExport],
  ['settings', 'Settings', Settings],
  ['times', 'Windows and extra time', Times],
  ['items', 'Item analysis', Items],
  ['corrections', 'Corrections', Corrections],
]

/** Scrolls the current tab into view: on a phone the tabs are wider than the screen. */
function showCurrent(tabs: HTMLElement | null): void {
  tabs?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
}

/** One exam for administrators: a tab for each part of it. */
export default function TeachExam({ params }: ViewProps) {
  const id = Number(params.id)
  const tab = params.tab ?? 'questions'
  const path = { params: { path: { id } } }
  const found = useLoad(id, async () => (await ask(client.GET('/api/v01/admin/exams/{id}', path))).exam)
  const Shown = TABS.find(([key]) => key === tab)?.[2] ?? Questions
  return (
    <Loaded of={found}>
      {(exam) => (
        <Page
          title={exam.name}
          lead={exam.is_published ? 'Published' : 'A draft: students don’t see it'}
          actions={
            <>
              {exam.result_mode === 'on_release' && (
                <Action
                  act={async () => {
                    const body = { released: !exam.results_released }
                    const { message } = await ask(
                      client.POST('/api/v01/admin/exams/{id}/toggle-results', { ...path, body }),
                    )
                    await found.reload()
                    return message
                  }}
                >
                  {exam.results_released ? 'Take the results back' : 'Release the results'}
                </Action>
              )}
              <Action
                class={exam.is_published ? '' : 'main'}
                act={async () => {
                  await ask(
                    client.PATCH('/api/v01/admin/exams/{id}', {
                      ...path,
                      body: { is_published: !exam.is_published },
                    }),
                  )
                  await found.reload()
                }}
              >
                {exam.is_published ? 'Unpublish' : 'Publish'}
              </Action>
              <Action
                class="bad"
                confirm={`Delete “${exam.name}” with its questions, attempts, results and discussions?`}
                act={async () => {
                  const { message } = await ask(client.DELETE('/api/v01/admin/exams/{id}', path))
                  go('/desk/teach/exams', 'replace')
                  return message
                }}
              >
                Delete
              </Action>
            </>
          }
        >
          <nav class="subtabs" aria-label="Parts of this exam" ref={showCurrent}>
            {TABS.map(([key, text]) => (
              <a
                key={key}
                href={`/desk/teach/exams/${id}/${key}`}
                aria-current={key === tab ? 'page' : undefined}
              >
                {text}
              </a>
            ))}
          </nav>
          <Shown exam={exam} reload={found.reload} />
        </Page>
      )}
    </Loaded>
  )
}
