import type { User } from '@exam-practice/client'
import type { Conversation, Room, RoomMessage } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { VList, type VListHandle } from 'virtua'
import { chat } from '../../../chat.ts'
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

/** So near to the end that what comes next is followed. */
const NEAR_PX = 80
/** So near to the beginning that older ones are fetched. */
const AHEAD_PX = 600
/** It begins at what is unread if that lies no more pages back than these. */
const PAGES_BACK = 20
const SETTLED_MS = 150

/**
 * What was said, of which only what is in sight is drawn. It begins at what is unread, stays at the end while one is
 * there, and stays where one reads while older messages come in above.
 */
export function Messages({ room, conversation, user, take, report }: MessagesProps) {
  const messages = useStore(room.$messages)
  const { status, hasMore } = useStore(room.$state)
  const readBy = useStore(room.$readBy)
  const list = useRef<VListHandle>(null)
  // Where reading began this time; what comes while one looks on is not unread.
  const [readUpTo] = useState(conversation.last_read_seq)
  const isBegun = useBeginning(room, status, readUpTo)
  const isPlaced = useRef(false)
  const isFetching = useRef(false)
  /** undefined until what is in sight has been measured. */
  const [isAtEnd, setAtEnd] = useState<boolean>()
  // What grows is drawn before the state is: whoever scrolls away must not be pulled back by it.
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
  /** Whatever rests in sight is read; before that it may be no more than an estimate of what will be. */
  const look = useSettled(() => {
    const end = place()
    if (end === undefined || document.visibilityState !== 'visible') return
    const seen = messages.slice(0, (list.current?.findItemIndex(end - 1) ?? 0) + 1)
    chat.read(room.id, seen.findLast(({ seq }) => seq !== null)?.seq ?? 0)
  })
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
          // What is measured upon scrolling up comes before the news of the scrolling.
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
            // Where one reads on from what is unread already, the end is what is missing.
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

/** What is asked for comes once nothing more has been asked for during a moment. */
function useSettled(work: () => void): () => void {
  const latest = useRef(work)
  latest.current = work
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => latest.current(), SETTLED_MS)
  }, [])
}

/** True once the room holds what is unread, or as much of it as is worth fetching. */
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
