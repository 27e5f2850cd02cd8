import type { User } from '@exam-practice/client'
import type { Conversation, RoomMessage } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { chat } from '../../../chat.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Report } from '../../../components/forms/report.tsx'
import { Icon } from '../../../components/icons.tsx'
import { $query, setQuery } from '../../../router.ts'
import { $shared } from '../../../shared-files.ts'
import { t } from '../../../texts.ts'
import { Avatar } from '../conversation-list.tsx'
import { Composer, type ComposerTarget } from './composer.tsx'
import { Members } from './members.tsx'
import { type Jump, Messages } from './messages.tsx'
import { Options } from './options.tsx'
import { usePendingFiles } from './pending-files.tsx'
import { useMembers } from './use-members.ts'

/** One conversation: its members, its messages and the composer. Files can be dropped anywhere on it. */
export function RoomView({ conversation, user }: { conversation: Conversation; user: User }) {
  const room = useMemo(() => chat.room(conversation.id), [conversation.id])
  const typing = useStore(chat.$typing)[conversation.id] ?? []
  const [target, setTarget] = useState<ComposerTarget>()
  const [opened, setOpened] = useState<'members' | 'options'>()
  const members = useMembers(conversation)
  const names = useMemo(() => new Map(members.map(({ id, full_name }) => [id, full_name])), [members])
  const pending = usePendingFiles()
  const shared = useStore($shared)
  useEffect(() => {
    if (shared.length === 0 || !conversation.can_send) return
    pending.add(shared)
    $shared.set([])
  }, [shared])
  const [sought, jump] = useSought()
  const [reported, setReported] = useState<RoomMessage>()
  return (
    <section
      class="room"
      aria-label={conversation.name}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        if (conversation.can_send) pending.add(event.dataTransfer?.files ?? [])
      }}
    >
      <header class="room-head">
        <a class="button quiet small sign back" href="/desk/chat">
          <Icon name="back" />
          <span class="word">Back</span>
        </a>
        <Avatar conversation={conversation} />
        <div>
          <h2>
            <bdi>{conversation.name}</bdi>
          </h2>
          <small role="status">
            {typing.length > 0
              ? 'typing…'
              : conversation.is_group
                ? t('{count, plural, one {# member} other {# members}}', { count: conversation.member_count })
                : conversation.online
                  ? 'online'
                  : 'offline'}
          </small>
        </div>
        <Action class="quiet small sign" aria-haspopup="dialog" act={async () => setOpened('options')}>
          <Icon name="options" />
          <span class="word">Options</span>
        </Action>
        <Action class="quiet small sign" aria-haspopup="dialog" act={async () => setOpened('members')}>
          <Icon name={conversation.is_group ? 'people' : 'account'} />
          <span class="word">{conversation.is_group ? 'Members' : 'Disconnect or block'}</span>
        </Action>
      </header>
      <Messages
        room={room}
        conversation={conversation}
        user={user}
        names={names}
        sought={sought}
        jump={jump}
        take={setTarget}
        report={setReported}
      />
      {conversation.can_send ? (
        <Composer
          key={conversation.id}
          conversation={conversation}
          members={members.filter(({ id }) => id !== user.id)}
          pending={pending}
          target={target}
          done={(isSent) => {
            setTarget(undefined)
            // What is new is at the end, wherever one was led before.
            if (isSent) void room.latest()
          }}
        />
      ) : (
        <p class="notice warn">
          You are no longer connected: nothing can be sent or edited here. What was written can still be read
          and deleted.
        </p>
      )}
      {opened === 'members' && (
        <Members conversation={conversation} user={user} close={() => setOpened(undefined)} />
      )}
      {opened === 'options' && <Options conversation={conversation} close={() => setOpened(undefined)} />}
      {reported?.id && (
        <Dialog title="Report a message" close={() => setReported(undefined)}>
          <blockquote class="quote" dir="auto">
            {reported.message}
          </blockquote>
          <Report what="message" id={reported.id} close={() => setReported(undefined)} />
        </Dialog>
      )}
    </section>
  )
}

/** The message to which the address leads, or a click; the address forgets it, so that it can lead there again. */
function useSought(): [Jump | undefined, (id: number) => void] {
  const { message } = useStore($query)
  const [sought, setSought] = useState<Jump | undefined>(() => readJump(message))
  useEffect(() => {
    if (message === undefined) return
    setSought(readJump(message))
    setQuery({ message: undefined })
  }, [message])
  return [sought, (id) => setSought({ id })]
}

function readJump(text: string | undefined): Jump | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? { id: Number(text) } : undefined
}
