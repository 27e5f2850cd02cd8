import { RichText } from '../../components/rich-text/rich-text.tsx'

const FINAL = '[FINAL ANSWER]'

interface TutorMessageProps {
  isUser: boolean
  text: string
  /** It ends where the person stopped it. */
  isStopped?: boolean
}

/** One message of a conversation with the tutor; its final answer is highlighted. */
export function Message({ isUser, text, isStopped }: TutorMessageProps) {
  const [explanation = '', ...final] = text.split(FINAL)
  return (
    <article class={`turn ${isUser ? 'mine' : ''}`}>
      <p class="unseen">{isUser ? 'You' : 'Tutor'}:</p>
      {text !== '' && <RichText text={explanation.trim()} />}
      {text === '' && !isStopped && <p class="lead">Thinking…</p>}
      {isStopped && <p class="chip">Stopped</p>}
      {final.length > 0 && (
        <div class="notice">
          <RichText text={final.join(' ').trim()} />
        </div>
      )}
    </article>
  )
}
