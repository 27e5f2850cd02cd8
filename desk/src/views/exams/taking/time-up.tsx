import type { ExamState } from '@exam-practice/client/exam'
import { useStore } from '@nanostores/preact'
import { client } from '../../../client.ts'
import { clockTime } from '../../../format.ts'
import { t } from '../../../texts.ts'

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
            ? t(
                '{count, plural, one {# answer still being sent.} other {# answers still being sent.}} Your result opens by itself.',
                { count: unsynced },
              )
            : 'All your answers have arrived. Your result opens by itself.'
          : isWaiting
            ? t(
                '{count, plural, one {# answer of yours is only on this device. It is sent as soon as the connection is back, and counts if it arrives until {time}.} other {# answers of yours are only on this device. They are sent as soon as the connection is back, and count if they arrive until {time}.}} Leave this page open.',
                { count: unsynced, time: clockTime(new Date((endsAt ?? 0) + GRACE_MS).toISOString()) },
              )
            : 'All your answers have arrived; the exam is handed in without this device. Your result opens here when the connection is back.'}
      </p>
    </div>
  )
}
