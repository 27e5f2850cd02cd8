import type { ComponentChildren } from 'preact'
import { plural } from '../../format.ts'

interface ChosenProps {
  count: number
  /** What one of them is called. */
  what: string
  /** And several. */
  many?: string
  clear: () => void
  children: ComponentChildren
}

/** What can be done with all that were chosen; it stays in sight while one chooses. */
export function Chosen({ count, what, many, clear, children }: ChosenProps) {
  if (count === 0) return null
  return (
    <section class="chosen" aria-label="With those chosen">
      <strong role="status">{plural(count, what, many)} chosen</strong>
      {children}
      <button type="button" class="quiet small" onClick={clear}>
        Choose none
      </button>
    </section>
  )
}
