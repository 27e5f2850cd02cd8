import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { promptForText } from '../../components/dialogs/prompts.tsx'
import { $beingDeleted, deleteSoon, OUTLIVING } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Area, Field } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { Canvas } from './canvas.tsx'

/** An own notebook: its pages, and the open one to draw on. */
export default function NotebookView({ params }: ViewProps) {
  const id = Number(params.id)
  const path = { params: { path: { id } } }
  const found = useLoad(id, async () => {
    const [{ notebook }, { pages }] = await Promise.all([
      ask(client.GET('/api/v01/notebooks/{id}', path)),
      ask(client.GET('/api/v01/notebooks/{id}/pages', path)),
    ])
    return { notebook, pages }
  })
  const deleted = useStore($beingDeleted)
  const [isEditing, setEditing] = useState(false)
  async function changePage(pageId: number, body: { title?: string; position?: number }) {
    await ask(client.PATCH('/api/v01/pages/{id}', { params: { path: { id: pageId } }, body }))
    await found.reload()
  }
  return (
    <Loaded of={found}>
      {({ notebook, pages: all }) => {
        const pages = all.filter((each) => !deleted.has(`page-${each.id}`))
        const page = pages.find((each) => each.id === Number(params.page)) ?? pages[0]
        return (
          <Page
            title={notebook.title}
            lead={notebook.is_public ? 'Shared in the library' : 'Only for you'}
            actions={
              <>
                <button type="button" onClick={() => setEditing(true)}>
                  Edit
                </button>
                <a class="button" href={`/desk/notes/${id}/print`} target="_blank" rel="noopener">
                  Print
                </a>
                <Action
                  act={async () => {
                    await ask(
                      client.PATCH('/api/v01/notebooks/{id}', {
                        ...path,
                        body: { is_public: !notebook.is_public },
                      }),
                    )
                    await found.reload()
                  }}
                >
                  {notebook.is_public ? 'Stop sharing' : 'Share'}
                </Action>
                <button
                  type="button"
                  class="bad"
                  onClick={() => {
                    deleteSoon(
                      `notebook-${id}`,
                      t('“{notebook}” and all its pages deleted', { notebook: notebook.title }),
                      () => ask(client.DELETE('/api/v01/notebooks/{id}', { ...path, ...OUTLIVING })),
                    )
                    go('/desk/notes', 'replace')
                  }}
                >
                  Delete
                </button>
              </>
            }
          >
            <nav class="subtabs" aria-label="Pages">
              {pages.map((each, index) => (
                <a
                  key={each.id}
                  href={`/desk/notes/${id}/${each.id}`}
                  aria-current={each.id === page?.id ? 'page' : undefined}
                >
                  {each.title || t('Page {number}', { number: index + 1 })}
                </a>
              ))}
              <Action
                class="quiet small"
                act={async () => {
                  const body = { title: t('Page {number}', { number: all.length + 1 }) }
                  const made = await ask(client.POST('/api/v01/notebooks/{id}/pages', { ...path, body }))
                  await found.reload()
                  go(`/desk/notes/${id}/${made.page.id}`)
                }}
              >
                Add a page
              </Action>
            </nav>
            {page && <Canvas key={page.id} page={page} />}
            {isEditing && (
              <Dialog title="Edit the notebook" close={() => setEditing(false)}>
                <Form
                  button="Save"
                  draft={`notebook-${id}`}
                  send={async ({ title, description }) => {
                    const body = { title: String(title), description: String(description) }
                    await ask(client.PATCH('/api/v01/notebooks/{id}', { ...path, body }))
                    setEditing(false)
                    await found.reload()
                  }}
                >
                  <Field label="Title" name="title" value={notebook.title} required maxLength={200} />
                  <Area
                    label="Description"
                    name="description"
                    value={notebook.description}
                    rows={3}
                    maxLength={4000}
                  />
                </Form>
              </Dialog>
            )}
            {page && (
              <div class="row">
                <Action
                  class="quiet small"
                  act={async () => {
                    const title = await promptForText(t('Rename the page'), t('Rename'), {
                      label: t('Title'),
                      value: page.title,
                    })
                    if (title) await changePage(page.id, { title })
                  }}
                >
                  Rename this page
                </Action>
                {pages.length > 1 &&
                  ([-1, 1] as const).map((step) => (
                    <Action
                      key={step}
                      class="quiet small"
                      disabled={all[page.position + step] === undefined}
                      act={() => changePage(page.id, { position: page.position + step })}
                    >
                      {step < 0 ? 'Move earlier' : 'Move later'}
                    </Action>
                  ))}
              </div>
            )}
            {page && pages.length > 1 && (
              <div>
                <button
                  type="button"
                  class="small bad"
                  onClick={() => {
                    deleteSoon(`page-${page.id}`, t('Page deleted'), async () => {
                      await ask(
                        client.DELETE('/api/v01/pages/{id}', {
                          params: { path: { id: page.id } },
                          ...OUTLIVING,
                        }),
                      )
                      await found.reload()
                    })
                    go(`/desk/notes/${id}`, 'replace')
                  }}
                >
                  Delete this page
                </button>
              </div>
            )}
          </Page>
        )
      }}
    </Loaded>
  )
}
