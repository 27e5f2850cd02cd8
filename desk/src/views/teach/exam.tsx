import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { promptForConfirmation } from '../../components/dialogs/prompts.tsx'
import { offerUndo, sendWaiting } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { isAdministrator } from '../../roles.ts'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { Corrections } from './exam/corrections.tsx'
import { findHindrances } from './exam/hindrances.ts'
import { ImportExport } from './exam/import.tsx'
import { Items } from './exam/items.tsx'
import { Questions } from './exam/questions.tsx'
import { Results } from './exam/results.tsx'
import { Settings } from './exam/settings.tsx'
import type { TabProps } from './exam/tab-props.ts'
import { Times } from './exam/times.tsx'

const TABS: [key: string, text: string, view: ComponentType<TabProps>][] = [
  ['questions', t('Questions'), Questions],
  ['import', t('Import and export'), ImportExport],
  ['settings', t('Settings'), Settings],
  ['times', t('Windows and extra time'), Times],
  ['results', t('Results'), Results],
  ['items', t('Item analysis'), Items],
  ['corrections', t('Corrections'), Corrections],
]

/** A teacher's class has its own pages for these. */
const OF_ADMINISTRATORS: ReadonlySet<string> = new Set(['times', 'results', 'items'])

/** Scrolls the current tab into view: on a phone the tabs are wider than the screen. */
function showCurrent(tabs: HTMLElement | null): void {
  tabs?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
}

/** One exam for administrators: a tab for each part of it. */
export default function TeachExam({ params, user }: ViewProps) {
  const id = Number(params.id)
  const tab = params.tab || 'questions'
  const path = { params: { path: { id } } }
  const found = useLoad(id, async () => (await ask(client.GET('/api/v01/admin/exams/{id}', path))).exam)
  const [hindrances, setHindrances] = useState<string[]>([])
  /** The service publishes what it is told to; what speaks against it is looked for here. */
  async function mayPublish(): Promise<boolean> {
    // A question whose deletion can still be undone is none to publish.
    await sendWaiting()
    const { blocking, doubtful } = await findHindrances(id)
    setHindrances(blocking)
    if (blocking.length > 0) return false
    return (
      doubtful.length === 0 ||
      promptForConfirmation(
        t('{doubts} Publish it all the same?', { doubts: doubtful.join(' ') }),
        t('Publish'),
        false,
      )
    )
  }
  async function publish(is_published: boolean): Promise<void> {
    await ask(client.PATCH('/api/v01/admin/exams/{id}', { ...path, body: { is_published } }))
    await found.reload()
  }
  /** Students are told at once: that can't be taken back. */
  const mayRelease = (exam: string) =>
    promptForConfirmation(
      t('Release the results of “{exam}”? Its students are told at once.', { exam }),
      t('Release'),
      false,
    )
  const tabs = TABS.filter(([key]) => isAdministrator(user) || !OF_ADMINISTRATORS.has(key))
  const Shown = tabs.find(([key]) => key === tab)?.[2] ?? Questions
  return (
    <Loaded of={found}>
      {(exam) => (
        <Page
          title={exam.name}
          lead={exam.is_published ? 'Published' : 'Draft: students can’t see it'}
          actions={
            <>
              {isAdministrator(user) && (
                <a class="button" href={`/desk/teach/analytics?exam=${id}`}>
                  Analytics
                </a>
              )}
              <a class="button" href={`/desk/teach/exams/${id}/trial`}>
                Try it
              </a>
              {exam.result_mode === 'on_release' && (
                <Action
                  confirm={
                    exam.results_released
                      ? t('Withdraw the results of “{exam}”? Its students can’t see them any more.', {
                          exam: exam.name,
                        })
                      : undefined
                  }
                  act={async () => {
                    if (!exam.results_released && !(await mayRelease(exam.name))) return undefined
                    const body = { released: !exam.results_released }
                    await ask(client.POST('/api/v01/admin/exams/{id}/toggle-results', { ...path, body }))
                    await found.reload()
                    return body.released ? t('The results are released') : t('The results are withdrawn')
                  }}
                >
                  {exam.results_released ? 'Withdraw the results' : 'Release the results'}
                </Action>
              )}
              <Action
                class={exam.is_published ? '' : 'main'}
                act={async () => {
                  if (!exam.is_published && !(await mayPublish())) return
                  await publish(!exam.is_published)
                  if (exam.is_published)
                    offerUndo(t('Unpublished: students can’t see it any more'), () => publish(true))
                }}
              >
                {exam.is_published ? 'Unpublish' : 'Publish'}
              </Action>
              {isAdministrator(user) && (
                <Action
                  class="bad"
                  confirm={t('Delete “{name}” with its questions, attempts, results and discussions?', {
                    name: exam.name,
                  })}
                  act={async () => {
                    await ask(client.DELETE('/api/v01/admin/exams/{id}', path))
                    go('/desk/teach/exams', 'replace')
                    return t('The exam is deleted')
                  }}
                >
                  Delete
                </Action>
              )}
            </>
          }
        >
          {hindrances.length > 0 && (
            <div class="notice bad" role="alert">
              <p>It can’t be published yet:</p>
              <ul>
                {hindrances.slice(0, 10).map((each) => (
                  <li key={each}>{each}</li>
                ))}
              </ul>
            </div>
          )}
          <nav class="subtabs" aria-label="Parts of this exam" ref={showCurrent}>
            {tabs.map(([key, text]) => (
              <a
                key={key}
                href={`/desk/teach/exams/${id}/${key}`}
                aria-current={key === tab ? 'page' : undefined}
              >
                {text}
              </a>
            ))}
          </nav>
          <Shown exam={exam} user={user} reload={found.reload} />
        </Page>
      )}
    </Loaded>
  )
}
