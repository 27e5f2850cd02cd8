import './tutor.css'
import { useStore } from '@nanostores/preact'
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { promptForText } from '../../components/dialogs/prompts.tsx'
import { $beingDeleted, deleteSoon, OUTLIVING } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Search } from '../../components/forms/search.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { plainSummaryOf } from '../../components/rich-text/summary.ts'
import { go, renameView } from '../../router.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { AboutClass } from './about-class.tsx'
import { Exchange } from './exchange.tsx'
import { Message } from './message.tsx'

const STORED_MS = 1_500

/** The conversation that is shown. */
interface Thread {
  /** The id in the address when it was last drawn. */
  address: number | undefined
  /** Its id, if it was started here. */
  begun: number | undefined
  isFromService: boolean
  key: string
  /** The person asked for a new one, and goes on in its field. */
  isFocused?: boolean
}

let threads = 0

function threadOf(id: number | undefined): Omit<Thread, 'address'> {
  threads += 1
  return { begun: undefined, isFromService: id !== undefined, key: `thread-${threads}` }
}

/** Conversations with the study assistant. */
export default function TutorView({ params }: ViewProps) {
  const id = params.id ? Number(params.id) : undefined
  const [search, setSearch] = useState('')
  const [remaining, setRemaining] = useState<number>()
  // A conversation that was started here stays as it is: only the address changes, and that may be drawn before or
  // after.
  const thread = useRef<Thread>(undefined as never)
  thread.current ??= { address: id, ...threadOf(id) }
  if (id !== thread.current.address)
    thread.current = {
      ...(id === thread.current.begun ? thread.current : threadOf(id)),
      address: id,
    }
  const { key, isFromService, isFocused } = thread.current
  const section = useRef<HTMLElement>(null)
  const [, redraw] = useReducer<number, void>((times) => times + 1, 0)
  /** How many pages of conversations are shown. */
  const pages = useRef(1)
  const list = useLoad(search, () => readConversations(search, pages.current))
  const left = remaining ?? list.data?.quota
  const deleted = useStore($beingDeleted)
  return (
    <Page
      title="Tutor"
      lead={
        left === undefined
          ? 'Ask anything about what you study.'
          : t(
              'Ask anything about what you study. {count, plural, one {# question} other {# questions}} left today.',
              { count: left },
            )
      }
      actions={
        <button
          type="button"
          class="main"
          onClick={() => {
            thread.current = { address: id, ...threadOf(undefined), isFocused: true }
            redraw()
            renameView('/desk/tutor', 'push')
          }}
        >
          New conversation
        </button>
      }
    >
      <div class="tutor">
        <section class="stack tight" aria-label="Earlier conversations">
          <Search
            label="Search conversations"
            value={search}
            take={(text) => {
              pages.current = 1
              setSearch(text)
            }}
          />
          <Loaded of={list}>
            {({ conversations, hasMore }) => {
              const kept = conversations.filter((each) => !deleted.has(`tutor-${each.id}`))
              return (
                <>
                  <ul class="list conversations">
                    {kept.length === 0 && <li class="lead">{search ? 'Nothing matches.' : 'None yet.'}</li>}
                    {kept.map((each) => (
                      <li key={each.id}>
                        <a href={`/desk/tutor/${each.id}`} aria-current={each.id === id ? 'page' : undefined}>
                          {plainSummaryOf(each.title)}
                        </a>
                      </li>
                    ))}
                  </ul>
                  {hasMore && (
                    <Action
                      class="small"
                      act={() => {
                        pages.current += 1
                        return list.reload()
                      }}
                    >
                      Show older conversations
                    </Action>
                  )}
                </>
              )
            }}
          </Loaded>
        </section>
        <section ref={section} class="sheet" aria-label="Conversation">
          {id === undefined && <Beginning />}
          {id !== undefined && isFromService && (
            <Earlier
              key={id}
              id={id}
              reload={list.reload}
              shown={() => section.current?.scrollIntoView({ block: 'end' })}
            />
          )}
          <Exchange
            key={key}
            conversationId={id}
            draft={isFromService ? String(id) : 'new'}
            {...(id === undefined ? { suggestions: IDEAS } : {})}
            isFocused={isFocused ?? false}
            remaining={setRemaining}
            opened={(opened) => {
              if (opened === id) return
              thread.current.begun = opened
              renameView(`/desk/tutor/${opened}`)
              void list.reload()
            }}
            stopped={() => {
              setRemaining(undefined)
              setTimeout(() => void list.reload(), STORED_MS)
            }}
          />
        </section>
      </div>
    </Page>
  )
}

/** The newest conversations, so many pages of them, and how many questions are left today. */
async function readConversations(search: string, pages: number) {
  const read = (cursor?: string | null) =>
    ask(
      client.GET('/api/v01/assistant/conversations', {
        params: { query: { limit: 50, search: search || undefined, cursor: cursor ?? undefined } },
      }),
    )
  const first = await read()
  const conversations = [...first.conversations]
  let cursor = first.nextCursor
  for (let page = 1; page < pages && cursor !== null; page++) {
    const next = await read(cursor)
    conversations.push(...next.conversations)
    cursor = next.nextCursor
  }
  const quota = 'dailyLimit' in first ? first.dailyLimit - first.questionsUsed : undefined
  return { conversations, quota, hasMore: cursor !== null }
}

const IDEAS = [
  t('Why does this rule hold?'),
  t('Show me a worked example.'),
  t('Here is my solution: where does it go wrong?'),
]

function Beginning() {
  return (
    <div class="beginnings">
      <h2>What would you like to understand?</h2>
      <p class="lead">Formulas ($x^2$), lists, tables and code are drawn, in your questions too.</p>
    </div>
  )
}

interface EarlierProps {
  id: number
  reload: () => Promise<void>
  shown: () => void
}

function Earlier({ id, reload, shown }: EarlierProps) {
  const path = { params: { path: { id } } }
  const read = (cursor?: string) =>
    ask(
      client.GET('/api/v01/assistant/conversations/{id}/messages', {
        params: { path: { id }, query: { limit: 100, ...(cursor ? { cursor } : {}) } },
      }),
    )
  const found = useLoad(id, () => read())
  const isRead = found.data !== undefined
  useEffect(() => {
    if (isRead) shown()
  }, [isRead])
  const [older, setOlder] = useState<Awaited<ReturnType<typeof read>>[]>([])
  return (
    <Loaded of={found}>
      {({ messages, conversation, ...newest }) => (
        <>
          <div class="row spread">
            <h2>{plainSummaryOf(conversation.title)}</h2>
            <div class="row">
              <Action
                class="quiet small"
                act={async () => {
                  const title = await promptForText(t('Rename the conversation'), t('Rename'), {
                    label: t('What is it about?'),
                    value: conversation.title,
                  })
                  if (!title) return
                  await ask(
                    client.PATCH('/api/v01/assistant/conversations/{id}', { ...path, body: { title } }),
                  )
                  await Promise.all([found.reload(), reload()])
                }}
              >
                Rename
              </Action>
              <button
                type="button"
                class="small bad"
                onClick={() => {
                  deleteSoon(
                    `tutor-${id}`,
                    t('“{conversation}” deleted', { conversation: conversation.title }),
                    () =>
                      ask(client.DELETE('/api/v01/assistant/conversations/{id}', { ...path, ...OUTLIVING })),
                  )
                  go('/desk/tutor', 'replace')
                }}
              >
                Delete
              </button>
            </div>
          </div>
          {conversation.class_id !== null && <AboutClass id={conversation.class_id} />}
          {(older[0] ?? newest).nextCursor !== null && (
            <Action
              class="small"
              act={async () => {
                const cursor = (older[0] ?? newest).nextCursor ?? undefined
                const page = await read(cursor)
                setOlder((before) => [page, ...before])
              }}
            >
              Show earlier messages
            </Action>
          )}
          <div class="turns">
            {[...older.flatMap((page) => page.messages), ...messages].map((message) => (
              <Message
                key={message.id}
                isUser={message.isUser}
                text={message.text}
                sources={message.sources}
                classId={conversation.class_id}
              />
            ))}
          </div>
        </>
      )}
    </Loaded>
  )
}
