import { setImmediate } from 'node:timers/promises'
import { reaches } from '../attempts/scoring.ts'
import type { ResultColumns } from './analytics.store.ts'

/** Results that are counted in one go before other requests get their turn. */
const SLICE = 10_000

export interface Group {
  attempts: number
  /** How many of them have a mark, which the other numbers are about. */
  marked: number
  /** Of percentages, not rounded. */
  sum: number
  passed: number
}

/** The numbers of a dashboard, from one pass over the results. */
export interface Tally {
  all: Group
  /** 90 and above, 75 to 89, 60 to 74, below 60. */
  distribution: [number, number, number, number]
  users: Map<number, Group & { lastDay: number }>
  exams: Map<number, Group>
  /** By day since 2000-01-01, with how many different people were active. */
  days: Map<number, Group & { people: number }>
}

/** `passMarks` gives the percentage from which an exam is passed. */
export async function tallyResults(
  columns: ResultColumns,
  passMarks: ReadonlyMap<number, number>,
): Promise<Tally> {
  const tally: Tally = {
    all: newGroup(),
    distribution: [0, 0, 0, 0],
    users: new Map(),
    exams: new Map(),
    days: new Map(),
  }
  const { length } = columns.userIds
  for (let start = 0; start < length; start += SLICE) {
    if (start > 0) await setImmediate()
    addSlice(tally, columns, passMarks, start, Math.min(start + SLICE, length))
  }
  return tally
}

function addSlice(
  tally: Tally,
  { userIds, examIds, days, percentages, exact }: ResultColumns,
  passMarks: ReadonlyMap<number, number>,
  start: number,
  end: number,
): void {
  for (let row = start; row < end; row++) {
    const userId = userIds[row] as number
    const examId = examIds[row] as number
    const percentage = percentages[row] as number
    const passed = reaches(percentage, passMarks.get(examId) ?? 0) ? 1 : 0
    if (!Number.isNaN(percentage))
      tally.distribution[
        reaches(percentage, 90) ? 0 : reaches(percentage, 75) ? 1 : reaches(percentage, 60) ? 2 : 3
      ] += 1
    const marked = Number.isNaN(percentage) ? undefined : (exact[row] as number)
    const user = groupFor(tally.users, userId, newUser)
    const dayNumber = days[row] as number
    const day = groupFor(tally.days, dayNumber, newDay)
    // Results are in order of time, so those of one day are next to each other.
    if (user.lastDay !== dayNumber) day.people += 1
    user.lastDay = dayNumber
    addResult(tally.all, marked, passed)
    addResult(day, marked, passed)
    addResult(user, marked, passed)
    addResult(groupFor(tally.exams, examId, newGroup), marked, passed)
  }
}

/** `percentage` is undefined where there is none. */
function addResult(group: Group, percentage: number | undefined, passed: number): void {
  group.attempts += 1
  if (percentage === undefined) return
  group.marked += 1
  group.sum += percentage
  group.passed += passed
}

function newGroup(): Group {
  return { attempts: 0, marked: 0, sum: 0, passed: 0 }
}

const newUser = () => ({ ...newGroup(), lastDay: Number.NaN })
const newDay = () => ({ ...newGroup(), people: 0 })

function groupFor<T>(groups: Map<number, T>, key: number, create: () => T): T {
  let group = groups.get(key)
  if (group === undefined) {
    group = create()
    groups.set(key, group)
  }
  return group
}

/** 0 without attempts, null where none of them has a mark. */
export function averageOf(group: Group): number | null {
  return perMarked(group, group.sum)
}

/** In percent. */
export function passRateOf(group: Group): number | null {
  return perMarked(group, group.passed * 100)
}

function perMarked({ attempts, marked }: Group, sum: number): number | null {
  if (marked > 0) return sum / marked
  return attempts === 0 ? 0 : null
}
