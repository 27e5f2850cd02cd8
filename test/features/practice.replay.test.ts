import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { expectedMemory, openExam, readMemory, type SentReview, sendReviews } from '../support/practice.ts'
import { type TestService, withService } from '../support/service.ts'

const DAY = 24 * 3_600_000

/** `PRACTICE_REVIEWS=1000000` sends so many. */
const REVIEWS = Number(process.env.PRACTICE_REVIEWS ?? 20_000)
/** Their clocks change within the month before `NOW`, on an hour, on half an hour and at midnight, but for one. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Cairo']
const NOW = Date.UTC(2026, 10, 2, 12)
const OF_ONE = 2_000
const QUESTIONS = 40

/** The same random numbers for each seed. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Reviews of the last month in the order in which they are sent, some of them at the very same time. */
function makeReviews(draw: () => number, questionIds: readonly number[]): SentReview[] {
  return Array.from({ length: OF_ONE }, () => {
    const age = Math.floor(draw() * 29.9 * 24 * 4) * 900_000 + Math.floor(draw() * 3)
    return {
      client_id: randomUUID(),
      question_id: questionIds[Math.floor(draw() * QUESTIONS)] as number,
      answer: draw() < 0.8 ? 'A' : 'B',
      sure: draw() < 0.6,
      answered_at: new Date(NOW - age).toISOString(),
    }
  })
}

/** Several requests at a time, to both nodes. */
async function sendAll(service: TestService, client: Client, reviews: readonly SentReview[]): Promise<void> {
  const waiting = Array.from({ length: reviews.length / 100 }, (_, n) =>
    reviews.slice(n * 100, n * 100 + 100),
  )
  await Promise.all(
    service.urls.flatMap((url) =>
      [1, 2].map(async () => {
        for (let batch = waiting.pop(); batch; batch = waiting.pop())
          await sendReviews(client.at(url), ...batch)
      }),
    ),
  )
}

test.each(ZONES)(
  `${REVIEWS / ZONES.length} reviews that arrive in any order make the cards that ts-fsrs makes of them in theirs, by the clocks of %s`,
  {
    timeout: 60_000 + REVIEWS * 10,
  },
  async (timezone) => {
    const service = await withService({ nodes: 2, clock: () => NOW, config: { timezone } })
    const { questionIds } = await openExam(service.sql, QUESTIONS)
    let compared = 0
    for (let person = 1; person <= REVIEWS / ZONES.length / OF_ONE; person += 1) {
      const client = await service.person()
      // Settings of the last month, as if they had been made then.
      const settings = [0.8, 0.95, 0.72].map((retention, n) => ({
        since: NOW - (25 - 8 * n) * DAY,
        retention,
      }))
      for (const { since, retention } of settings)
        await service.sql`insert into practice_settings values (${client.id}, ${new Date(since)}, 20, ${retention})`
      const reviews = makeReviews(random(person), questionIds)
      await sendAll(service, client, reviews)
      for (const [questionId, ofCard] of Map.groupBy(reviews, ({ question_id }) => question_id)) {
        const expected = expectedMemory(ofCard, settings, timezone)
        expect(await readMemory(service.sql, client, questionId)).toEqual(expected)
        compared += ofCard.length
      }
    }
    expect(compared).toBe(REVIEWS / ZONES.length)
  },
)
