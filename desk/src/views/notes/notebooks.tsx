import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { $beingDeleted } from '../../components/dialogs/toasts.tsx'
import { Area, Check, Field } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { day } from '../../format.ts'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'

/** The person's own notebooks. */
export default function Notebooks() {
  const deleted = useStore($beingDeleted)
  const [isMaking, setMaking] = useState(false)
  const found = useLoad('notebooks', () => ask(client.GET('/api/v01/notebooks')))
  return (
    <Page
      title="Notes"
      lead="Draw, write and paste pictures; share what others may learn from."
      actions={
        <button type="button" class="main" onClick={() => setMaking(true)}>
          New notebook
        </button>
      }
    >
      <Loaded of={found}>
        {({ notebooks: all }) => {
          const notebooks = all.filter(({ id }) => !deleted.has(`notebook-${id}`))
          return notebooks.length === 0 ? (
            <Empty title="No notebooks yet">
              <p>
                {t('Create one, or read what others share in the <a>library</a>.', {
                  a: (inner) => <a href="/desk/library">{inner}</a>,
                })}
              </p>
            </Empty>
          ) : (
            <ul class="cards">
              {notebooks.map((each) => (
                <li key={each.id} class="card">
                  <h2>
                    <a href={`/desk/notes/${each.id}`}>{each.title}</a>
                  </h2>
                  {each.description && (
                    <p class="clamp" dir="auto">
                      {each.description}
                    </p>
                  )}
                  <p class="row">
                    <span class="chip">
                      {t('{count, plural, one {# page} other {# pages}}', { count: each.page_count })}
                    </span>
                    {each.is_public && <span class="chip good">Shared</span>}
                    <small>{day(each.updated_at)}</small>
                  </p>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
      {isMaking && (
        <Dialog title="New notebook" close={() => setMaking(false)}>
          <Form
            button="Create"
            draft="notebook-new"
            send={async ({ title, description, is_public }) => {
              const body = {
                title: String(title),
                description: String(description),
                is_public: is_public === 'on',
              }
              const { notebook } = await ask(client.POST('/api/v01/notebooks', { body }))
              await ask(
                client.POST('/api/v01/notebooks/{id}/pages', {
                  params: { path: { id: notebook.id } },
                  body: { title: t('Page {number}', { number: 1 }) },
                }),
              )
              go(`/desk/notes/${notebook.id}`)
            }}
          >
            <Field label="Title" name="title" required maxLength={200} />
            <Area label="What is in it?" name="description" rows={2} maxLength={4000} />
            <Check label="Share it in the library" name="is_public" />
          </Form>
        </Dialog>
      )}
    </Page>
  )
}
