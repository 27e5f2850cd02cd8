import type { User } from '@exam-practice/client'
import type { Conversation, RoomMessage } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import { useMemo, useState } from 'preact/hooks'
import { chat } from '../../../chat.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Report } from '../../../components/forms/report.tsx'
import { plural } from '../../../format.ts'
import { Avatar } from '../conversation-list.tsx'
import { Composer, type ComposerTarget } from './composer.tsx'
import { Members } from './members.tsx'
import { Messages } from './messages.tsx'

/** One conversation: its members, its messages and the composer. */
export function RoomView({ conversation, user }: { conversation: Conversation; user: User }) {
  const room = useMemo(() => chat.room(conversation.id), [conversation.id])
  const typing = useStore(chat.$typing)[conversation.id] ?? []
  const [target, setTarget] = useState<ComposerTarget>()
  const [isListing, setListing] = useState(false)
  const [reported, setReported] = useState<RoomMessage>()
  return (
    <section class="room" aria-label={conversation.name}>
      <header class="room-head">
        <a class="button quiet small back" href="/desk/chat">
          Back
        </a>
        <Avatar conversation={conversation} />
        <div>
          <h2>{conversation.name}</h2>
          <small role="status">
            {typing.length > 0
              ? 'typing…'
              : conversation.is_group
                ? plural(conversation.member_count, 'member')
                : conversation.online
                  ? 'online'
                  : 'offline'}
          </small>
        </div>
        <Action class="quiet small" aria-haspopup="dialog" act={async () => setListing(true)}>
          {conversation.is_group ? 'Members' : 'More'}
        </Action>
      </header>
      <Messages room={room} conversation={conversation} user={user} take={setTarget} report={setReported} />
      {conversation.can_send ? (
        <Composer
          key={conversation.id}
          conversation={conversation}
          target={target}
          done={() => setTarget(undefined)}
        />
      ) : (
        <p class="notice warn">You are no longer connected. What was written can still be read.</p>
      )}
      {isListing && <Members conversation={conversation} user={user} close={() => setListing(false)} />}
      {reported?.id && (
        <Dialog title="Report a message" close={() => setReported(undefined)}>
          <blockquote class="quote">{reported.message}</blockquote>
          <Report what="message" id={reported.id} close={() => setReported(undefined)} />
        </Dialog>
      )}
    </section>
  )
}
