import type {
  AccessRequestBody,
  AccessRequestCounts,
  EligibilityAnswer,
  EligibilityBody,
  Requestable,
} from '../../../schemas/access.schemas.ts'
import type { Role } from '../../../schemas/auth.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError, invalidFields } from '../../errors.ts'
import { localDisplay } from '../../formats/local-time.ts'
import { offsetOf } from '../../paging.ts'
import { record } from '../audit/audit.service.ts'
import { describeRole } from '../audit/audit-words.ts'
import { announceRevocations } from '../auth/sessions.service.ts'
import { causeNotices } from '../notices/notices.service.ts'
import { setRole } from '../users/users.service.ts'
import * as store from './access.store.ts'

/** Who asks: the account that is signed in, or the network that somebody without a session comes from. */
export type Requester = { userId: number } | { network: string }

/** Requests on a page of the administrators' list. */
export const REQUESTS_PER_PAGE = 25
/** How many wrong pairs of one network are answered, and within how many seconds. */
const MOST_FAILURES = 30
const FAILURES_SECONDS = 3_600
/** What each role can ask for (docs/protocol/http.md#accounts). */
const REQUESTABLE: Record<Role, Requestable[]> = {
  user: ['admin', 'user,admin'],
  admin: ['user,admin'],
  'user,admin': [],
}

/**
 * The roles that an account can ask for. 404 unless name and address are both its own, and the caller's if somebody
 * is signed in; 429 `rate_limited` after too many wrong pairs from a network.
 */
export async function checkEligibility(
  core: Core,
  asker: Requester,
  input: EligibilityBody,
): Promise<Content<EligibilityAnswer>> {
  const { username, role, hasPending } = await requireApplicant(core, asker, input)
  const available = REQUESTABLE[role]
  return {
    user: { username, current_access: role },
    available_requests: available,
    has_pending_request: hasPending,
    can_request: available.length > 0 && !hasPending,
  }
}

/** Asks for another role, for an account that `checkEligibility` accepts; answers the request's id. */
export async function requestAccess(core: Core, asker: Requester, input: AccessRequestBody): Promise<number> {
  const applicant = await requireApplicant(core, asker, input)
  if (applicant.hasPending) throw new AppError('request_pending')
  const { current_access: currentAccess, requested_access: requestedAccess } = input
  const wrong: { path: string; message: string }[] = []
  if (currentAccess !== applicant.role)
    wrong.push({ path: '/current_access', message: "is not the account's role" })
  if (!REQUESTABLE[applicant.role].some((each) => each === requestedAccess))
    wrong.push({ path: '/requested_access', message: 'is not available to this account' })
  if (wrong.length > 0) throw invalidFields(wrong)
  return store.insertRequest(core.db, {
    userId: applicant.id,
    currentAccess,
    requestedAccess,
    userReason: input.user_reason,
    signedIn: 'userId' in asker,
    createdAt: new Date(core.clock()),
  })
}

/** One page of the pending requests, or of all others, newest first, and how many there are. */
export async function listRequests(core: Core, pending: boolean, page: number) {
  const statuses: store.AccessStatus[] = pending ? ['pending'] : ['completed', 'denied']
  const offset = offsetOf(page, REQUESTS_PER_PAGE)
  const { rows, total } = await store.listRequests(core.db, statuses, REQUESTS_PER_PAGE, offset)
  const display = (date: Date) => localDisplay(date, core.config.timezone)
  const requests = rows.map((request) => ({
    request_id: request.id,
    username: request.username,
    email: request.email,
    current_access: request.currentAccess,
    requested_access: request.requestedAccess,
    request_date: display(request.createdAt),
    status: request.status,
    reason: describeReason(request),
    signed_in: request.signedIn,
    processed_by: request.processor,
    processed_date: request.processedAt && display(request.processedAt),
  }))
  return { requests, total }
}

export async function countRequests(core: Core): Promise<Content<AccessRequestCounts>> {
  const counts = await store.countByStatus(core.db)
  const [pending = 0, completed = 0, denied = 0] = (['pending', 'completed', 'denied'] as const).map(
    (status) => counts.get(status),
  )
  return { pending, completed, denied, total: pending + completed + denied }
}

/** Gives the account that role at once. */
export async function approve(core: Core, actor: Actor, requestId: number, role: Role): Promise<void> {
  await core.db.transaction(async (tx) => {
    const request = await requirePending(tx, requestId)
    await setRole(tx, actor, request.userId, role)
    await store.updateRequest(tx, requestId, {
      status: 'completed',
      processedBy: actor.id,
      processedAt: new Date(core.clock()),
    })
    const summary = `User ${request.userId} is now ${describeRole(role)}`
    await record(tx, actor, {
      action: 'access_request.approve',
      subject: ['access_request', requestId],
      summary,
    })
    await tellDecided(core, tx, actor, request)
  })
  announceRevocations(core)
}

export async function deny(core: Core, actor: Actor, requestId: number, reason: string): Promise<void> {
  await core.db.transaction(async (tx) => {
    const request = await requirePending(tx, requestId)
    await store.updateRequest(tx, requestId, {
      status: 'denied',
      adminReason: reason,
      processedBy: actor.id,
      processedAt: new Date(core.clock()),
    })
    const summary = `User ${request.userId} did not become ${describeRole(request.requestedAccess)}`
    await record(tx, actor, {
      action: 'access_request.deny',
      subject: ['access_request', requestId],
      summary,
    })
    await tellDecided(core, tx, actor, request)
  })
}

function tellDecided(core: Core, tx: Executor, actor: Actor, request: store.AccessRequestRow): Promise<void> {
  const { id: requestId, userId } = request
  return causeNotices(core, tx, { kind: 'access_decided', requestId, userIds: [userId], actorId: actor.id })
}

async function requireApplicant(core: Core, asker: Requester, { username, email }: EligibilityBody) {
  const applicant = await store.findApplicant(core.db, username, email)
  if ('network' in asker) await countGuess(core, asker.network, !applicant)
  if (!applicant || ('userId' in asker && asker.userId !== applicant.id)) throw new AppError('not_found')
  return applicant
}

/**
 * Counted after the pair was looked up, so that simultaneous guesses learn no more than those that come one after
 * another. Right pairs aren't counted, or a school behind one address would be locked out by its own people.
 */
async function countGuess(core: Core, network: string, failed: boolean): Promise<void> {
  const now = core.clock()
  const until = new Date(now + FAILURES_SECONDS * 1_000)
  const { before, expiresAt } = await store.countGuess(core.db, {
    network,
    failed,
    now: new Date(now),
    until,
  })
  if (before < MOST_FAILURES) return
  throw new AppError('rate_limited', {
    message: 'Too many wrong names and addresses: try again later',
    retryAfter: (expiresAt.getTime() - now) / 1_000,
  })
}

/** Deletes counts of wrong pairs whose hour is over. */
export async function deleteExpiredFailures({ db, clock }: Core): Promise<void> {
  await store.deleteExpiredFailures(db, new Date(clock()))
}

/** Locks the request until the transaction ends: of two decisions at once only one is made. */
async function requirePending(tx: Executor, id: number): Promise<store.AccessRequestRow> {
  const request = await store.findRequestForUpdate(tx, id)
  if (!request) throw new AppError('not_found')
  if (request.status !== 'pending') throw new AppError('already_processed')
  return request
}

function describeReason({
  userReason,
  adminReason,
}: Pick<store.AccessRequestRow, 'userReason' | 'adminReason'>): string {
  const asked = `[USER REQUEST] ${userReason}`
  return adminReason === null ? asked : `${asked}\n[ADMIN] ${adminReason}`
}
