import type { User } from '@exam-practice/client'
import type { Conversation, Room, RoomMessage } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { VList, type VListHandle } from 'virtua'
import { chat } from '../../../chat.ts'
import { useDebounced } from '../../../components/use-debounced.ts'
import { plural } from '../../../format.ts'
import type { ComposerTarget } from './composer.tsx'
import { Message } from './message.tsx'

interface MessagesProps {
  room: Room
  conversation: Conversation
  user: User
  take: (target: ComposerTarget) => void
  report: (message: RoomMessage) => void
}

/** Closer to the end than this, the list scrolls along with new messages. */
const NEAR_PX = 80
/** Closer to the beginning than this, older messages are fetched. */
const AHEAD_PX = 600
/** The list starts at the first unread message, if it is at most this many pages back. */
const PAGES_BACK = 20
const SETTLED_MS = 150

/**
 * The messages, of which only the visible ones are drawn. The list starts at the first unread message. At the end it
 * scrolls along with new messages; elsewhere it keeps its position while older ones are inserted above.
 */
export function Messages({ room, conversation, user, take, report }: MessagesProps) {
  const messages = useStore(room.$messages)
  const { status, hasMore } = useStore(room.$state)
  const readBy = useStore(room.$readBy)
  const list = useRef<VListHandle>(null)
  // The last message read before the room was opened; messages that arrive in view are not unread.
  const [readUpTo] = useState(conversation.last_read_seq)
  const isBegun = useBeginning(room, status, readUpTo)
  const isPlaced = useRef(false)
  const isFetching = useRef(false)
  /** undefined until the visible messages have been measured. */
  const [isAtEnd, setAtEnd] = useState<boolean>()
  // A ref as well, because messages grow before the state is updated, and must not scroll somebody back to the end.
  const follows = useRef(true)
  const offset = useRef(0)
  const firstUnread = findUnread(messages, readUpTo)
  const firstKey = messages[0]?.key
  const firstDrawn = useRef(firstKey)
  const isPrepended = isPlaced.current && firstDrawn.current !== firstKey
  useLayoutEffect(() => {
    firstDrawn.current = firstKey
  }, [firstKey])
  const toEnd = () => list.current?.scrollToIndex(messages.length - 1, { align: 'end' })
  const toUnread = (index: number) => list.current?.scrollToIndex(index, { align: 'start' })

  useLayoutEffect(() => {
    if (!isBegun || messages.length === 0) return
    if (isPlaced.current && !follows.current) return
    if (isPlaced.current || firstUnread < 0) toEnd()
    else toUnread(firstUnread)
    isPlaced.current = true
  }, [messages.length, isBegun])

  function place() {
    const shown = list.current
    if (!shown || !isPlaced.current) return
    const end = shown.scrollOffset + shown.viewportSize
    offset.current = shown.scrollOffset
    follows.current = end >= shown.scrollSize - NEAR_PX
    setAtEnd(follows.current)
    return end
  }
  /** Marks the visible messages as read once the list has stopped moving: until then sizes are estimates. */
  const look = useDebounced(() => {
    const end = place()
    if (end === undefined || document.visibilityState !== 'visible') return
    const seen = messages.slice(0, (list.current?.findItemIndex(end - 1) ?? 0) + 1)
    chat.read(room.id, seen.findLast(({ seq }) => seq !== null)?.seq ?? 0)
  }, SETTLED_MS)
  useEffect(() => {
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  useEffect(look, [messages.length])
  async function fetchOlder() {
    if (!list.current || list.current.scrollOffset > AHEAD_PX || !hasMore) return
    if (isFetching.current || !isPlaced.current) return
    isFetching.current = true
    await room.more().catch(() => {})
    isFetching.current = false
  }

  const others = Object.entries(readBy).filter(([id]) => Number(id) !== user.id)
  if (!isBegun)
    return (
      <div class="messages skeleton" aria-busy="true">
        <span class="unseen">Loading</span>
        <i />
        <i />
      </div>
    )
  return (
    <div class="messages">
      <VList
        ref={list as never}
        data={messages}
        shift={isPrepended}
        onScroll={() => {
          place()
          look()
          void fetchOlder()
        }}
        onResize={() => {
          // Scrolling up measures messages before the scroll event arrives.
          const isLeaving = (list.current?.scrollOffset ?? 0) < offset.current
          if (follows.current && isAtEnd && !isLeaving) toEnd()
          look()
        }}
        class="scroller"
        role="log"
        aria-label="Messages"
        tabIndex={0}
      >
        {(message: RoomMessage, index: number) => (
          <Message
            key={message.key}
            message={message}
            before={messages[index - 1]}
            isFirstUnread={index === firstUnread}
            isGroup={conversation.is_group}
            readers={
              message.is_own && message.seq !== null
                ? others.filter(([, seq]) => seq >= (message.seq ?? 0)).length
                : 0
            }
            audience={others.length}
            take={take}
            report={report}
          />
        )}
      </VList>
      {messages.length === 0 && <p class="lead first">Say hello: nothing has been written here yet.</p>}
      {isAtEnd === false && (
        <button
          type="button"
          class="to-end small"
          onClick={() => {
            const unread = findUnread(messages, conversation.last_read_seq)
            const shown = list.current
            const last = shown?.findItemIndex(shown.scrollOffset + shown.viewportSize) ?? 0
            // At the first unread message already, so the button leads to the end.
            if (unread > last + 1) toUnread(unread)
            else toEnd()
          }}
        >
          {conversation.unread > 0 ? `${plural(conversation.unread, 'new message')} ↓` : 'To the latest ↓'}
        </button>
      )}
    </div>
  )
}

/** Fetches older messages until the first unread one is there, or `PAGES_BACK` pages. True when done. */
function useBeginning(room: Room, status: string, readUpTo: number): boolean {
  const [isBegun, setBegun] = useState(false)
  useEffect(() => {
    if (status !== 'ready' || isBegun) return
    let isGone = false
    void reachBack(room, readUpTo, () => isGone).finally(() => isGone || setBegun(true))
    return () => {
      isGone = true
    }
  }, [room, status])
  return isBegun
}

async function reachBack(room: Room, readUpTo: number, isGone: () => boolean): Promise<void> {
  for (let page = 0; page < PAGES_BACK && !isGone(); page++) {
    const first = room.$messages.get()[0]?.seq
    if (!room.$state.get().hasMore || !first || first <= readUpTo + 1) return
    await room.more().catch(() => {})
  }
}

function findUnread(messages: readonly RoomMessage[], readUpTo: number): number {
  return messages.findIndex(({ seq, is_own }) => seq !== null && seq > readUpTo && !is_own)
}
