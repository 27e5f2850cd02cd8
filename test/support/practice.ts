import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'
import { createEmptyCard, fsrs, type Grade } from 'ts-fsrs'
import type { ReviewResult } from '../../schemas/practice.schemas.ts'
import type { Client } from './client.ts'
import { createExam } from './content/exams.ts'

export const PRACTICE = '/api/v01/practice'

/** A question with four options. */
export const choice = (correct_answer = 'A', given: object = {}) => ({
  option_a: 'one',
  option_b: 'two',
  option_c: 'three',
  option_d: 'four',
  correct_answer,
  ...given,
})

/** An exam that is open for practice, of questions whose right answer is A. */
export async function openExam(sql: postgres.Sql, count: number) {
  const exam = await createExam(sql, { questions: Array.from({ length: count }, () => choice()) })
  await sql`update exams set open_for_practice = true where id = ${exam.examId}`
  return exam
}

/** What is stored of a card's memory. */
export async function readMemory(sql: postgres.Sql, { id }: Client, questionId: number) {
  const [row] = await sql`
    select state, due, last_review, stability, difficulty, learning_steps, reps, lapses from practice_cards
     where user_id = ${id} and question_id = ${questionId}`
  return row
}

/** Takes an exam; answers the attempt's id. */
export async function takeExam(
  client: Client,
  examId: number,
  answers: Record<string, string>,
): Promise<number> {
  const { body } = await client.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await client.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
  return body.attempt_id
}

export const readOverview = async (client: Client) => (await client.get(PRACTICE, 200)).body

export const listNext = async (client: Client, query = 'limit=50') =>
  (await client.get(`${PRACTICE}/next?${query}` as `${typeof PRACTICE}/next`, 200)).body

export interface GivenReview {
  client_id?: string
  question_id: number | undefined
  answer?: unknown
  sure?: boolean
  question_version?: number | undefined
  answered_at?: string
  took_ms?: number
}

/** What is left out is a new review with the answer A, of which its person is sure. */
export async function sendReviews(client: Client, ...given: GivenReview[]): Promise<ReviewResult[]> {
  const reviews = given.map(({ question_id = 0, question_version, ...each }) => ({
    ...(question_version === undefined ? {} : { question_version }),
    client_id: randomUUID(),
    answer: 'A',
    sure: true,
    question_id,
    ...each,
  }))
  return (await client.post(`${PRACTICE}/reviews`, { reviews }, 200)).body.results
}

export interface SentReview {
  client_id: string
  question_id: number
  answer: string
  sure: boolean
  answered_at: string
}

export interface Setting {
  since: number
  retention: number
}

/**
 * What ts-fsrs by itself makes of a card's reviews, where all but B are right; it is given what clocks show in a zone,
 * as if that were UTC.
 */
export function expectedMemory(
  reviews: readonly SentReview[],
  settings: readonly Setting[],
  timezone = 'UTC',
) {
  const nameOf = ({ answered_at, client_id }: SentReview) => `${answered_at} ${client_id}`
  let card = createEmptyCard()
  let last = new Date(0)
  for (const review of reviews.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))) {
    last = new Date(review.answered_at)
    const retention = settings.findLast(({ since }) => since <= last.getTime())?.retention ?? 0.9
    const rating: Grade = review.answer === 'B' ? 1 : review.sure ? 3 : 2
    const scheduler = fsrs({ request_retention: retention, enable_fuzz: false })
    card = scheduler.next(card, shownIn(last, timezone), rating).card
  }
  const { stability, difficulty, learning_steps, reps, lapses } = card
  const state = ['new', 'learning', 'review', 'relearning'][card.state]
  const due = turnedBack(card.due, timezone, last)
  return { state, due, last_review: last, stability, difficulty, learning_steps, reps, lapses }
}

const QUARTER_MS = 15 * 60_000

/** What clocks in a zone show at an instant, as if that were UTC. */
function shownIn(at: Date, timezone: string): Date {
  if (timezone === 'UTC') return at
  const text = formatOf(timezone).format(at)
  return new Date(Date.parse(`${text.replace(' ', 'T')}Z`) + (at.getTime() % 1_000))
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Swedish is written as `2026-11-20 10:15:00`. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(timeZone, format)
  return format
}

/**
 * The first instant from `since` on at which clocks show this. Times that they skip are counted on from three hours
 * before.
 */
function turnedBack(shown: Date, timezone: string, since: Date): Date {
  for (let quarter = -14 * 4; quarter <= 14 * 4; quarter += 1) {
    const at = new Date(shown.getTime() + quarter * QUARTER_MS)
    if (at >= since && shownIn(at, timezone).getTime() === shown.getTime()) return at
  }
  const before = turnedBack(new Date(shown.getTime() - 12 * QUARTER_MS), timezone, new Date(0))
  return new Date(before.getTime() + 12 * QUARTER_MS)
}
