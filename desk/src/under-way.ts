import { atom } from 'nanostores'
import { ask, client } from './client.ts'
import { showToast } from './components/dialogs/toasts.tsx'
import { clockTime } from './format.ts'
import { dropImages } from './kept-images.ts'
import { serverNow } from './server-time.ts'
import { readStored, writeStored } from './stored.ts'
import { t } from './texts.ts'

/** An attempt under way. */
export interface UnderWay {
  examId: number
  name: string
  /** By the service's clock; null: no end. */
  endsAt: string | null
}

const STORED = 'under-way'
/** So long after an exam's end its attempts may still run, since teachers extend them beyond it. */
const EXTENDED_MS = 12 * 3_600_000

/** The person's attempts under way, as far as they are known here. */
export const $underWay = atom<readonly UnderWay[]>([])

/** Whether an attempt at an exam with this end may be under way now. */
export function mayBeUnderWay({ closes_at }: { closes_at: string | null }): boolean {
  return !closes_at || Date.parse(closes_at) + EXTENDED_MS > serverNow()
}

export function setUnderWay(exam: UnderWay): void {
  keep([...$underWay.get().filter(({ examId }) => examId !== exam.examId), exam])
}

export function endUnderWay(examId: number): void {
  keep($underWay.get().filter((each) => each.examId !== examId))
}

/** Asks the service about the attempts that were begun in this browser, and about those at the given exams. */
export async function lookForUnderWay(exams: readonly { id: number; name: string }[]): Promise<void> {
  const known = readStored<UnderWay[]>(STORED) ?? []
  const names = new Map(known.map(({ examId, name }) => [examId, name]))
  for (const { id, name } of exams) names.set(id, name)
  const found = await Promise.all(
    [...names].map(async ([examId, name]): Promise<UnderWay[]> => {
      const params = { path: { exam_id: examId } }
      const status = await ask(client.GET('/api/v01/exams/{exam_id}/attempt-status', { params })).catch(
        () => undefined,
      )
      // What can't be asked for now is shown as it was known.
      if (!status) return known.filter((each) => each.examId === examId)
      return status.has_active_attempt ? [{ examId, name, endsAt: status.ends_at }] : []
    }),
  )
  keep(found.flat())
}

/** Follows the end of an attempt where a teacher moves it. Returns a function that ends this. */
export function watchUnderWay(): () => void {
  return client.live.listen((frame) => {
    if (frame.type !== 'attempt_time') return
    const { exam_id: examId, ends_at: endsAt } = frame
    const known = $underWay.get().find((each) => each.examId === examId)
    if (!known || known.endsAt === endsAt) return
    setUnderWay({ ...known, endsAt })
    showToast(
      endsAt
        ? t('{exam} ends at {time} now', { exam: known.name, time: clockTime(endsAt) })
        : t('{exam} has no time limit now', { exam: known.name }),
    )
  })
}

function keep(exams: readonly UnderWay[]): void {
  $underWay.set(exams)
  writeStored(STORED, exams.length > 0 ? exams : undefined)
  if (exams.length === 0) void dropImages().catch(() => {})
}
