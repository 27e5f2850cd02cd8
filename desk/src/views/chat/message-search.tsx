import { useState } from 'preact/hooks'
import { type Answer, ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { MarkedText } from '../../components/marked-text.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { lately, list } from '../../format.ts'

type FoundMessage = Answer<'/api/v01/chat/search', 'get'>['messages'][number]

/** Characters of a long message before its first match, and of all of it. */
const BEFORE = 30
const LONGEST = 160

interface MessageSearchProps {
  q: string
  /** Only messages of this conversation. */
  conversationId: number | undefined
}

/** The messages that have these words, newest first: each leads to its place. To be keyed by what is searched for. */
export function MessageSearch({ q, conversationId }: MessageSearchProps) {
  const [older, setOlder] = useState<Awaited<ReturnType<typeof read>>>()
  const read = (before?: number) =>
    ask(
      client.GET('/api/v01/chat/search', {
        params: {
          query: {
            q,
            ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
            ...(before === undefined ? {} : { before }),
          },
        },
      }),
    )
  const newest = useLoad('newest', () => read())
  return (
    <section class="found-messages" aria-label="Messages">
      <h2>Messages</h2>
      <Loaded of={newest}>
        {({ messages, has_more }) => {
          const all = [...messages, ...(older?.messages ?? [])]
          const last = all.at(-1)
          return (
            <>
              {all.length === 0 && <p class="lead">Nobody has written that.</p>}
              <ul>
                {all.map((each) => (
                  <li key={each.id}>
                    <a href={`/desk/chat/${each.conversation_id}?message=${each.id}`}>
                      <span class="row spread">
                        <strong>{each.sender_name}</strong>
                        <small>{lately(each.created_at)}</small>
                      </span>
                      <small class="latest">{each.conversation_name}</small>
                      <Excerpt message={each} />
                    </a>
                  </li>
                ))}
              </ul>
              {(older?.has_more ?? has_more) && last && (
                <Action
                  class="small"
                  act={async () => {
                    const page = await read(last.id)
                    setOlder({ ...page, messages: [...(older?.messages ?? []), ...page.messages] })
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

/** A message around the first of its matches, which are marked; or the files in whose names they are. */
function Excerpt({ message: { message, matches, attachments } }: { message: FoundMessage }) {
  if (message === '') return <span class="excerpt">{list(attachments.map(({ name }) => name))}</span>
  const characters = [...message]
  const from = Math.max(0, (matches[0]?.[0] ?? 0) - BEFORE)
  const to = Math.min(characters.length, from + LONGEST)
  const inside = matches.flatMap(([start = 0, length = 0]) => (start < to ? [[start - from, length]] : []))
  return (
    <span class="excerpt" dir="auto">
      {from > 0 && '…'}
      <MarkedText text={characters.slice(from, to).join('')} matches={inside} />
      {to < characters.length && '…'}
    </span>
  )
}
