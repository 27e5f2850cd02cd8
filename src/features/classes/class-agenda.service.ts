import type { AgendaExam } from '../../../schemas/classes.schemas.ts'
import type { Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { roundPercentage } from '../attempts/scoring.ts'
import { listOwnStandings } from '../attempts/standings.service.ts'
import type { Times } from '../timing/time-windows.ts'
import { requireMember } from './class-access.service.ts'
import * as store from './class-agenda.store.ts'

/** Exams that are over, of one agenda. */
const MOST_OVER = 100

interface Entry {
  examId: number
  closesAt: Date | null
  isOver: boolean
  shown: AgendaExam
}

/**
 * The exams of a class as they hold for somebody: what closes soonest first, what never closes behind it, and the
 * newest of those that are over last. For its students these are their own times; for others the exams' own.
 */
export async function listAgenda(core: Core, viewer: Viewer, classId: number): Promise<AgendaExam[]> {
  const { role } = await requireMember(core.db, viewer, classId)
  const listed = await store.listExamsFor(core.db, classId, viewer.userId)
  const entries = role === 'student' ? await listOwn(core, viewer.userId, listed) : listTaught(core, listed)
  const ahead = entries.filter(({ isOver }) => !isOver).sort(byClose)
  const over = entries.filter(({ isOver }) => isOver).sort((one, other) => other.examId - one.examId)
  return [...ahead, ...over.slice(0, MOST_OVER)].map(({ shown }) => shown)
}

async function listOwn(core: Core, userId: number, listed: store.ListedExam[]): Promise<Entry[]> {
  const best = new Map(listed.map((exam) => [exam.id, exam.best]))
  const pools = new Map(listed.map(({ id, poolCount }) => [id, poolCount]))
  const standings = await listOwnStandings(core, userId, pools)
  return standings.map(({ exam, times, state, attemptsLeft }) => {
    const percentage = best.get(exam.id) ?? null
    // Of an exam that they teach in another class they have no state.
    const isOver = state === null ? isClosed(core, times) : state === 'done' || state === 'missed'
    return toEntry(exam, times, isOver, {
      state,
      attempts_left: state === null ? null : attemptsLeft,
      best_percentage: percentage === null ? null : roundPercentage(percentage),
    })
  })
}

function listTaught(core: Core, listed: store.ListedExam[]): Entry[] {
  return listed.map((exam) =>
    toEntry(exam, { ...exam, extraTimePercent: 0 }, isClosed(core, exam), {
      state: null,
      attempts_left: null,
      best_percentage: null,
    }),
  )
}

const isClosed = (core: Core, { closesAt }: Pick<Times, 'closesAt'>) =>
  closesAt !== null && closesAt.getTime() <= core.clock()

function toEntry(
  { id, name }: Pick<store.ListedExam, 'id' | 'name'>,
  { opensAt, closesAt, durationMinutes, extraTimePercent }: Times,
  isOver: boolean,
  own: Pick<AgendaExam, 'state' | 'attempts_left' | 'best_percentage'>,
): Entry {
  return {
    examId: id,
    closesAt,
    isOver,
    shown: {
      exam_id: id,
      name,
      opens_at: opensAt?.toISOString() ?? null,
      closes_at: closesAt?.toISOString() ?? null,
      duration_minutes: durationMinutes === null ? null : (durationMinutes * (100 + extraTimePercent)) / 100,
      ...own,
    },
  }
}

function byClose(one: Entry, other: Entry): number {
  const [soonest, latest] = [one, other].map(({ closesAt }) => closesAt?.getTime() ?? Number.MAX_VALUE)
  return (soonest ?? 0) - (latest ?? 0) || one.examId - other.examId
}
