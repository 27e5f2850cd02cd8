import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { ask, client } from '../client.ts'
import { Action } from '../components/forms/button.tsx'
import { Empty, Loaded } from '../components/page/load-states.tsx'
import { Page } from '../components/page/page.tsx'
import { useLoad } from '../components/page/use-load.ts'
import { moment } from '../format.ts'
import { $notices, hrefOf, lookForNotices, type Notice, readNotices } from '../notices.ts'

const PAGE_SIZE = 30

/** Everything that the person was told, newest first. What is shown counts as read, and stays marked as new. */
export default function WhatIsNew() {
  const found = useLoad('notices', lookForNotices)
  const newest = useStore($notices)
  const [older, setOlder] = useState<readonly Notice[]>([])
  const [isAll, setAll] = useState(false)
  /** Those that were new when they were first seen here. */
  const [fresh, setFresh] = useState<ReadonlySet<number>>(new Set())
  const shown = [...newest, ...older.filter(({ id }) => id < (newest.at(-1)?.id ?? 0))]
  useEffect(() => {
    const unread = newest.filter(({ read }) => !read)
    if (unread.length === 0) return
    setFresh((before) => new Set([...before, ...unread.map(({ id }) => id)]))
    void readNotices(newest).catch(() => {})
  }, [newest])
  const showOlder = async () => {
    const before = shown.at(-1)?.id
    const query = { limit: PAGE_SIZE, ...(before === undefined ? {} : { before }) }
    const { notices } = await ask(client.GET('/api/v01/notices', { params: { query } }))
    setOlder([...older, ...notices])
    setAll(notices.length < PAGE_SIZE)
  }
  return (
    <Page
      title="What is new"
      actions={
        <a class="button" href="/desk/account#notices">
          What you are told of
        </a>
      }
    >
      <Loaded of={found}>
        {() =>
          shown.length === 0 ? (
            <Empty title="You have seen everything">
              <p>New exams of your classes, results, answers and news of your teachers appear here.</p>
              <a class="button" href="/desk/classes">
                To your classes
              </a>
            </Empty>
          ) : (
            <section class="sheet">
              <NoticeList notices={shown} fresh={fresh} />
              {!isAll && shown.length >= PAGE_SIZE && (
                <Action class="small" act={showOlder}>
                  Older ones
                </Action>
              )}
            </section>
          )
        }
      </Loaded>
    </Page>
  )
}

/** Notices with where they lead; those of `fresh` are marked. */
export function NoticeList({ notices, fresh }: { notices: readonly Notice[]; fresh: ReadonlySet<number> }) {
  return (
    <ul class="list">
      {notices.map((notice) => (
        <li key={notice.id} class="row spread">
          <span>
            <a href={hrefOf(notice)}>
              <bdi>{notice.title}</bdi>
            </a>{' '}
            {fresh.has(notice.id) && <span class="chip good">New</span>}
            <br />
            <bdi>{notice.body}</bdi>
          </span>
          <small>
            <time dateTime={notice.at}>{moment(notice.at)}</time>
          </small>
        </li>
      ))}
    </ul>
  )
}
