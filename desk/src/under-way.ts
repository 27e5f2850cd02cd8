import { atom } from 'nanostores'
import { ask, client } from './client.ts'
import { showToast } from './components/dialogs/toasts.tsx'
import { clockTime } from './format.ts'
import { dropImages } from './kept-images.ts'
import { serverNow } from './server-time.ts'
import { readStored, writeStored } from './stored.ts'
import { t } from './texts.ts'

/** An attempt under way. */
export interface AttemptUnderWay {
  examId: number
  name: string
  /** By the service's clock; null: no end. */
  endsAt: string | null
}

const STORED = 'under-way'
/** How long after an exam's end its attempts may still run, since teachers extend them beyond it. */
const EXTENDED_MS = 12 * 3_600_000

/** How often it is looked whether this device's clocks still agree. */
const LOOK_EVERY_MS = 5_000

/** The person's attempts under way, as far as they are known here. */
export const $underWay = atom<readonly AttemptUnderWay[]>([])

/** Whether an attempt at an exam with this end may be under way now. */
export function mayBeUnderWay({ closes_at }: { closes_at: string | null }): boolean {
  return !closes_at || Date.parse(closes_at) + EXTENDED_MS > serverNow()
}

export function setUnderWay(exam: AttemptUnderWay): void {
  keep([...$underWay.get().filter(({ examId }) => examId !== exam.examId), exam])
}

export function endUnderWay(examId: number): void {
  keep($underWay.get().filter((each) => each.examId !== examId))
}

let asking: Promise<void> | undefined

/** Asks the service, also for attempts that were begun on other devices. Until it answers, what was known is shown. */
export function lookForUnderWay(): Promise<void> {
  asking ??= look().finally(() => {
    asking = undefined
  })
  return asking
}

async function look(): Promise<void> {
  const known = readStored<AttemptUnderWay[]>(STORED) ?? []
  const answer = await ask(client.GET('/api/v01/attempts/active')).catch(() => undefined)
  if (!answer) return keep(readStored<AttemptUnderWay[]>(STORED) ?? [])
  const found = answer.attempts.map(
    ({ exam_id, exam_name, ends_at }): AttemptUnderWay => ({
      examId: exam_id,
      name: exam_name,
      endsAt: ends_at,
    }),
  )
  const ids = new Set([...known, ...found].map(({ examId }) => examId))
  // What was begun here while the service was asked.
  keep([...found, ...$underWay.get().filter(({ examId }) => !ids.has(examId))])
}

/** Follows the end of an attempt where a teacher moves it. Returns a function that ends this. */
export function watchUnderWay(): () => void {
  return client.live.listen((frame) => {
    if (frame.type !== 'attempt_time') return
    const { exam_id: examId, ends_at: endsAt } = frame
    const known = $underWay.get().find((each) => each.examId === examId)
    // It was over, and goes on.
    if (!known) return void lookForUnderWay()
    if (known.endsAt === endsAt) return
    setUnderWay({ ...known, endsAt })
    showToast(
      endsAt
        ? t('{exam} ends at {time} now', { exam: known.name, time: clockTime(endsAt) })
        : t('{exam} has no time limit now', { exam: known.name }),
    )
  })
}

function keep(exams: readonly AttemptUnderWay[]): void {
  $underWay.set(exams)
  writeStored(STORED, exams.length > 0 ? exams : undefined)
  if (exams.length === 0) void dropImages().catch(() => {})
}

/** Asks the service whenever its time is in doubt: each answer says it. Returns a function that ends this. */
export function watchServerTime(): () => void {
  const timer = setInterval(() => {
    if (client.clock.isDoubtful) void lookForUnderWay()
  }, LOOK_EVERY_MS)
  return () => clearInterval(timer)
}
