import type { Conversation, RoomMessage } from '@exam-practice/client/chat'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { chat } from '../../../chat.ts'
import { ask, client } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { isComposing, isEnter } from '../../../components/forms/typing-keys.ts'
import { Icon } from '../../../components/icons.tsx'
import { dropDraft, keepDraft, readDraft, useDraftText } from '../../../drafts.ts'
import { t } from '../../../texts.ts'
import { mentionsIn } from './mentions.ts'
import { PendingFileList, type PendingFiles } from './pending-files.tsx'
import type { Member } from './use-members.ts'
import { useMentionList } from './use-mention-list.tsx'

const LONGEST = 4_000
/** The name of the draft of a message's new text. */
const editOf = ({ id }: RoomMessage) => `message-edit-${id}`

/** The message that is replied to or edited; undefined for a new one. */
export type ComposerTarget = { kind: 'reply' | 'edit'; message: RoomMessage } | undefined

interface ComposerProps {
  conversation: Conversation
  members: readonly Member[]
  pending: PendingFiles
  target: ComposerTarget
  /** The message is written, or the target given up. */
  done: (isSent: boolean) => void
}

/**
 * The field for a message: Enter sends, Shift and Enter starts a new line, `@` suggests members; files can be chosen or
 * pasted. Without a connection the message waits.
 */
export function Composer({ conversation, members, pending, target, done }: ComposerProps) {
  const [fresh, setFresh] = useDraftText(`message-${conversation.id}`)
  const [edited, setEdited] = useState('')
  const isEdit = target?.kind === 'edit'
  const [text, setText] = isEdit ? ([edited, rewrite] as const) : ([fresh, setFresh] as const)
  const field = useRef<HTMLTextAreaElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const mentioning = useMentionList(field, members, text, setText)
  const files = isEdit ? [] : pending.files
  const isEmpty =
    text.trim() === '' && files.length === 0 && !(isEdit && target.message.attachments.length > 0)
  // Before anything can be typed, which it would replace.
  useLayoutEffect(() => {
    if (target) field.current?.focus()
    if (target?.kind === 'edit')
      setEdited(readDraft<string>(editOf(target.message))?.value ?? target.message.message)
  }, [target])
  function rewrite(next: string) {
    setEdited(next)
    if (target) keepDraft(editOf(target.message), next)
  }
  function finish(isSent: boolean) {
    if (isEdit) dropDraft(editOf(target.message))
    done(isSent)
  }
  async function send() {
    if (isEmpty) return
    const message = text.trim()
    const mentions = mentionsIn(message, members)
    const isDone = await runWithToast(async () => {
      if (target?.kind === 'edit' && target.message.id !== null) {
        const path = { params: { path: { id: target.message.id } } }
        await ask(client.PATCH('/api/v01/chat/messages/{id}', { ...path, body: { message, mentions } }))
        return
      }
      await chat.send(conversation.id, {
        message,
        ...(mentions.length > 0 ? { mentions } : {}),
        ...(files.length > 0 ? { files } : {}),
        ...quote(target),
      })
    })
    if (!isDone) return
    if (!isEdit) {
      setFresh('')
      pending.clear()
    }
    finish(!isEdit)
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {target && (
        <p class="row spread quote">
          <span class="latest">
            {target.kind === 'edit'
              ? t('Editing:')
              : t('Reply to {name}:', { name: target.message.sender_name })}{' '}
            {target.message.message}
          </span>
          <button type="button" class="quiet small" onClick={() => finish(false)}>
            Cancel
          </button>
        </p>
      )}
      <PendingFileList files={files} remove={pending.remove} />
      {mentioning.list}
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label="Files"
        multiple
        onChange={({ currentTarget }) => {
          pending.add(currentTarget.files ?? [])
          // The same file can be chosen again.
          currentTarget.value = ''
        }}
      />
      <button
        type="button"
        class="quiet sign"
        aria-disabled={isEdit}
        onClick={() => !isEdit && chooser.current?.click()}
      >
        <Icon name="attach" />
        <span class="word">Attach</span>
      </button>
      <label class="unseen" for="message">
        {t('Message to {name}', { name: conversation.name })}
      </label>
      <textarea
        id="message"
        ref={field}
        rows={1}
        dir="auto"
        value={text}
        maxLength={LONGEST}
        placeholder="Write a message"
        {...mentioning.field}
        onPaste={(event) => {
          const pasted = event.clipboardData?.files
          if (isEdit || !pasted?.length) return
          event.preventDefault()
          pending.add(pasted)
        }}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          mentioning.look()
          if (currentTarget.value.trim() !== '') chat.typing(conversation.id)
        }}
        onKeyDown={(event) => {
          if (isComposing(event) || mentioning.take(event)) return
          if (event.key === 'Escape') finish(false)
          if (!isEnter(event) || event.shiftKey) return
          event.preventDefault()
          void send()
        }}
      />
      <button type="submit" class="main" aria-disabled={isEmpty}>
        {isEdit ? 'Save' : 'Send'}
      </button>
    </form>
  )
}

/** What a reply says about the message that it answers. */
function quote(target: ComposerTarget) {
  if (target?.kind !== 'reply' || target.message.id === null) return {}
  const { id, message, sender_name } = target.message
  return {
    reply_to_id: id,
    reply_to_text: [...message].slice(0, 100).join(''),
    reply_to_name: sender_name,
  }
}
