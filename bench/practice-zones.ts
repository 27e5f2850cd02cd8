import { isDeepStrictEqual } from 'node:util'
import { replay, takeTurns } from '../src/features/practice/cards/practice-schedule.ts'
import { expectedMemory, type SentReview } from '../test/support/practice.ts'
import { random } from './practice-simulation.ts'

/** Zones whose clocks change on an hour, on half an hour and at midnight, and one whose don't. */
export const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Africa/Cairo',
] as const

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OF_A_CARD = 20
const BEGIN = Date.UTC(2025, 0, 1)
const SPAN_MS = 730 * DAY_MS
const RETENTIONS = [0.8, 0.95, 0.72].map((retention, n) => ({
  since: BEGIN + (n * SPAN_MS) / 3,
  retention,
}))

/**
 * Schedules reviews in each zone as the service does, in no order, and counts the cards that aren't what ts-fsrs by
 * itself makes of them. Half of the reviews lie within two days of a change of clocks, where there is one.
 */
export async function compareZones(reviews: number): Promise<{ reviews: number; differences: number }> {
  let compared = 0
  let differences = 0
  for (const timezone of ZONES) {
    const draw = random(compared + 1)
    const changes = findChanges(timezone)
    const turn = takeTurns()
    for (let card = 0; card < reviews / ZONES.length / OF_A_CARD; card += 1) {
      const near = changes[Math.floor(draw() * changes.length)]
      const sent = Array.from({ length: OF_A_CARD }, (_, n) =>
        makeReview(draw, n % 2 === 0 ? near : undefined, n),
      )
      const { card: memory } = await replay(sent.map(toLogged), { settings: RETENTIONS, timezone }, turn)
      const { state, due, lastReview, stability, difficulty, learningSteps, reps, lapses } = memory
      const made = {
        state,
        due: new Date(due ?? 0),
        last_review: new Date(lastReview ?? 0),
        stability,
        difficulty,
        learning_steps: learningSteps,
        reps,
        lapses,
      }
      if (!isDeepStrictEqual(made, expectedMemory(sent, RETENTIONS, timezone))) differences += 1
      compared += sent.length
    }
  }
  return { reviews: compared, differences }
}

/** The hours after which clocks show something else than an hour later. */
function findChanges(timeZone: string): number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const offsetAt = (at: number) =>
    format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const changes: number[] = []
  for (let at = BEGIN; at < BEGIN + SPAN_MS; at += HOUR_MS)
    if (offsetAt(at) !== offsetAt(at + HOUR_MS)) changes.push(at)
  return changes
}

function makeReview(draw: () => number, near: number | undefined, n: number): SentReview {
  const at = near === undefined ? BEGIN + draw() * SPAN_MS : near + (draw() - 0.5) * 4 * DAY_MS
  return {
    client_id: `${Math.floor(draw() * 1e9)}-${n}`,
    question_id: 1,
    answer: draw() < 0.8 ? 'A' : 'B',
    sure: draw() < 0.6,
    answered_at: new Date(at).toISOString(),
  }
}

function toLogged({ client_id: clientId, answer, sure, answered_at }: SentReview) {
  const isRight = answer !== 'B'
  return {
    clientId,
    answeredAt: Date.parse(answered_at),
    rating: isRight ? (sure ? 3 : 2) : 1,
    outcome: isRight ? ('right' as const) : ('wrong' as const),
    share: null,
    isExam: false,
  }
}
