interface BadgeProps {
  count: number
  /** What it says to people who don't see where it stands: a sentence with the number. */
  label: string
  /** Whether it counts things that the person doesn't want to be told of. */
  isQuiet?: boolean
}

/** A number of things that wait for the person; nothing if there are none. */
export function Badge({ count, label, isQuiet = false }: BadgeProps) {
  if (count === 0) return null
  return (
    <b class={isQuiet ? 'badge muted' : 'badge'}>
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span class="unseen"> {label}</span>
    </b>
  )
}
