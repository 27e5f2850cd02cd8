import { ask, client } from '../../client.ts'
import { promptForText } from '../../components/dialogs/prompts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { go } from '../../router.ts'
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
  return (
    <Loaded of={found}>
      {({ notebook, pages }) => {
        const page = pages.find((each) => each.id === Number(params.page)) ?? pages[0]
        return (
          <Page
            title={notebook.title}
            lead={notebook.is_public ? 'Shared in the library' : 'Only for you'}
            actions={
              <>
                <Action
                  act={async () => {
                    const title = await promptForText('Rename the notebook', 'Rename', {
                      label: 'What is it called?',
                      value: notebook.title,
                    })
                    if (!title) return
                    await ask(client.PATCH('/api/v01/notebooks/{id}', { ...path, body: { title } }))
                    await found.reload()
                  }}
                >
                  Rename
                </Action>
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
                <Action
                  class="bad"
                  confirm={`Delete “${notebook.title}” with all its pages?`}
                  act={async () => {
                    await ask(client.DELETE('/api/v01/notebooks/{id}', path))
                    go('/desk/notes', 'replace')
                  }}
                >
                  Delete
                </Action>
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
                  {each.title || `Page ${index + 1}`}
                </a>
              ))}
              <Action
                class="quiet small"
                act={async () => {
                  const body = { title: `Page ${pages.length + 1}` }
                  const made = await ask(client.POST('/api/v01/notebooks/{id}/pages', { ...path, body }))
                  await found.reload()
                  go(`/desk/notes/${id}/${made.page.id}`)
                }}
              >
                Add a page
              </Action>
            </nav>
            {page && <Canvas key={page.id} page={page} />}
            {page && pages.length > 1 && (
              <div>
                <Action
                  class="quiet small"
                  confirm="Delete this page?"
                  act={async () => {
                    await ask(client.DELETE('/api/v01/pages/{id}', { params: { path: { id: page.id } } }))
                    go(`/desk/notes/${id}`, 'replace')
                    await found.reload()
                  }}
                >
                  Delete this page
                </Action>
              </div>
            )}
          </Page>
        )
      }}
    </Loaded>
  )
}
