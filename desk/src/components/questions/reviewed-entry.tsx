import type { ComponentChildren } from 'preact'
import { RichText } from '../rich-text/rich-text.tsx'

interface ReviewedEntryProps {
  /** What was to be filled or matched. */
  children: ComponentChildren
  given: string
  givenName: string
  /** The right answer; undefined: it isn't known. */
  right: string | undefined
  mood: 'right' | 'wrong' | ''
}

/** What was given to one part of a question, and what would have been right. */
export function ReviewedEntry({ children, given, givenName, right, mood }: ReviewedEntryProps) {
  return (
    <li class={`option pair ${mood}`}>
      {children}
      <dl class="given">
        <dt>{givenName}</dt>
        <dd>
          <RichText text={given} kind="option" />
        </dd>
        {right !== undefined && mood !== 'right' && (
          <>
            <dt>Key</dt>
            <dd>
              <RichText text={right} kind="option" />
            </dd>
          </>
        )}
      </dl>
      {mood === 'right' && <span class="chip good marks">Correct</span>}
    </li>
  )
}
