import type { RoomMessage } from '@exam-practice/client/chat'
import { chat } from '../../../chat.ts'
import { ask, client } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { RichText } from '../../../components/rich-text.tsx'
import { clockTime, day } from '../../../format.ts'
import type { ComposerTarget } from './composer.tsx'

interface MessageProps {
  message: RoomMessage
  before: RoomMessage | undefined
  isFirstUnread: boolean
  isGroup: boolean
  /** How many of the other members have read it, and how many there are. */
  readers: number
  audience: number
  take: (target: ComposerTarget) => void
  report: (message: RoomMessage) => void
}

const REASONS: Record<string, string> = {
  not_connected: 'you are no longer connected',
  validation_failed: 'it can’t be sent like this',
  not_found: 'the conversation is gone',
}

export function Message({
  message,
  before,
  isFirstUnread,
  isGroup,
  readers,
  audience,
  take,
  report,
}: MessageProps) {
  const isNewDay = !before || day(before.created_at) !== day(message.created_at)
  const isFollowing = !isNewDay && before?.sender_id === message.sender_id
  return (
    <>
      {isNewDay && <p class="divider">{day(message.created_at)}</p>}
      {isFirstUnread && <p class="divider new">New messages</p>}
      <article
        class={`message ${message.is_own ? 'mine' : ''} ${message.state} ${isFollowing ? 'following' : ''}`}
      >
        {!isFollowing && (
          <p class={isGroup && !message.is_own ? 'sender' : 'unseen'}>
            {message.is_own ? 'You' : message.sender_name}
          </p>
        )}
        <div class="bubble">
          {message.reply_to_text && (
            <blockquote class="quote">
              <b>{message.reply_to_name}</b> {message.reply_to_text}
            </blockquote>
          )}
          {message.is_deleted ? <i>Deleted</i> : <RichText text={message.message} />}
          <footer>
            <time dateTime={message.created_at}>{clockTime(message.created_at)}</time>
            {message.is_edited && ' · edited'}
            {message.is_own && ` · ${describe(message, readers, audience)}`}
          </footer>
        </div>
        {!message.is_deleted && <Actions message={message} take={take} report={report} />}
      </article>
    </>
  )
}

function describe({ state, error }: RoomMessage, readers: number, audience: number): string {
  if (state === 'queued') return 'waiting to be sent'
  if (state === 'sending') return 'sending…'
  if (state === 'failed') return `not sent: ${REASONS[error ?? ''] ?? 'the service refused it'}`
  if (readers === 0) return 'sent'
  return audience > 1 ? `read by ${readers}` : 'read'
}

function Actions({ message, take, report }: Pick<MessageProps, 'message' | 'take' | 'report'>) {
  const { id, state, is_own: isOwn, key } = message
  if (state === 'failed' || state === 'queued')
    return (
      <div class="actions always">
        {state === 'failed' && (
          <Action class="quiet small" act={() => chat.retry(key)}>
            Send again
          </Action>
        )}
        <Action class="quiet small" act={() => chat.discard(key)}>
          Discard
        </Action>
      </div>
    )
  if (id === null) return null
  const path = { params: { path: { id } } }
  return (
    <div class="actions">
      <button type="button" class="quiet small" onClick={() => take({ kind: 'reply', message })}>
        Reply
      </button>
      {isOwn ? (
        <>
          <button type="button" class="quiet small" onClick={() => take({ kind: 'edit', message })}>
            Edit
          </button>
          <Action
            class="quiet small"
            confirm="Delete this message for everybody?"
            act={async () => {
              await ask(client.DELETE('/api/v01/chat/messages/{id}', path))
            }}
          >
            Delete
          </Action>
        </>
      ) : (
        <button type="button" class="quiet small" onClick={() => report(message)}>
          Report
        </button>
      )}
    </div>
  )
}
