import { useRef, useState } from 'preact/hooks'
import { RichText } from '../../components/rich-text/rich-text.tsx'
import { t } from '../../texts.ts'
import { type Source, SourcePage } from './source-page.tsx'

const FINAL = '[FINAL ANSWER]'

interface TutorMessageProps {
  isUser: boolean
  text: string
  /** It ends where the person stopped it. */
  isStopped?: boolean
  /** It was to give hints rather than results. */
  isGuided?: boolean
  /** What its marks name; undefined while it is being written. */
  sources?: readonly Source[] | undefined
  /** The class whose materials they are of. */
  classId?: number | null | undefined
}

/** One message of a conversation with the tutor; its final answer is highlighted, and its marks open their pages. */
export function Message({ isUser, text, isStopped, isGuided, sources, classId = null }: TutorMessageProps) {
  const [explanation = '', ...final] = text.split(FINAL)
  const [shown, show] = useState<number>()
  const opener = useRef<HTMLElement>(undefined)
  const open = sources?.find(({ n }) => n === shown)
  function drawSource(n: number) {
    if (!sources)
      return (
        <sup key={n} class="source-mark">
          {n}
        </sup>
      )
    const source = sources.find((each) => each.n === n)
    return (
      source && (
        <sup key={n}>
          <button
            type="button"
            class="quiet source-mark"
            aria-label={t('Source {n}: {title}, page {page}', { n, title: source.title, page: source.page })}
            aria-expanded={n === shown}
            onClick={({ currentTarget }) => {
              opener.current = currentTarget
              show(n === shown ? undefined : n)
            }}
          >
            {n}
          </button>
        </sup>
      )
    )
  }
  const source = isUser ? undefined : drawSource
  return (
    <article class={`turn ${isUser ? 'mine' : ''}`}>
      <p class="unseen">{isUser ? 'You' : 'Tutor'}:</p>
      {text !== '' && <RichText text={explanation.trim()} source={source} />}
      {text === '' && !isStopped && <p class="lead">Thinking…</p>}
      {isStopped && <p class="chip">Stopped</p>}
      {final.length > 0 && (
        <div class="notice">
          <RichText text={final.join(' ').trim()} source={source} />
        </div>
      )}
      {isGuided && <p class="chip">Hints first</p>}
      {open && (
        <SourcePage
          key={open.n}
          source={open}
          classId={classId}
          close={() => {
            show(undefined)
            opener.current?.focus()
          }}
        />
      )}
    </article>
  )
}
