import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Answer, ask, client, RequestFailed } from '../../client.ts'
import { BarChart } from '../../components/charts/chart.tsx'
import { Choice } from '../../components/forms/fields.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { moment, number, percent } from '../../format.ts'
import { serverNow } from '../../server-time.ts'
import { t } from '../../texts.ts'

export type ForecastAnswer = Answer<'/api/v01/practice/forecast', 'get'>

const DAY_MS = 86_400_000

/**
 * What somebody would score at an exam; undefined where they may see none of its keys. At `days` from now: right after
 * an answer was shown, everybody knows it.
 */
export async function readForecast(examId: number, days?: number): Promise<ForecastAnswer | undefined> {
  const at = days === undefined ? {} : { at: new Date(serverNow() + days * DAY_MS).toISOString() }
  const params = { query: { exam_id: examId, ...at } }
  try {
    return await ask(client.GET('/api/v01/practice/forecast', { params }))
  } catch (error) {
    if (error instanceof RequestFailed && ['not_practisable', 'not_found'].includes(error.code))
      return undefined
    throw error
  }
}

/** In place of days: when the exam opens. */
const OPENING = -1
const DAYS = [
  [1, t('Tomorrow')],
  [7, t('In a week')],
  [30, t('In a month')],
] as const

/** The forecast of an exam: at first of one that is open for practice, the next one that opens before the others. */
export function Forecast() {
  const exams = useLoad('exams', async () => {
    const { exams: all } = await ask(client.GET('/api/v01/exams'))
    const now = serverNow()
    // Those to come first, the nearest one before the others.
    const toCome = all
      .filter(({ opens_at }) => opens_at && Date.parse(opens_at) > now)
      .sort((one, other) => Date.parse(one.opens_at ?? '') - Date.parse(other.opens_at ?? ''))
    const sorted = [...toCome, ...all.filter((each) => !toCome.includes(each))]
    // What can be practised is shown at first; results of others may be practised too.
    return sorted.sort((one, other) => Number(other.open_for_practice) - Number(one.open_for_practice))
  })
  const [chosen, choose] = useState<number>()
  const [days, setDays] = useState<number>()
  return (
    <section class="sheet" aria-labelledby="forecast">
      <h2 id="forecast">What you would score</h2>
      <Loaded of={exams}>
        {(all) => {
          const examId = chosen ?? all[0]?.id
          if (examId === undefined) return <p class="lead">There is no exam yet.</p>
          const opensAt = all.find(({ id }) => id === examId)?.opens_at
          const isToCome = opensAt !== null && opensAt !== undefined && Date.parse(opensAt) > serverNow()
          const when = days ?? (isToCome ? OPENING : 7)
          return (
            <>
              <div class="fields">
                <Choice
                  label="Exam"
                  name="forecast_exam"
                  value={examId}
                  options={all.map(({ id, name }) => [id, name] as const)}
                  onChange={({ currentTarget }) => {
                    choose(Number(currentTarget.value))
                    setDays(undefined)
                  }}
                />
                <Choice
                  label="When"
                  name="forecast_when"
                  value={when}
                  options={[...(isToCome ? [[OPENING, t('When it opens')] as const] : []), ...DAYS]}
                  onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
                />
              </div>
              <Figures key={examId} examId={examId} days={when === OPENING ? undefined : when} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

function Figures({ examId, days }: { examId: number; days: number | undefined }) {
  const found = useLoad(days, async () => ({ forecast: await readForecast(examId, days) }))
  return (
    <Loaded of={found}>
      {({ forecast }) =>
        forecast?.max_score === 0 ? (
          <p class="lead">Nothing can be scored at this exam, so there is no forecast.</p>
        ) : forecast ? (
          <>
            <Range forecast={forecast} />
            <p class="row">
              <a class="button" href={`/desk/practice/cards?exam=${examId}`}>
                Practise for this exam
              </a>
            </p>
            {forecast.by_tag.length > 0 && (
              <BarChart
                title="Expected percent, by tag"
                most={100}
                unit=" %"
                points={forecast.by_tag.flatMap(({ tag, expected_percentage: value }) =>
                  value === null
                    ? []
                    : { label: tag, value, href: `/desk/practice/cards?tag=${encodeURIComponent(tag)}` },
                )}
              />
            )}
          </>
        ) : (
          <p class="lead">You can’t practise the questions of this exam, so there is no forecast.</p>
        )
      }
    </Loaded>
  )
}

/** The expected score on a scale from 0, with its interval, and why. */
function Range({ forecast }: { forecast: ForecastAnswer }) {
  const { expected, low, high, max_score, expected_percentage } = forecast
  const share = (score: number) => Math.min(100, Math.max(0, (100 * score) / max_score))
  return (
    <div class="stack tight">
      <p class="practice-due">
        <strong>{percent(expected_percentage, 0)}</strong>{' '}
        <small>
          {t('{expected} of {most} marks, often {low} to {high}', {
            expected: number(expected, 1),
            most: number(max_score),
            low: number(low, 1),
            high: number(high, 1),
          })}
        </small>
      </p>
      <svg class="range" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="range-scale" x="0" y="3" width="100" height="2" />
        <rect class="range-likely" x={share(low)} y="2" width={share(high) - share(low)} height="4" />
        <rect class="range-expected" x={share(expected) - 0.5} y="0" width="1" height="8" />
      </svg>
      <p>{describeAnswered(forecast)}</p>
      <p>{describeChance(forecast)}</p>
      <TenMinutes forecast={forecast} />
      <p class="lead">
        An estimate from your own answers alone: the last one to each question in practice, else the first in
        an exam, how long ago that was, and how well you usually remember. Of simulated students, about two in
        three scored within such a range. It is no mark, and nobody else sees it.
      </p>
    </div>
  )
}

/** Why the forecast is what it is. */
function describeAnswered({ answered: { right, wrong, unseen }, at }: ForecastAnswer): string {
  const time = moment(at)
  if (right + wrong === 0)
    return t(
      'You have not answered any of its questions yet, so this is little more than a guess. If taken {time}.',
      {
        time,
      },
    )
  return t(
    '{wrong} of {answered} count as wrong, {unseen, plural, =0 {all answered} one {# never answered} other {# never answered}}. If taken {time}.',
    { wrong, answered: right + wrong, unseen, time },
  )
}

function describeChance({ pass_percentage, pass_chance }: ForecastAnswer): ComponentChildren {
  const needed = percent(pass_percentage)
  return pass_chance === null
    ? t('{needed} are needed to pass. Answer more of its questions to see your chance.', { needed })
    : t('{needed} are needed to pass: the chance is <b>{chance}</b>.', {
        needed,
        chance: percent(100 * pass_chance, 0),
        b: (inner) => <strong>{inner}</strong>,
      })
}

function TenMinutes({ forecast: { ten_minutes: worth } }: { forecast: ForecastAnswer }) {
  // What is shown as 0 is nothing to promise.
  if (worth.marks < 0.05) return null
  return (
    <p>
      {t(
        'Ten minutes today, about {count, plural, one {# question} other {# questions}}, would add <b>{marks}</b> marks if you answer them right.',
        { count: worth.questions, marks: number(worth.marks, 1), b: (inner) => <strong>{inner}</strong> },
      )}
    </p>
  )
}
