import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { $keptAnswers, sendKeptAnswers } from '../../kept-answers.ts'
import { t } from '../../texts.ts'
import { $underWay } from '../../under-way.ts'

/** What is sent within this time is not shown. */
const PATIENCE_MS = 2_000

/** Tells the person what is still on this device alone, of exams that they have left. */
export function KeptHere() {
  const kept = useStore($keptAnswers).filter(({ unsynced, isSubmitting }) => unsynced > 0 || isSubmitting)
  const underWay = useStore($underWay)
  const [isLong, setLong] = useState(false)
  useEffect(sendKeptAnswers, [])
  useEffect(() => {
    setLong(false)
    if (kept.length === 0) return
    const timer = setTimeout(() => setLong(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [kept.length])
  if (!isLong) return null
  return (
    <>
      {kept.map(({ attemptId, examId, unsynced, isSubmitting }) => (
        <div key={attemptId} class="notice warn stack tight" role="status">
          <p>
            <strong>{underWay.find((each) => each.examId === examId)?.name ?? t('Your exam')}</strong>
            <br />
            {isSubmitting
              ? 'You have handed it in, but that is on this device alone so far.'
              : t(
                  '{count, plural, one {# answer of yours is still on this device alone.} other {# answers of yours are still on this device alone.}}',
                  { count: unsynced },
                )}
          </p>
          <p>It is sent as soon as the service can be reached. Leave the desk open until then.</p>
          <p>
            <a class="button small" href={`/desk/exams/${examId}`}>
              Open the exam
            </a>
          </p>
        </div>
      ))}
    </>
  )
}
