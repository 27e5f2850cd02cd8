import { ask, client } from '../../../client.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { t } from '../../../texts.ts'
import { addressOf, type Material } from './address.ts'

interface PassagesProps {
  classId: number
  q: string
  materials: readonly Material[]
}

/** Passages of a class's materials that have these words: each leads to its page. To be keyed by what is searched for. */
export function Passages({ classId, q, materials }: PassagesProps) {
  const found = useLoad(q, () =>
    ask(
      client.GET('/api/v01/classes/{id}/materials/search', {
        params: { path: { id: classId }, query: { q, limit: 20 } },
      }),
    ),
  )
  return (
    <section class="stack tight" aria-label="Passages">
      <Loaded of={found}>
        {({ passages }) => (
          <>
            <p role="status" class="lead">
              {passages.length === 0
                ? 'Nothing matches.'
                : t('{count, plural, one {# passage} other {# passages}}', { count: passages.length })}
            </p>
            <ul class="list">
              {passages.map(({ material_id, title, page, text, matches }, index) => {
                const material = materials.find(({ id }) => id === material_id)
                const where = <PagePlace title={title} page={page} material={material} />
                return (
                  <li key={`${material_id} ${index}`} class="stack tight">
                    {material ? (
                      <a href={addressOf(material, page)} target="_blank" rel="noopener">
                        {where}
                      </a>
                    ) : (
                      where
                    )}
                    <p class="passage" dir="auto">
                      <MarkedText text={text} matches={matches} />
                    </p>
                  </li>
                )
              })}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  )
}

function PagePlace({
  title,
  page,
  material,
}: {
  title: string
  page: number
  material: Material | undefined
}) {
  return (
    <>
      {material?.type === 'markdown'
        ? t('{title}, part {page}', { title, page })
        : material?.type === 'text'
          ? title
          : t('{title}, page {page}', { title, page })}
    </>
  )
}
