import './canvas.css'
import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { Drawing, HEIGHT, WIDTH } from './drawing.tsx'
import { readPage } from './page-editor.ts'

/** A public notebook of somebody else, which can only be read. */
export default function PublicNotebook({ params }: ViewProps) {
  const id = Number(params.id)
  const path = { params: { path: { notebook_id: id } } }
  const found = useLoad(
    id,
    async () => (await ask(client.GET('/api/v01/library/{notebook_id}', path))).notebook,
  )
  const toggle = (kind: 'like' | 'bookmark', active: boolean) => async () => {
    await ask(client.POST('/api/v01/library/{notebook_id}/interactions', { ...path, body: { kind, active } }))
    await found.reload()
  }
  return (
    <Loaded of={found}>
      {(notebook) => {
        const page = notebook.pages.find((each) => each.id === Number(params.page)) ?? notebook.pages[0]
        return (
          <Page
            title={notebook.title}
            lead={
              notebook.description
                ? t('by {name} · {description}', {
                    name: notebook.author,
                    description: notebook.description,
                  })
                : t('by {name}', { name: notebook.author })
            }
            actions={
              <>
                <Action aria-pressed={notebook.liked} act={toggle('like', !notebook.liked)}>
                  {t('{count, plural, one {# like} other {# likes}}', { count: notebook.likes })}
                </Action>
                <Action aria-pressed={notebook.bookmarked} act={toggle('bookmark', !notebook.bookmarked)}>
                  {notebook.bookmarked ? 'Bookmarked' : 'Bookmark'}
                </Action>
              </>
            }
          >
            <nav class="subtabs" aria-label="Pages">
              {notebook.pages.map((each, index) => (
                <a
                  key={each.id}
                  href={`/desk/library/${id}/${each.id}`}
                  aria-current={each.id === page?.id ? 'page' : undefined}
                >
                  {each.title || t('Page {number}', { number: index + 1 })}
                </a>
              ))}
            </nav>
            {page ? <Sheet key={page.id} id={page.id} /> : <Empty title="It has no pages" />}
          </Page>
        )
      }}
    </Loaded>
  )
}

function Sheet({ id }: { id: number }) {
  const found = useLoad(id, () => readPage(id))
  return (
    <Loaded of={found}>
      {({ marks, assets }) => (
        <svg class="paper still" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="The page">
          <Drawing marks={marks} assets={assets} />
        </svg>
      )}
    </Loaded>
  )
}
