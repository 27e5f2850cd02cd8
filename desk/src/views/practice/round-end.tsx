import type { GivenReview, Wanted } from '@exam-practice/client/practice'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { Loaded } from '../../components/page/load-states.tsx'
import { Stat } from '../../components/page/stat.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { day, percent } from '../../format.ts'
import { serverNow } from '../../server-time.ts'
import { t } from '../../texts.ts'
import type { AnsweredCard } from './answered-card.ts'
import { type ForecastAnswer, readForecast } from './forecast.tsx'
import { describeNextDue, useWhenDue } from './next-due.ts'

interface RoundEndProps {
  answered: readonly AnsweredCard[]
  reviews: readonly GivenReview[]
  wanted: Wanted
  /** Asks for cards that have become due. */
  reload: () => Promise<void>
  undo: () => Promise<void>
}

const DAY_MS = 86_400_000

/** What a round has won. */
export function RoundEnd({ answered, reviews, wanted, reload, undo }: RoundEndProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const judged = answered.flatMap(({ id }) => {
    const result = reviews.find((each) => each.id === id)?.result
    return result && 'outcome' in result ? result : []
  })
  const right = judged.filter(({ outcome }) => outcome === 'right').length
  const kept = judged.filter(({ card }) => Date.parse(card.due) > serverNow() + DAY_MS).length
  const waiting = answered.length - judged.length
  const examId = wanted.examId ?? answered.at(-1)?.card.card.exam_id
  return (
    <section class="sheet practice-end" aria-labelledby="end">
      <h2 id="end" ref={heading} tabIndex={-1}>
        {answered.length === 0 ? 'Nothing is due here now' : 'Done for now'}
      </h2>
      {answered.length > 0 && (
        <dl class="figures">
          <Stat label="Answered" value={answered.length} />
          <Stat label="Correct" value={right} />
          <Stat label="Kept for more than a day" value={kept} />
        </dl>
      )}
      {answered.length === 0 && <NextDue reload={reload} />}
      {waiting > 0 && (
        <p class="notice warn" role="status">
          {t(
            '{count, plural, one {# answer kept on this device until there is a connection.} other {# answers kept on this device until there is a connection.}}',
            { count: waiting },
          )}
        </p>
      )}
      {examId !== undefined && answered.length > 0 && waiting === 0 && (
        <NewForecast examId={examId} name={answered.at(-1)?.card.card.exam_name ?? ''} />
      )}
      <div class="row">
        <a class="button main" href="/desk/practice">
          To the overview
        </a>
        {answered.length > 0 && (
          <button type="button" onClick={() => void undo()}>
            {t('Undo the last answer')} <kbd>Z</kbd>
          </button>
        )}
      </div>
    </section>
  )
}

/** When a card comes back, and then those that are due. */
function NextDue({ reload }: Pick<RoundEndProps, 'reload'>) {
  const found = useLoad('due', () => ask(client.GET('/api/v01/practice')))
  const dueAt = found.data?.next_due_at
  const ms = useWhenDue(dueAt, () => reload().then(found.reload))
  if (!dueAt) return null
  return ms > 0 ? (
    <p>{describeNextDue(dueAt)}</p>
  ) : (
    <p>
      <a href="/desk/practice/cards">Practise all that is due</a>
    </p>
  )
}

function NewForecast({ examId, name }: { examId: number; name: string }) {
  const found = useLoad(examId, async () => {
    const next = await readForecast(examId)
    // Of an exam that is open: what is left in a while, since right now everybody knows what they were just shown.
    const isToCome = next && Date.parse(next.at) > serverNow() + 3_600_000
    return { forecast: isToCome ? next : await readForecast(examId, 7) }
  })
  return (
    <Loaded of={found}>
      {({ forecast }) =>
        forecast?.expected_percentage != null && (
          <p>
            {forecast.pass_chance === null
              ? t('What you would score at {exam} on {day}: <b>{percent}</b>.', describeScore(forecast, name))
              : t(
                  'What you would score at {exam} on {day}: <b>{percent}</b>, with a chance of {chance} to pass.',
                  { ...describeScore(forecast, name), chance: percent(100 * forecast.pass_chance, 0) },
                )}
          </p>
        )
      }
    </Loaded>
  )
}

function describeScore(forecast: ForecastAnswer, exam: string) {
  return {
    exam,
    day: day(forecast.at),
    percent: percent(forecast.expected_percentage, 0),
    b: (inner: ComponentChildren) => <strong>{inner}</strong>,
  }
}
