import { askTutor } from '@exam-practice/client/tutor'
import { useEffect, useRef, useState } from 'preact/hooks'
import { client, explain } from '../../client.ts'
import { Labelled } from '../../components/forms/fields.tsx'
import { useDraftText } from '../../drafts.ts'
import { Message } from './message.tsx'

interface ExchangeProps {
  conversationId: number | undefined
  /** A question is stored in this conversation; `isStopped`: its answer only as far as it came. */
  opened: (id: number, isStopped: boolean) => void
  /** First questions to choose from; a click puts one into the field. */
  suggestions?: readonly string[]
  /** The question of a result that is asked about. */
  about?: { attempt_id: number; question_id: number }
  /** Stands before the first question to the tutor. */
  material?: string
  /** The name of what is typed and not sent yet. */
  draft: string
  remaining?: (count: number) => void
}

/** Characters of a question that the service takes. */
const LONGEST = 8_000

/** The current questions and answers. An answer appears as it is written, and can be stopped. */
export function Exchange({
  conversationId,
  opened,
  suggestions,
  about,
  material,
  draft,
  remaining,
}: ExchangeProps) {
  const [turns, setTurns] = useState<{ isUser: boolean; text: string; isStopped?: boolean }[]>([])
  const [isWriting, setWriting] = useState(false)
  const [error, setError] = useState<string>()
  const [typed, setTyped] = useDraftText(`tutor-${draft}`)
  const stop = useRef<AbortController>(undefined)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => () => stop.current?.abort(), [])
  async function send() {
    const text = typed.trim()
    if (text === '' || isWriting) return
    const abort = new AbortController()
    stop.current = abort
    setError(undefined)
    setWriting(true)
    setTyped('')
    setTurns((before) => [...before, { isUser: true, text }, { isUser: false, text: '' }])
    const write = (change: (text: string) => string) =>
      setTurns((before) =>
        before.map((turn, at) => (at === before.length - 1 ? { ...turn, text: change(turn.text) } : turn)),
      )
    let begun: number | undefined
    try {
      const question = {
        message: material && conversationId === undefined ? `${material}\n\n${text}` : text,
        ...(about ? { context: about } : {}),
        ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
      }
      for await (const event of askTutor(client, question, { signal: abort.signal })) {
        if (event.type === 'start') begun = event.conversation_id
        if (event.type === 'delta') write((written) => written + event.text)
        if (event.type !== 'done') continue
        write(() => event.answer.response)
        remaining?.(event.answer.questions_remaining)
        opened(event.answer.conversation_id, false)
      }
    } catch (failure) {
      // The service keeps what was written before the stop, in its conversation.
      if (abort.signal.aborted) {
        if (begun !== undefined) opened(begun, true)
        setTurns((before) =>
          before.map((turn, at) => (at === before.length - 1 ? { ...turn, isStopped: true } : turn)),
        )
        field.current?.focus()
      } else {
        setError(explain(failure))
        setTurns((before) => before.slice(0, before.at(-1)?.text === '' ? -2 : undefined))
        setTyped(text)
      }
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
      {suggestions && turns.length === 0 && (
        <div class="row">
          {suggestions.map((suggestion) => (
            <button
              key={suggestion}
              type="button"
              class="small"
              onClick={() => {
                setTyped(suggestion)
                field.current?.focus()
              }}
            >
              {suggestion}
            </button>
          ))}
        </div>
      )}
      {error && (
        <p class="notice bad" role="alert">
          {error}
        </p>
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <Labelled label="Your question" hint="Enter sends, Shift and Enter begins a new line">
          {(tie) => (
            <textarea
              ref={field}
              rows={3}
              dir="auto"
              value={typed}
              maxLength={LONGEST - (material?.length ?? 0)}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              onKeyDown={(event) => {
                // During a composition, keys belong to the input method.
                if (event.isComposing || event.key !== 'Enter' || event.shiftKey) return
                event.preventDefault()
                void send()
              }}
              {...tie}
            />
          )}
        </Labelled>
        <div class="row">
          <button type="submit" class="main" aria-disabled={isWriting || typed.trim() === ''}>
            {isWriting ? 'Writing…' : 'Ask'}
          </button>
          {isWriting && (
            <button type="button" onClick={() => stop.current?.abort()}>
              Stop
            </button>
          )}
        </div>
      </form>
    </div>
  )
}
