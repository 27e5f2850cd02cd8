import { useEffect, useRef } from 'preact/hooks'
import { type Answer, ask, client } from '../../client.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'
import { addressOf } from '../classes/materials/address.ts'

export type Source = Answer<'/api/v01/assistant/messages', 'post'>['sources'][number]

/** Characters of a search that the service takes. */
const LONGEST_SEARCH = 200
const MOST_PASSAGES = 20
/** Where a page has room beside an answer, and browsers show PDFs in a page. */
const SHOWS_PDF = navigator.pdfViewerEnabled && matchMedia('(min-width: 64rem)').matches

interface SourcePageProps {
  source: Source
  classId: number | null
  close: () => void
}

/** The page that a mark names, with the sentence that bears the answer out; without the service that sentence alone. */
export function SourcePage({ source, classId, close }: SourcePageProps) {
  const { n, material_id, title, page, quote } = source
  const place = useRef<HTMLElement>(null)
  useEffect(() => place.current?.focus(), [])
  const isThere = classId !== null && material_id !== null
  const found = useLoad(n, async () =>
    isThere ? readPage({ classId, materialId: material_id, page, quote }) : undefined,
  )
  const { material, text = quote } = found.data ?? {}
  return (
    <section
      ref={place}
      class="source sheet"
      tabIndex={-1}
      aria-label={t('Source {n}', { n })}
      aria-busy={found.isLoading}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <div class="row spread">
        <strong>
          {material?.type === 'text' ? (
            <bdi>{title}</bdi>
          ) : material?.type === 'markdown' ? (
            t('{title}, part {page}', { title, page })
          ) : (
            t('{title}, page {page}', { title, page })
          )}
        </strong>
        <button type="button" class="quiet small" onClick={close}>
          Close
        </button>
      </div>
      <blockquote dir="auto">
        <MarkedText text={text} matches={[placeOf(quote, text)]} />
      </blockquote>
      {material_id === null && <p class="lead">The material was deleted; this is what it said.</p>}
      {material_id !== null && (found.error !== undefined || !isThere) && (
        <p class="lead">The page can’t be opened now; this is what it says.</p>
      )}
      {material && (
        <>
          <p>
            <a href={addressOf(material, page)} target="_blank" rel="noopener">
              {material.type === 'pdf' ? t('Open page {page}', { page }) : 'Open the file'}
            </a>
          </p>
          {material.type === 'pdf' && SHOWS_PDF && (
            <iframe src={addressOf(material, page)} title={t('{title}, page {page}', { title, page })} />
          )}
        </>
      )}
    </section>
  )
}

/** The material with a fresh address, and the passage around the sentence. */
async function readPage({
  classId: id,
  materialId,
  page,
  quote,
}: {
  classId: number
  materialId: number
  page: number
  quote: string
}) {
  const [{ material }, { passages }] = await Promise.all([
    ask(
      client.GET('/api/v01/classes/{id}/materials/{material_id}', {
        params: { path: { id, material_id: materialId } },
      }),
    ),
    ask(
      client.GET('/api/v01/classes/{id}/materials/search', {
        params: { path: { id }, query: { q: toSearch(quote), limit: MOST_PASSAGES } },
      }),
    ),
  ])
  const passage = passages.find(
    (each) => each.material_id === materialId && each.page === page && each.text.includes(quote),
  )
  return { material, text: passage?.text ?? quote }
}

/** As many of the words of a sentence as are looked for at once. */
function toSearch(quote: string): string {
  const characters = [...quote]
  const beginning = characters.slice(0, LONGEST_SEARCH).join('')
  return characters.length > LONGEST_SEARCH ? beginning.replace(/\s\S*$/, '') : beginning
}

function placeOf(quote: string, text: string): [start: number, length: number] {
  return [[...text.slice(0, text.indexOf(quote))].length, [...quote].length]
}
