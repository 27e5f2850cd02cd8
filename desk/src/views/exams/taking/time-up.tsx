import type { ExamState } from '@exam-practice/client/exam'
import { useStore } from '@nanostores/preact'
import { client } from '../../../client.ts'
import { clockTime, plural } from '../../../format.ts'

/** How long after its end an attempt takes answers (docs/protocol/exams.md#the-end). */
const GRACE_MS = 30_000

/** Told from the end of the time until the service has closed the attempt. */
export function TimeUp({ state: { endsAt, unsynced } }: { state: ExamState }) {
  const isOnline = useStore(client.live.$status) === 'online'
  const isWaiting = unsynced > 0
  return (
    <div class="notice warn stack tight" role="status">
      <p>
        <strong>{isOnline ? 'Time is up: being handed in' : 'Time is up, and there is no connection'}</strong>
      </p>
      <p>
        {isOnline
          ? isWaiting
            ? `${plural(unsynced, 'answer')} still being sent. Your result opens by itself.`
            : 'All your answers have arrived. Your result opens by itself.'
          : isWaiting
            ? `${plural(unsynced, 'answer')} of yours ${unsynced === 1 ? 'is' : 'are'} only on this device. They are sent as soon as the connection is back, and count if they arrive until ${clockTime(new Date((endsAt ?? 0) + GRACE_MS).toISOString())}. Leave this page open.`
            : 'All your answers have arrived; the exam is handed in without this device. Your result opens here when the connection is back.'}
      </p>
    </div>
  )
}
