import type postgres from 'postgres'
import { default_w, forgetting_curve } from 'ts-fsrs'
import type { Client } from './client.ts'
import { PRACTICE, readMemory } from './practice.ts'

export const DAY = 24 * 3_600_000

export const atOf = (at: number) => `&at=${new Date(at).toISOString()}`

export const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()

export async function forecast(client: Client, examId: number, query = '', status = 200) {
  const path = `${PRACTICE}/forecast?exam_id=${examId}${query}` as `${typeof PRACTICE}/forecast`
  return (await client.get(path, status)).body
}

/** What the forgetting curve says of a card as it is stored, or as of then. */
export async function curveOf(
  sql: postgres.Sql,
  client: Client,
  questionId: number | undefined,
  at: number,
): Promise<number> {
  const memory = await readMemory(sql, client, questionId as number)
  return forgetting_curve(default_w, (at - memory?.last_review.getTime()) / DAY, memory?.stability)
}

/** What is known at first sight after so many first answers of which so many were right. */
export function firstSight(right: number, answers: number, guess = 0) {
  const known = Math.max(0, (right - answers * guess + 1) / (answers * (1 - guess) + 4))
  return { known, variance: (known * (1 - known)) / (answers * (1 - guess) + 5) }
}
