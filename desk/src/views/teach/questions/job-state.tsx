import { t } from '../../../texts.ts'

/** How far a generation job is. */
export function JobState({ status }: { status: 'running' | 'done' | 'failed' }) {
  return (
    <span class={`chip ${{ running: '', done: 'good', failed: 'bad' }[status]}`}>
      {{ running: t('Under way'), done: t('Done'), failed: t('Failed') }[status]}
    </span>
  )
}
