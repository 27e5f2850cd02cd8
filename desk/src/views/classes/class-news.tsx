import { useStore } from '@nanostores/preact'
import { useRef, useState } from 'preact/hooks'
import { type Answer, ask, client } from '../../client.ts'
import { $beingDeleted, deleteSoon, OUTLIVING } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Area, Check } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { useLive } from '../../components/page/use-live.ts'
import { useLoad } from '../../components/page/use-load.ts'
import { RichText } from '../../components/rich-text/rich-text.tsx'
import { lately, moment } from '../../format.ts'
import { t } from '../../texts.ts'

type News = Answer<'/api/v01/classes/{id}/news', 'get'>['news'][number]

const PAGE_SIZE = 20
const MOST_TEXT = 4_000

interface ClassNewsProps {
  id: number
  /** Whether the person tells the class something. */
  writes: boolean
  /** Whether they change what is there. */
  changes: boolean
}

/** What the teachers of a class tell it; news that come meanwhile appear by themselves, and nothing else moves. */
export function ClassNews({ id, writes, changes }: ClassNewsProps) {
  /** How many pages are shown: all of them are read again, so that nothing is missed between two. */
  const pages = useRef(1)
  const found = useLoad(id, () => readPages(id, pages.current))
  const { reload } = found
  useLive(reload, (frame) => frame.type === 'class_news' && frame.class_id === id, `class:${id}`)
  const deleted = useStore($beingDeleted)
  return (
    <section class="sheet" aria-labelledby="news">
      <h2 id="news">News</h2>
      {writes && <Write id={id} reload={reload} />}
      <Loaded of={found}>
        {({ news, hasMore }) => {
          const shown = news.filter((each) => !deleted.has(keyOf(each)))
          return (
            <>
              {shown.length === 0 && (
                <Empty title="No news yet">
                  <p>
                    {writes
                      ? 'What you publish is here for everybody in the class, at once.'
                      : 'What your teachers tell the class is here.'}
                  </p>
                </Empty>
              )}
              <ul class="list">
                {shown.map((each) => (
                  <Entry key={each.id} classId={id} news={each} changes={changes} reload={reload} />
                ))}
              </ul>
              {hasMore && (
                <Action
                  class="small"
                  act={async () => {
                    pages.current += 1
                    await reload()
                  }}
                >
                  Older ones
                </Action>
              )}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

async function readPages(id: number, count: number): Promise<{ news: News[]; hasMore: boolean }> {
  const news = new Map<number, News>()
  let before: number | undefined
  for (let page = 0; page < count; page++) {
    const params = { path: { id }, query: before === undefined ? {} : { before } }
    const { news: read } = await ask(client.GET('/api/v01/classes/{id}/news', { params }))
    for (const each of read) news.set(each.id, each)
    if (read.length < PAGE_SIZE) return { news: [...news.values()], hasMore: false }
    before = read.at(-1)?.id
  }
  return { news: [...news.values()], hasMore: true }
}

const keyOf = ({ id }: News) => `class-news-${id}`

function Write({ id, reload }: { id: number; reload: () => Promise<void> }) {
  return (
    <Form
      button="Publish"
      clears
      draft={`class-news-${id}`}
      send={async ({ text, pinned }) => {
        await ask(
          client.POST('/api/v01/classes/{id}/news', {
            params: { path: { id } },
            body: { text: String(text), pinned: pinned !== undefined },
          }),
        )
        await reload()
      }}
    >
      <Area label="Tell the class something" name="text" rows={3} required maxLength={MOST_TEXT} />
      <Check label="Pin to the top" name="pinned" />
    </Form>
  )
}

interface EntryProps {
  classId: number
  news: News
  changes: boolean
  reload: () => Promise<void>
}

function Entry({ classId, news, changes, reload }: EntryProps) {
  const [isEdited, setEdited] = useState(false)
  const path = { params: { path: { id: classId, news_id: news.id } } }
  const time = lately(news.created_at)
  return (
    <li>
      <article class="stack tight">
        <p class="row">
          <strong>
            <bdi>{news.author_name}</bdi>
          </strong>
          <small title={moment(news.created_at)}>
            {news.edited_at === null ? time : t('{time} · edited', { time })}
          </small>
          {news.pinned && <span class="chip good">Pinned</span>}
        </p>
        {isEdited ? (
          <Form
            button="Save"
            draft={`class-news-edit-${news.id}`}
            aside={
              <button type="button" class="quiet" onClick={() => setEdited(false)}>
                Cancel
              </button>
            }
            send={async ({ text }) => {
              await ask(
                client.PATCH('/api/v01/classes/{id}/news/{news_id}', {
                  ...path,
                  body: { text: String(text) },
                }),
              )
              setEdited(false)
              await reload()
            }}
          >
            <Area label="News" name="text" value={news.text} required maxLength={MOST_TEXT} />
          </Form>
        ) : (
          <RichText text={news.text} />
        )}
        {changes && !isEdited && (
          <p class="row">
            <button type="button" class="quiet small" onClick={() => setEdited(true)}>
              Edit
            </button>
            <Action
              class="quiet small"
              act={async () => {
                const body = { pinned: !news.pinned }
                await ask(client.PATCH('/api/v01/classes/{id}/news/{news_id}', { ...path, body }))
                await reload()
              }}
            >
              {news.pinned ? 'Unpin' : 'Pin'}
            </Action>
            <button
              type="button"
              class="quiet small"
              onClick={() =>
                deleteSoon(keyOf(news), t('News deleted'), async () => {
                  await ask(client.DELETE('/api/v01/classes/{id}/news/{news_id}', { ...path, ...OUTLIVING }))
                  await reload()
                })
              }
            >
              Delete
            </button>
          </p>
        )}
      </article>
    </li>
  )
}
