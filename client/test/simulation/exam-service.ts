import { type Call, type Reply, refuse, Service } from './service.ts'
import type { World } from './world.ts'

export interface Attempt {
  id: number
  userId: number
  isActive: boolean
  /** Somebody's submit ended it. */
  isSubmitted: boolean
  answers: Record<string, string>
  marked: number[]
  revision: number
  endsAt: number
  /** The sessions that have opened it. */
  sessions: Set<string>
}

interface Body {
  answers?: Record<string, string | null>
  markedForReview?: number[]
  revision?: number
  attempt_id?: number
}

const HOUR_MS = 3_600_000
const GRACE_MS = 30_000
export const QUESTIONS = [1, 2, 3]
export const EXAM_ID = 7

/** As much of the service as an exam needs, by the rules of docs/protocol/exams.md. */
export class ExamService extends Service {
  readonly attempts: Attempt[] = []
  durationMs: number

  constructor(world: World, durationMs = HOUR_MS) {
    super(world)
    this.durationMs = durationMs
  }

  active(userId: number): Attempt | undefined {
    for (const attempt of this.attempts)
      if (attempt.isActive && this.world.now > attempt.endsAt + GRACE_MS) attempt.isActive = false
    return this.attempts.find((each) => each.isActive && each.userId === userId)
  }

  protected answer({ name, query, body }: Call, userId: number, session: string): Reply {
    if (name === `exams/${EXAM_ID}/start`) return this.#start(userId, session)
    const wanted = body as Body
    const attempt = this.active(userId)
    const named = Number(query.get('attempt_id')) || wanted.attempt_id
    const arrived = this.#arrived(userId, wanted)
    if (attempt && named !== undefined && named !== attempt.id)
      return refuse(409, 'another_attempt', { attempt_id: attempt.id, ...stateOf(attempt), arrived })
    if (name === `exams/${EXAM_ID}/submit`) return this.#submit(userId, attempt, wanted)
    if (!attempt) return refuse(409, 'no_active_attempt', { arrived })
    attempt.sessions.add(session)
    if (name === `exams/${EXAM_ID}/answers`) return this.#save(attempt, wanted)
    if (name === `exams/${EXAM_ID}/end`) return this.#end(attempt)
    return [
      200,
      {
        success: true,
        attempt_id: attempt.id,
        questions: QUESTIONS.map((id) => ({ id, exam_id: EXAM_ID, question_type: 'NUMERIC' })),
        ...stateOf(attempt),
        ends_at: this.time(attempt.endsAt),
        server_time: this.time(this.world.now),
      },
    ]
  }

  #arrived(userId: number, { attempt_id, answers = {} }: Body): number[] {
    const ended = this.attempts.find((each) => each.id === attempt_id && each.userId === userId)
    return Object.keys(answers)
      .map(Number)
      .filter((id) => ended && (ended.answers[id] ?? null) === answers[id])
  }

  /** A device has nothing more to send. */
  #end(attempt: Attempt): Reply {
    const closed = this.world.now >= attempt.endsAt && attempt.sessions.size === 1
    if (closed) attempt.isActive = false
    const server_time = this.time(this.world.now)
    return [200, { success: true, closed, ends_at: this.time(attempt.endsAt), server_time }]
  }

  #start(userId: number, session: string): Reply {
    const resumed = this.active(userId)
    if (resumed) return [200, { success: true, resumed: true, attempt_id: resumed.id }]
    const id = this.attempts.length + 1
    const endsAt = this.world.now + this.durationMs
    const attempt = {
      id,
      userId,
      isActive: true,
      isSubmitted: false,
      answers: {},
      marked: [],
      revision: 0,
      endsAt,
      sessions: new Set([session]),
    }
    this.attempts.push(attempt)
    return [201, { success: true, resumed: false, attempt_id: id }]
  }

  #save(attempt: Attempt, { answers = {}, markedForReview, revision }: Body): Reply {
    if (revision !== undefined && revision < attempt.revision)
      return refuse(409, 'stale_revision', stateOf(attempt))
    attempt.revision = revision ?? attempt.revision
    attempt.marked = markedForReview ?? attempt.marked
    for (const [id, answer] of Object.entries(answers))
      if (answer === null) delete attempt.answers[id]
      else attempt.answers[id] = answer
    const ends_at = this.time(attempt.endsAt)
    const saved_at = this.time(this.world.now)
    const saved = { attempt_id: attempt.id, revision: attempt.revision, rejected: null, saved_at, ends_at }
    return [200, { success: true, ...saved }]
  }

  #submit(userId: number, active: Attempt | undefined, body: Body): Reply {
    if (active) {
      const [status, saved] = this.#save(active, body)
      if (status !== 200) return [status, saved]
      active.isActive = false
      active.isSubmitted = true
    }
    const own = this.attempts.filter((each) => each.userId === userId)
    const ended = active ?? (body.attempt_id ? own.find(({ id }) => id === body.attempt_id) : own.at(-1))
    if (!ended) return refuse(409, 'no_active_attempt')
    return [
      200,
      { success: true, attempt_id: ended.id, already_submitted: active === undefined, rejected: null },
    ]
  }
}

function stateOf({ answers, marked, revision }: Attempt) {
  return { answers: { ...answers }, markedForReview: marked, revision }
}
