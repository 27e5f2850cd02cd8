import { RichText } from '../../components/rich-text/rich-text.tsx'

const FINAL = '[FINAL ANSWER]'

/** One message of a conversation with the tutor; its final answer is highlighted. */
export function Message({ isUser, text }: { isUser: boolean; text: string }) {
  const [explanation = '', ...final] = text.split(FINAL)
  return (
    <article class={`turn ${isUser ? 'mine' : ''}`}>
      <p class="unseen">{isUser ? 'You' : 'Tutor'}:</p>
      {text === '' ? <p class="lead">Thinking…</p> : <RichText text={explanation.trim()} />}
      {final.length > 0 && (
        <div class="notice">
          <RichText text={final.join(' ').trim()} />
        </div>
      )}
    </article>
  )
}
