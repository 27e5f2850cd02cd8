import type { Conversation, RoomMessage } from '@exam-practice/client/chat'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { chat } from '../../../chat.ts'
import { ask, client } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'

const LONGEST = 4_000

/** The message that is replied to or edited; undefined for a new one. */
export type ComposerTarget = { kind: 'reply' | 'edit'; message: RoomMessage } | undefined

interface ComposerProps {
  conversation: Conversation
  target: ComposerTarget
  done: () => void
}

/** The field for a message: Enter sends, Shift and Enter starts a new line. Without a connection the message waits. */
export function Composer({ conversation, target, done }: ComposerProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  // Before anything can be typed, which it would replace.
  useLayoutEffect(() => {
    if (target) field.current?.focus()
    if (target?.kind !== 'edit') return undefined
    setText(target.message.message)
    // Otherwise what was edited would be sent as a new message.
    return () => setText('')
  }, [target])
  async function send() {
    const message = text.trim()
    if (message === '') return
    const isDone = await runWithToast(async () => {
      if (target?.kind === 'edit' && target.message.id !== null) {
        const path = { params: { path: { id: target.message.id } } }
        await ask(client.PATCH('/api/v01/chat/messages/{id}', { ...path, body: { message } }))
      } else if (target?.kind === 'reply' && target.message.id !== null) {
        const { id, message: quoted, sender_name } = target.message
        await chat.send(conversation.id, {
          message,
          reply_to_id: id,
          reply_to_text: [...quoted].slice(0, 100).join(''),
          reply_to_name: sender_name,
        })
      } else await chat.send(conversation.id, message)
    })
    if (!isDone) return
    setText('')
    done()
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
            {target.kind === 'edit' ? 'Editing' : `Reply to ${target.message.sender_name}`}:{' '}
            {target.message.message}
          </span>
          <button type="button" class="quiet small" onClick={done}>
            Cancel
          </button>
        </p>
      )}
      <label class="unseen" for="message">
        Message to {conversation.name}
      </label>
      <textarea
        id="message"
        ref={field}
        rows={1}
        value={text}
        maxLength={LONGEST}
        placeholder="Write a message"
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          if (currentTarget.value.trim() !== '') chat.typing(conversation.id)
        }}
        onKeyDown={(event) => {
          // During a composition, keys belong to the input method.
          if (event.isComposing) return
          if (event.key === 'Escape') done()
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          void send()
        }}
      />
      <button type="submit" class="main" aria-disabled={text.trim() === ''}>
        {target?.kind === 'edit' ? 'Save' : 'Send'}
      </button>
    </form>
  )
}
