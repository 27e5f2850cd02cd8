import { askTutor } from '@exam-practice/client/tutor'
import { useEffect, useRef, useState } from 'preact/hooks'
import { client, explain } from '../../client.ts'
import { Labelled } from '../../components/forms/fields.tsx'
import { isEnter } from '../../components/forms/typing-keys.ts'
import { dropDraft, keepDraft, readDraft, useDraftText } from '../../drafts.ts'
import { AboutClass, ClassChoice } from './about-class.tsx'
import { Message } from './message.tsx'
import type { Source } from './source-page.tsx'

interface ExchangeProps {
  conversationId: number | undefined
  /** A question is in this conversation. */
  opened: (id: number) => void
  /** An answer is stored as far as it came, a moment later. */
  stopped?: () => void
  /** First questions to choose from; a click puts one into the field. */
  suggestions?: readonly string[]
  /** The question of a result that is asked about. */
  about?: { attempt_id: number; question_id: number }
  /** Stands before the first question to the tutor. */
  material?: string
  /** The name of what is typed and not sent yet. */
  draft: string
  /** The field has the focus from the start. */
  isFocused?: boolean
  remaining?: (count: number) => void
}

/** Characters of a question that the service takes. */
const LONGEST = 8_000

interface Turn {
  isUser: boolean
  text: string
  isStopped?: boolean
  isGuided?: boolean
  sources?: readonly Source[]
  classId?: number | null
}

/** Why an answer ends that nobody waits for any more. */
const LEFT = 'left'

/** The current questions and answers. An answer appears as it is written, and can be stopped. */
export function Exchange({
  conversationId,
  opened,
  stopped,
  suggestions,
  about,
  material,
  draft,
  isFocused,
  remaining,
}: ExchangeProps) {
  const [turns, setTurns] = useState<Turn[]>([])
  const [isWriting, setWriting] = useState(false)
  const [error, setError] = useState<string>()
  const [classId, setClassId] = useState<number | null>()
  const draftName = `tutor-${draft}`
  const [typed, setTyped] = useDraftText(draftName)
  const stop = useRef<AbortController>(undefined)
  const field = useRef<HTMLTextAreaElement>(null)
  /** Whether the conversation began here: else its class stands at its head. */
  const isBegun = useRef(conversationId === undefined)
  useEffect(() => {
    if (isFocused) field.current?.focus()
    return () => stop.current?.abort(LEFT)
  }, [])
  async function send() {
    const text = typed.trim()
    if (text === '' || isWriting) return
    const abort = new AbortController()
    stop.current = abort
    setError(undefined)
    setWriting(true)
    setTyped('')
    // Before the first word of the answer the service has nothing of the question.
    keepDraft(draftName, text)
    setTurns((before) => [...before, { isUser: true, text }, { isUser: false, text: '' }])
    const write = (change: Partial<Turn>) =>
      setTurns((before) =>
        before.map((turn, at) => (at === before.length - 1 ? { ...turn, ...change } : turn)),
      )
    let begun: number | undefined
    let written = ''
    try {
      const question = {
        message: material && conversationId === undefined ? `${material}\n\n${text}` : text,
        ...(about ? { context: about } : {}),
        ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
        ...(conversationId === undefined && classId !== undefined ? { class_id: classId } : {}),
      }
      for await (const event of askTutor(client, question, { signal: abort.signal })) {
        if (event.type === 'start') begun = event.conversation_id
        if (event.type === 'delta') {
          if (written === '' && readDraft(draftName)?.value === text) dropDraft(draftName)
          written += event.text
          write({ text: written })
        }
        if (event.type !== 'done') continue
        const { response, sources, class_id, mode } = event.answer
        write({ text: response, sources, classId: class_id, isGuided: mode === 'guide' })
        remaining?.(event.answer.questions_remaining)
        opened(event.answer.conversation_id)
      }
    } catch (failure) {
      const isStopped = abort.signal.aborted && written.trim() !== ''
      if (isStopped) stopped?.()
      if (abort.signal.reason === LEFT) return
      if (isStopped && begun !== undefined) {
        opened(begun)
        write({ isStopped })
      } else {
        if (!abort.signal.aborted) setError(explain(failure))
        setTurns((before) => before.slice(0, written.trim() === '' ? -2 : undefined))
        setTyped(text)
      }
      if (abort.signal.aborted) field.current?.focus()
    } finally {
      setWriting(false)
    }
  }
  const [asked, answer] = turns.slice(-2)
  const known = turns.findLast((turn) => turn.classId !== undefined)?.classId
  return (
    <div class="stack tight">
      {known != null && isBegun.current && <AboutClass id={known} />}
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
        {conversationId === undefined && !about && turns.length === 0 && (
          <ClassChoice chosen={classId} choose={setClassId} />
        )}
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
                if (!isEnter(event) || event.shiftKey) return
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
          {asked && answer?.isStopped && !isWriting && typed === '' && (
            <button
              type="button"
              onClick={() => {
                setTyped(asked.text)
                field.current?.focus()
              }}
            >
              Ask again
            </button>
          )}
        </div>
      </form>
    </div>
  )
}
