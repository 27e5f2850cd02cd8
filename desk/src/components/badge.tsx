interface BadgeProps {
  count: number
  what: string
  /** Of what the person doesn't want to be told. */
  isQuiet?: boolean
}

/** A number of things that wait for the person; nothing if there are none. */
export function Badge({ count, what, isQuiet = false }: BadgeProps) {
  if (count === 0) return null
  return (
    <b class={isQuiet ? 'badge muted' : 'badge'}>
      {count > 99 ? '99+' : count}
      <span class="unseen"> {what}</span>
    </b>
  )
}
