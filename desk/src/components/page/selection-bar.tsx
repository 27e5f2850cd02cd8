import type { ComponentChildren } from 'preact'
import { plural } from '../../format.ts'

interface SelectionBarProps {
  count: number
  /** The name of one selected thing. */
  what: string
  /** The name of several, where it is not formed with an s. */
  many?: string
  clear: () => void
  children: ComponentChildren
}

/** The actions for the selected rows; it stays visible while the page scrolls. */
export function SelectionBar({ count, what, many, clear, children }: SelectionBarProps) {
  if (count === 0) return null
  return (
    <section class="chosen" aria-label="Selected">
      <strong role="status">{plural(count, what, many)} selected</strong>
      {children}
      <button type="button" class="quiet small" onClick={clear}>
        Clear the selection
      </button>
    </section>
  )
}
