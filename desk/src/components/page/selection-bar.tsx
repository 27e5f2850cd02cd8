import type { ComponentChildren } from 'preact'

interface SelectionBarProps {
  count: number
  /** How many of what are selected, in words. */
  label: string
  clear: () => void
  children: ComponentChildren
}

/** The actions for the selected rows; it stays visible while the page scrolls. */
export function SelectionBar({ count, label, clear, children }: SelectionBarProps) {
  if (count === 0) return null
  return (
    <section class="chosen" aria-label="Selected">
      <strong role="status">{label}</strong>
      {children}
      <button type="button" class="quiet small" onClick={clear}>
        Clear the selection
      </button>
    </section>
  )
}
