import { type Answer, ask, client } from '../../client.ts'
import { BarChart } from '../../components/charts/chart.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { day, number } from '../../format.ts'
import { t } from '../../texts.ts'

type PracticeHistory = Answer<'/api/v01/practice/history', 'get'>
type Day = PracticeHistory['days'][number]

const WEEKS = 18

/**
 * A calendar of reviews, and whether one was right to be sure. `today`: the reviews of today, a change of which reads
 * it again.
 */
export function History({ today }: { today: number }) {
  const days = 7 * (WEEKS - 1) + ((new Date().getDay() + 6) % 7) + 1
  const found = useLoad(today, () =>
    ask(client.GET('/api/v01/practice/history', { params: { query: { days } } })),
  )
  return (
    <Loaded of={found}>
      {(history) => (
        <>
          <Calendar days={history.days} />
          <Certainty history={history} />
        </>
      )}
    </Loaded>
  )
}

/** A column for each week, Monday on top; the darker, the more reviews. */
function Calendar({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ reviews }) => reviews))
  const practised = days.filter(({ reviews }) => reviews > 0)
  const total = practised.reduce((sum, { reviews }) => sum + reviews, 0)
  const offset = days[0] ? (new Date(`${days[0].date}T12:00:00`).getDay() + 6) % 7 : 0
  return (
    <figure class="sheet chart-figure">
      <figcaption class="row spread">
        <span>Calendar</span>
        <small>
          {t(
            '{reviews, plural, one {# review} other {# reviews}} on {days, plural, one {# day} other {# days}}',
            { reviews: total, days: practised.length },
          )}
        </small>
      </figcaption>
      <svg class="calendar" viewBox={`0 0 ${WEEKS * 10 + 10} 70`} aria-hidden="true">
        {days.map(({ date, reviews }, index) => {
          const place = index + offset
          return (
            <rect
              key={date}
              x={10 * Math.floor(place / 7)}
              y={10 * (place % 7)}
              width="8.5"
              height="8.5"
              rx="1.5"
              class={`level-${Math.ceil((4 * reviews) / most)}`}
            >
              <title>
                {t('{day}: {count, plural, one {# review} other {# reviews}}', {
                  day: day(date),
                  count: reviews,
                })}
              </title>
            </rect>
          )
        })}
      </svg>
      <details>
        <summary>Data table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Reviews</th>
              <th scope="col">Correct</th>
              <th scope="col">Minutes</th>
            </tr>
          </thead>
          <tbody>
            {practised.map(({ date, reviews, right, minutes }) => (
              <tr key={date}>
                <th scope="row">{day(date)}</th>
                <td class="number">{reviews}</td>
                <td class="number">{right}</td>
                <td class="number">{number(minutes, 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function Certainty({ history: { sure, unsure, retention } }: { history: PracticeHistory }) {
  const points = [
    { label: t('When you were sure ({count})', { count: sure.n }), ...sure },
    { label: t('When you were not sure ({count})', { count: unsure.n }), ...unsure },
  ].flatMap(({ label, n, right }) => (n > 0 ? { label, value: (100 * right) / n } : []))
  if (retention.expected !== null && retention.measured !== null)
    points.push(
      {
        label: t('Expected of questions that came back ({count})', { count: retention.n }),
        value: 100 * retention.expected,
      },
      { label: t('Correct of these'), value: 100 * retention.measured },
    )
  return <BarChart title="How often you were correct" most={100} unit=" %" points={points} />
}
