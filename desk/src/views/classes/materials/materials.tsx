import './materials.css'
import { useStore } from '@nanostores/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { promptForText } from '../../../components/dialogs/prompts.tsx'
import { $beingDeleted, deleteSoon, OUTLIVING } from '../../../components/dialogs/toasts.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Search } from '../../../components/forms/search.tsx'
import { Closed } from '../../../components/page/help-gate.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { useLive } from '../../../components/page/use-live.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import { bytes, list } from '../../../format.ts'
import { $isHelpLocked } from '../../../help-lock.ts'
import { t } from '../../../texts.ts'
import type { Material } from './address.ts'
import { Passages } from './passages.tsx'
import { $uploads, giveFiles, type MaterialUpload } from './uploads.ts'

/** Addresses of files end after one to two hours. */
const FRESH_MS = 50 * 60_000

interface MaterialsProps {
  id: number
  /** Whether the person gives the class files, renames and deletes them. */
  writes: boolean
}

/** What the teachers of a class gave it to read, and a search of it; closed during an exam that locks help. */
export function Materials(props: MaterialsProps) {
  return useStore($isHelpLocked) ? <Closed promise={t('The materials wait here.')} /> : <Open {...props} />
}

/** What is read meanwhile appears by itself. */
function Open({ id, writes }: MaterialsProps) {
  const found = useLoad(id, () =>
    ask(client.GET('/api/v01/classes/{id}/materials', { params: { path: { id } } })),
  )
  const { reload } = found
  useLive(reload, (frame) => frame.type === 'material' && frame.class_id === id, `class:${id}`)
  useEffect(() => {
    const timer = setInterval(() => void reload(), FRESH_MS)
    return () => clearInterval(timer)
  }, [reload])
  const [q, setQ] = useState('')
  const deleted = useStore($beingDeleted)
  const uploads = useStore($uploads).filter(({ classId }) => classId === id)
  const give = (files: Iterable<File>) => giveFiles(id, files, reload)
  return (
    <section
      class="sheet"
      aria-labelledby="materials"
      {...(writes
        ? {
            onDragOver: (event: DragEvent) => event.preventDefault(),
            onDrop: (event: DragEvent) => {
              event.preventDefault()
              give(event.dataTransfer?.files ?? [])
            },
          }
        : {})}
    >
      <h2 id="materials">Materials</h2>
      <Loaded of={found}>
        {({ materials }) => {
          const shown = materials.filter((each) => !deleted.has(keyOf(each)))
          const isEmpty = shown.length === 0 && uploads.length === 0
          return (
            <>
              {isEmpty ? (
                <Empty title="No materials yet">
                  <p>
                    {writes
                      ? 'Give the class its script: students read and search it here, and the tutor names the page that an answer stands on.'
                      : 'What your teachers give the class to read is here.'}
                  </p>
                  {writes && <Chooser give={give} />}
                </Empty>
              ) : (
                <>
                  {writes && <Chooser give={give} />}
                  <Search label="Search the materials" value={q} take={setQ} />
                </>
              )}
              {q !== '' && <Passages key={q} classId={id} q={q} materials={materials} />}
              <ul class="list">
                {uploads.map((each) => (
                  <Upload key={each.id} of={each} again={() => give([each.file])} />
                ))}
                {shown.map((each) => (
                  <Entry key={each.id} classId={id} material={each} writes={writes} reload={reload} />
                ))}
              </ul>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

const keyOf = ({ id }: Material) => `material-${id}`

function Chooser({ give }: { give: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div class="row">
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Files"
        multiple
        accept=".pdf,.md,.markdown,.txt,application/pdf,text/markdown,text/plain"
        onChange={({ currentTarget }) => {
          give(currentTarget.files ?? [])
          // The same file can be chosen again.
          currentTarget.value = ''
        }}
      />
      <button type="button" class="main" onClick={() => input.current?.click()}>
        Choose files
      </button>
      <small>Or drop them here: PDF up to 30 MB and 500 pages, Markdown and plain text up to 2 MB</small>
    </div>
  )
}

function Upload({ of: { file, share, error, cancel }, again }: { of: MaterialUpload; again: () => void }) {
  return (
    <li class="material stack tight">
      <div class="row spread">
        <strong>
          <bdi>{file.name}</bdi>
        </strong>
        <div class="row">
          {error !== undefined && (
            <button
              type="button"
              class="quiet small"
              onClick={() => {
                cancel()
                again()
              }}
            >
              Try again
            </button>
          )}
          <button type="button" class="quiet small" onClick={cancel}>
            {error === undefined ? 'Cancel' : 'Remove'}
          </button>
        </div>
      </div>
      {error === undefined ? (
        <progress class="meter" aria-label={t('Upload: {name}', { name: file.name })} max={1} value={share} />
      ) : (
        <p class="notice bad" role="alert">
          {error}
        </p>
      )}
    </li>
  )
}

interface EntryProps {
  classId: number
  material: Material
  writes: boolean
  reload: () => Promise<void>
}

function Entry({ classId, material, writes, reload }: EntryProps) {
  const { id, title, status, error, url } = material
  const path = { params: { path: { id: classId, material_id: id } } }
  return (
    <li class="material stack tight">
      <div class="row spread">
        <a href={url} target="_blank" rel="noopener">
          <strong>
            <bdi>{title}</bdi>
          </strong>
        </a>
        {writes && (
          <div class="row">
            <Action
              class="quiet small"
              aria-label={t('Rename: {name}', { name: title })}
              act={async () => {
                const asked = { label: t('Title'), value: title }
                const name = await promptForText(t('Rename the material'), t('Rename'), asked)
                if (!name || name === title) return
                await ask(
                  client.PATCH('/api/v01/classes/{id}/materials/{material_id}', {
                    ...path,
                    body: { title: name },
                  }),
                )
                await reload()
              }}
            >
              Rename
            </Action>
            <button
              type="button"
              class="quiet small"
              aria-label={t('Delete: {name}', { name: title })}
              onClick={() =>
                deleteSoon(keyOf(material), t('“{title}” deleted', { title }), async () => {
                  await ask(
                    client.DELETE('/api/v01/classes/{id}/materials/{material_id}', { ...path, ...OUTLIVING }),
                  )
                  await reload()
                })
              }
            >
              Delete
            </button>
          </div>
        )}
      </div>
      <p class="row" role="status">
        {status === 'reading' && <span class="chip">Being read</span>}
        {status === 'failed' && <span class="chip bad">Can’t be searched</span>}
        <small>{describe(material)}</small>
      </p>
      {error !== null && <p lang="en">{error}</p>}
    </li>
  )
}

/** How long it is, and what of it could not be read. */
function describe({ type, size, pages, unreadable_pages, status }: Material): string {
  const parts = [bytes(size)]
  if (pages !== null && type === 'pdf')
    parts.push(t('{count, plural, one {# page} other {# pages}}', { count: pages }))
  if (pages !== null && type === 'markdown')
    parts.push(t('{count, plural, one {# part} other {# parts}}', { count: pages }))
  if (unreadable_pages && status === 'ready')
    parts.push(
      t(
        '{count, plural, one {# page without text, such as a scan, isn’t found} other {# pages without text, such as scans, aren’t found}}',
        { count: unreadable_pages },
      ),
    )
  return list(parts)
}
