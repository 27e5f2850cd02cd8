import type { RoomMessage } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { chat } from '../../../chat.ts'
import { ask, client } from '../../../client.ts'
import { $beingDeleted, deleteSoon, OUTLIVING } from '../../../components/dialogs/toasts.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Icon } from '../../../components/icons.tsx'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { bytes, clockTime, day } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { Attachments } from './attachments.tsx'
import type { ComposerTarget } from './composer.tsx'
import { LocalPreview } from './pending-files.tsx'
import { PickReaction, Reactions, react } from './reactions.tsx'
import type { Names } from './use-members.ts'

interface MessageProps {
  conversationId: number
  /** Of the reader. */
  userId: number
  message: RoomMessage
  before: RoomMessage | undefined
  isFirstUnread: boolean
  isGroup: boolean
  /** Whether one may still write here; else messages can be deleted, but not edited. */
  canSend: boolean
  /** How many of the other members have read it, and how many there are. */
  readers: number
  audience: number
  /** Of the members. */
  names: Names
  /** Whether somebody was just led here. */
  isSought: boolean
  jump: (messageId: number) => void
  take: (target: ComposerTarget) => void
  report: (message: RoomMessage) => void
}

const REASONS: Record<string, string> = {
  not_connected: t('you are no longer connected'),
  validation_failed: t('it can’t be sent like this'),
  not_found: t('the conversation is gone'),
  payload_too_large: t('it is too large'),
}

export function Message({
  conversationId,
  userId,
  message,
  before,
  isFirstUnread,
  isGroup,
  canSend,
  readers,
  audience,
  names,
  isSought,
  jump,
  take,
  report,
}: MessageProps) {
  const isDeleted = useStore($beingDeleted).has(`message-${message.id}`) || message.is_deleted
  const isNewDay = !before || day(before.created_at) !== day(message.created_at)
  const isFollowing = !isNewDay && before?.sender_id === message.sender_id
  return (
    <>
      {isNewDay && <p class="divider">{day(message.created_at)}</p>}
      {isFirstUnread && <p class="divider new">New messages</p>}
      <article
        tabIndex={-1}
        class={`message ${message.is_own ? 'mine' : ''} ${message.state} ${isFollowing ? 'following' : ''} ${isSought ? 'sought' : ''} ${message.mentions.includes(userId) ? 'mentioning' : ''}`}
      >
        {!isFollowing && (
          <p class={isGroup && !message.is_own ? 'sender' : 'unseen'}>
            {message.is_own ? 'You' : <bdi>{message.sender_name}</bdi>}
          </p>
        )}
        <div class="bubble">
          <Quote message={message} jump={jump} />
          {isDeleted ? <i>Deleted</i> : message.message !== '' && <RichText text={message.message} />}
          {!isDeleted && <Attachments files={message.attachments} />}
          {message.files && <OutgoingFiles message={message} files={message.files} />}
          <footer>
            <time dateTime={message.created_at}>{clockTime(message.created_at)}</time>
            {message.is_edited && <> · {t('edited')}</>}
            {message.is_own && <State message={message} readers={readers} audience={audience} />}
          </footer>
        </div>
        {!isDeleted && (
          <>
            <Actions
              conversationId={conversationId}
              message={message}
              canSend={canSend}
              take={take}
              report={report}
            />
            <Reactions conversationId={conversationId} message={message} names={names} canSend={canSend} />
          </>
        )}
      </article>
    </>
  )
}

/** What a message answers; a click leads there. */
function Quote({ message, jump }: Pick<MessageProps, 'message' | 'jump'>) {
  const { reply_to_id: id, reply_to_name: name, reply_to_text: text } = message
  if (id === null || text === null) return null
  return (
    <button type="button" class="quote" title="Go to the quoted message" onClick={() => jump(id)}>
      <b>
        <bdi>{name}</bdi>
      </b>{' '}
      <bdi>{text === '' ? 'A file' : text}</bdi>
    </button>
  )
}

/** The files of a message that is not sent yet, with how much of them is. */
function OutgoingFiles({ message, files }: { message: RoomMessage; files: readonly File[] }) {
  const upload = useStore(chat.$upload)
  const share = upload?.clientId === message.key ? upload.share : 0
  return (
    <div class="attachments">
      {files.map((file) => (
        <p key={`${file.name} ${file.size} ${file.lastModified}`} class="row">
          <LocalPreview file={file} />
          <bdi>{file.name}</bdi> <small>{bytes(file.size)}</small>
        </p>
      ))}
      {message.state !== 'failed' && (
        <progress class="meter" aria-label="Upload" max={1} value={share}>
          {Math.round(share * 100)} %
        </progress>
      )}
    </div>
  )
}

/** What became of one's own message. One that waits for its turn looks sent, but for a small clock. */
function State({ message, readers, audience }: Pick<MessageProps, 'message' | 'readers' | 'audience'>) {
  const { state, error, files } = message
  if (state === 'failed')
    return <> · {t('not sent: {reason}', { reason: REASONS[error ?? ''] ?? t('the service refused it') })}</>
  if (state === 'sent') return <> · {describeReaders(readers, audience)}</>
  const text = files ? t('uploading') : t('waiting to be sent')
  return (
    <span class="waiting" title={text}>
      <Icon name="clock" />
      <span class="unseen">{text}</span>
    </span>
  )
}

function describeReaders(readers: number, audience: number): string {
  if (readers === 0) return t('sent')
  return audience > 1 ? t('{count, plural, other {read by #}}', { count: readers }) : t('read')
}

type ActionsProps = Pick<MessageProps, 'conversationId' | 'message' | 'canSend' | 'take' | 'report'>

function Actions({ conversationId, message, canSend, take, report }: ActionsProps) {
  const [isReacting, setReacting] = useState(false)
  const { id, state, is_own: isOwn, key, files } = message
  if (state === 'failed' || id === null)
    return (
      <div class={`actions ${state === 'failed' || files ? 'always' : ''}`}>
        {state === 'failed' && (
          <Action class="quiet small" act={() => chat.retry(key)}>
            Send again
          </Action>
        )}
        {(state !== 'sending' || files) && (
          <Action class="quiet small" act={() => chat.discard(key).then(() => {})}>
            {state === 'failed' || !files ? 'Discard' : 'Cancel'}
          </Action>
        )}
      </div>
    )
  const path = { params: { path: { id } } }
  return (
    <div class="actions">
      {canSend && (
        <>
          <button type="button" class="quiet small" aria-haspopup="dialog" onClick={() => setReacting(true)}>
            React
          </button>
          <button type="button" class="quiet small" onClick={() => take({ kind: 'reply', message })}>
            Reply
          </button>
        </>
      )}
      {isOwn ? (
        <>
          {canSend && (
            <button type="button" class="quiet small" onClick={() => take({ kind: 'edit', message })}>
              Edit
            </button>
          )}
          <button
            type="button"
            class="quiet small"
            onClick={() =>
              deleteSoon(`message-${id}`, t('Message deleted for everybody'), () =>
                ask(client.DELETE('/api/v01/chat/messages/{id}', { ...path, ...OUTLIVING })),
              )
            }
          >
            Delete
          </button>
        </>
      ) : (
        <button type="button" class="quiet small" onClick={() => report(message)}>
          Report
        </button>
      )}
      {isReacting && (
        <PickReaction
          pick={(emoji) => react(conversationId, id, emoji, true)}
          close={() => setReacting(false)}
        />
      )}
    </div>
  )
}
