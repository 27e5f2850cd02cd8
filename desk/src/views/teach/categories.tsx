import { useStore } from '@nanostores/preact'
import { ask, client, toFormData } from '../../client.ts'
import { promptForText } from '../../components/dialogs/prompts.tsx'
import { $beingDeleted, deleteSoon, OUTLIVING } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Field, IMAGE_TYPES } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'

/** The categories of exams. */
export default function Categories() {
  const deleted = useStore($beingDeleted)
  const found = useLoad('categories', () => ask(client.GET('/api/v01/admin/categories')))
  return (
    <Page title="Categories">
      <Loaded of={found}>
        {({ categories: all }) => {
          const categories = all.filter(({ id }) => !deleted.has(`category-${id}`))
          return categories.length === 0 ? (
            <Empty title="No categories yet" />
          ) : (
            <ul class="cards">
              {categories.map((each) => {
                const path = { params: { path: { id: each.id } } }
                return (
                  <li key={each.id} class="card">
                    {each.image_url && <img class="question-image" src={each.image_url} alt="" />}
                    <h2>{each.name}</h2>
                    <div class="row">
                      <Action
                        class="small"
                        aria-label={t('Rename: {name}', { name: each.name })}
                        act={async () => {
                          const name = await promptForText(t('Rename the category'), t('Rename'), {
                            label: t('What is it called?'),
                            value: each.name,
                          })
                          if (!name) return
                          const body = toFormData({ name })
                          await ask(client.PATCH('/api/v01/admin/categories/{id}', { ...path, body }))
                          await found.reload()
                        }}
                      >
                        Rename
                      </Action>
                      <button
                        type="button"
                        class="small bad"
                        aria-label={t('Delete: {name}', { name: each.name })}
                        onClick={() =>
                          deleteSoon(
                            `category-${each.id}`,
                            t('“{name}” deleted; its exams stay', { name: each.name }),
                            async () => {
                              await ask(
                                client.DELETE('/api/v01/admin/categories/{id}', { ...path, ...OUTLIVING }),
                              )
                              await found.reload()
                            },
                          )
                        }
                      >
                        Delete
                      </button>
                    </div>
                  </li>
                )
              })}
            </ul>
          )
        }}
      </Loaded>
      <section class="sheet" aria-labelledby="new">
        <h2 id="new">New category</h2>
        <Form
          button="Create"
          clears
          send={async (_fields, form) => {
            const body = new FormData(form)
            const image = body.get('image')
            if (image instanceof File && image.size === 0) body.delete('image')
            await ask(client.POST('/api/v01/admin/categories', { body }))
            await found.reload()
          }}
        >
          <div class="fields">
            <Field label="Name" name="name" required maxLength={200} />
            <Field
              label="Image"
              name="image"
              type="file"
              accept={IMAGE_TYPES}
              hint="Optional, at most 500 KB"
            />
          </div>
        </Form>
      </section>
    </Page>
  )
}
