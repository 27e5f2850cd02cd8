import './canvas.css'
import { ask, client } from '../../client.ts'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { Drawing, HEIGHT, toMarks, WIDTH } from './drawing.tsx'

/** All pages of a notebook, as they are printed: one a sheet. */
export default function PrintNotebook({ params }: ViewProps) {
  const id = Number(params.id)
  const path = { params: { path: { id } } }
  const found = useLoad(id, () => ask(client.GET('/api/v01/notebooks/{id}/print', path)))
  return (
    <Page
      title="Print"
      class="printed"
      actions={
        <>
          <a class="button" href={`/desk/notes/${id}`}>
            Back
          </a>
          <button type="button" class="main" onClick={() => print()}>
            Print
          </button>
        </>
      }
    >
      <Loaded of={found}>
        {({ pages }) =>
          pages.map((page, index) => (
            <svg
              key={page.id}
              class="paper"
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              role="img"
              aria-label={page.title || t('Page {number}', { number: index + 1 })}
            >
              <Drawing marks={toMarks(page.objects)} assets={page.assets} />
            </svg>
          ))
        }
      </Loaded>
    </Page>
  )
}
