/** How far a generation job is. */
export function JobState({ status }: { status: 'running' | 'done' | 'failed' }) {
  return (
    <span class={`chip ${{ running: '', done: 'good', failed: 'bad' }[status]}`}>
      {{ running: 'Under way', done: 'Done', failed: 'Failed' }[status]}
    </span>
  )
}
