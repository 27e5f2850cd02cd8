/** A number of things that wait for the person; nothing if there are none. */
export function Badge({ count, what }: { count: number; what: string }) {
  if (count === 0) return null
  return (
    <b class="badge">
      {count > 99 ? '99+' : count}
      <span class="unseen"> {what}</span>
    </b>
  )
}
