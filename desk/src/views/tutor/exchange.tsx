import { askTutor } from '@exam-practice/client/tutor'
import { useEffect, useRef, useState } from 'preact/hooks'
import { client, explain } from '../../client.ts'
import { Area } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Message } from './message.tsx'

interface ExchangeProps {
  conversationId: number | undefined
  opened: (id: number) => void
  suggestion?: string | undefined
  /** What the next question is about; it is sent ahead of it. */
  about?: string | undefined
  remaining?: (count: number) => void
}

/** The current questions and answers. An answer appears as it is written, and can be stopped. */
export function Exchange({ conversationId, opened, suggestion, about, remaining }: ExchangeProps) {
  const [turns, setTurns] = useState<{ isUser: boolean; text: string }[]>([])
  const [isWriting, setWriting] = useState(false)
  const stop = useRef<AbortController>(undefined)
  const [error, setError] = useState<string>()
  useEffect(() => () => stop.current?.abort(), [])
  async function send(typed: string) {
    const abort = new AbortController()
    stop.current = abort
    setError(undefined)
    setWriting(true)
    setTurns((before) => [...before, { isUser: true, text: typed }, { isUser: false, text: '' }])
    const write = (change: (text: string) => string) =>
      setTurns((before) =>
        before.map((turn, at) => (at === before.length - 1 ? { ...turn, text: change(turn.text) } : turn)),
      )
    try {
      const question = {
        message: about === undefined ? typed : `${about}\n\n${typed}`,
        ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
      }
      for await (const event of askTutor(client, question, { signal: abort.signal })) {
        if (event.type === 'delta') write((text) => text + event.text)
        if (event.type !== 'done') continue
        write(() => event.answer.response)
        remaining?.(event.answer.questions_remaining)
        opened(event.answer.conversation_id)
      }
    } catch (failure) {
      // The part that was written before the stop stays visible.
      if (!abort.signal.aborted) setError(explain(failure))
      setTurns((before) => (before.at(-1)?.text === '' ? before.slice(0, -1) : before))
    } finally {
      setWriting(false)
    }
  }
  return (
    <div class="stack tight">
      <div class="turns" role="log" aria-label="Answers" aria-busy={isWriting}>
        {turns.map((turn, index) => (
          <Message key={index} {...turn} />
        ))}
      </div>
      {error && (
        <p class="notice bad" role="alert">
          {error}
        </p>
      )}
      <Form
        button={isWriting ? 'Writing…' : 'Ask'}
        clears
        send={async ({ message }) => {
          const typed = String(message).trim()
          if (typed !== '' && !isWriting) await send(typed)
        }}
        aside={
          isWriting && (
            <button type="button" onClick={() => stop.current?.abort()}>
              Stop
            </button>
          )
        }
      >
        <Area
          label="Your question"
          name="message"
          required
          maxLength={about === undefined ? 8_000 : 1_500}
          value={suggestion}
        />
      </Form>
    </div>
  )
}
