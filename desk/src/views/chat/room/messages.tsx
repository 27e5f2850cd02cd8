import type { User } from '@exam-practice/client'
import type { Conversation, Room, RoomMessage } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { VList, type VListHandle } from 'virtua'
import { chat } from '../../../chat.ts'
import { showToast } from '../../../components/dialogs/toasts.tsx'
import { useDebounced } from '../../../components/use-debounced.ts'
import { t } from '../../../texts.ts'
import type { ComposerTarget } from './composer.tsx'
import { Message } from './message.tsx'
import type { Names } from './use-members.ts'

/** A message that somebody wants to see; another object each time. */
export interface Jump {
  id: number
}

interface MessagesProps {
  room: Room
  conversation: Conversation
  user: User
  names: Names
  /** Where to go, unless to the first unread message. */
  sought: Jump | undefined
  jump: (messageId: number) => void
  take: (target: ComposerTarget) => void
  report: (message: RoomMessage) => void
}

/** Closer to the end than this, the list scrolls along with new messages. */
const NEAR_PX = 80
/** Closer to an end than this, further messages are fetched. */
const AHEAD_PX = 600
/** The list starts at the first unread message, if it is at most this many pages back. */
const PAGES_BACK = 20
const SETTLED_MS = 150
/** How long a message stays marked after somebody was led to it. */
const MARKED_MS = 4_000

/**
 * The messages, of which only the visible ones are drawn. The list starts at the first unread message. At the end it
 * scrolls along with new messages; elsewhere it keeps its position while older ones are inserted above. A jump shows
 * those around another message, from where one can scroll on in both directions.
 */
export function Messages({ room, conversation, user, names, sought, jump, take, report }: MessagesProps) {
  const messages = useStore(room.$messages)
  const { status, hasMore, hasNewer } = useStore(room.$state)
  const readBy = useStore(room.$readBy)
  const list = useRef<VListHandle>(null)
  // The last message read before the room was opened; messages that arrive in view are not unread.
  const [readUpTo] = useState(conversation.last_read_seq)
  const isBegun = useBeginning(room, status, readUpTo, sought)
  const isPlaced = useRef(false)
  const isFetching = useRef(false)
  /** undefined until the visible messages have been measured. */
  const [isAtEnd, setAtEnd] = useState<boolean>()
  // A ref as well, because messages grow before the state is updated, and must not scroll somebody back to the end.
  const follows = useRef(true)
  const offset = useRef(0)
  // Of another part of the conversation nothing is where it was: the list begins anew.
  const [part, setPart] = useState(0)
  const [marked, setMarked] = useState<Jump>()
  const firstUnread = findUnread(messages, readUpTo)
  const firstKey = messages[0]?.key
  const firstDrawn = useRef(firstKey)
  const isPrepended = isPlaced.current && firstDrawn.current !== firstKey
  useLayoutEffect(() => {
    firstDrawn.current = firstKey
  }, [firstKey])
  const toEnd = () => list.current?.scrollToIndex(messages.length - 1, { align: 'end' })
  const toUnread = (index: number) => list.current?.scrollToIndex(index, { align: 'start' })

  useEffect(() => {
    if (!sought) return
    let isGone = false
    follows.current = false
    void room.jump(sought.id).then((isThere) => {
      if (isGone) return
      if (!isThere) return showToast(t('That message can’t be found'), true)
      isPlaced.current = false
      setMarked(sought)
      setPart((before) => before + 1)
    })
    return () => {
      isGone = true
    }
  }, [room, sought])
  useEffect(() => {
    if (!marked) return
    const timer = setTimeout(() => setMarked(undefined), MARKED_MS)
    return () => clearTimeout(timer)
  }, [marked])

  useLayoutEffect(() => {
    if (!isBegun || messages.length === 0) return
    if (isPlaced.current && !follows.current) return
    const there = isPlaced.current || !marked ? -1 : messages.findIndex(({ id }) => id === marked.id)
    if (there >= 0) list.current?.scrollToIndex(there, { align: 'center' })
    else if (isPlaced.current || firstUnread < 0) toEnd()
    else toUnread(firstUnread)
    isPlaced.current = true
  }, [messages.length, isBegun, part])

  function place() {
    const shown = list.current
    if (!shown || !isPlaced.current) return
    const end = shown.scrollOffset + shown.viewportSize
    offset.current = shown.scrollOffset
    follows.current = !hasNewer && end >= shown.scrollSize - NEAR_PX
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
  async function fetchFurther() {
    const shown = list.current
    if (!shown || isFetching.current || !isPlaced.current) return
    const isAbove = hasMore && shown.scrollOffset <= AHEAD_PX
    const isBelow = hasNewer && shown.scrollOffset + shown.viewportSize >= shown.scrollSize - AHEAD_PX
    if (!isAbove && !isBelow) return
    isFetching.current = true
    await (isAbove ? room.more() : room.newer()).catch(() => {})
    isFetching.current = false
  }
  async function goToLatest() {
    await room.latest()
    isPlaced.current = true
    follows.current = true
    setPart((before) => before + 1)
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
        key={part}
        ref={list as never}
        data={messages}
        shift={isPrepended}
        onScroll={() => {
          place()
          look()
          void fetchFurther()
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
            conversationId={room.id}
            userId={user.id}
            message={message}
            before={messages[index - 1]}
            isFirstUnread={index === firstUnread}
            isGroup={conversation.is_group}
            canSend={conversation.can_send}
            readers={
              message.is_own && message.seq !== null
                ? others.filter(([, seq]) => seq >= (message.seq ?? 0)).length
                : 0
            }
            audience={others.length}
            names={names}
            isSought={marked !== undefined && message.id === marked.id}
            jump={jump}
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
            if (hasNewer) return void goToLatest()
            const unread = findUnread(messages, conversation.last_read_seq)
            const shown = list.current
            const last = shown?.findItemIndex(shown.scrollOffset + shown.viewportSize) ?? 0
            // At the first unread message already, so the button leads to the end.
            if (unread > last + 1) toUnread(unread)
            else toEnd()
          }}
        >
          {conversation.unread > 0
            ? t('{count, plural, one {# new message} other {# new messages}} ↓', {
                count: conversation.unread,
              })
            : 'To the latest ↓'}
        </button>
      )}
    </div>
  )
}

/**
 * Fetches older messages until the first unread one is there, or `PAGES_BACK` pages; nothing if somebody is led
 * elsewhere. True when done.
 */
function useBeginning(room: Room, status: string, readUpTo: number, sought: Jump | undefined): boolean {
  const [isBegun, setBegun] = useState(false)
  useEffect(() => {
    if (status !== 'ready' || isBegun) return
    let isGone = false
    const begin = sought ? Promise.resolve() : reachBack(room, readUpTo, () => isGone)
    void begin.finally(() => isGone || setBegun(true))
    return () => {
      isGone = true
    }
  }, [room, status])
  return isBegun
}

async function reachBack(room: Room, readUpTo: number, isGone: () => boolean): Promise<void> {
  // Somebody was led elsewhere when the room was open before.
  await room.latest()
  for (let page = 0; page < PAGES_BACK && !isGone(); page++) {
    const first = room.$messages.get()[0]?.seq
    if (!room.$state.get().hasMore || !first || first <= readUpTo + 1) return
    await room.more().catch(() => {})
  }
}

function findUnread(messages: readonly RoomMessage[], readUpTo: number): number {
  return messages.findIndex(({ seq, is_own }) => seq !== null && seq > readUpTo && !is_own)
}
