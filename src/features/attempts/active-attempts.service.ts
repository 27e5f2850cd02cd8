import type { ActiveAttempt } from '../../../schemas/attempts.schemas.ts'
import type { Sittings } from '../../../schemas/exam-results.schemas.ts'
import type { Core } from '../../core.ts'
import * as store from './active-attempts.store.ts'
import { overdueBefore } from './closing.service.ts'

/** More are on the pages of their exams. */
const SHOWN = { exams: 100, attempts: 10 }

/** Somebody's own attempts under way. */
export function listOwnActive(core: Core, userId: number): Promise<ActiveAttempt[]> {
  return store.listOwnActive(core.db, userId, overdueBefore(core))
}

/** The exams that students are taking now. */
export function listSittings(core: Core): Promise<Sittings> {
  return store.listSittings(core.db, overdueBefore(core), SHOWN)
}
