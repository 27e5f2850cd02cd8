import type { FoundClass, OwnClass } from '../../../schemas/classes.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { countActions, record } from '../audit/audit.service.ts'
import { noteAddress } from '../auth/address-proof.ts'
import { hashSecretToken } from '../auth/secret-tokens.ts'
import type { TellGroup } from '../chat/conversations/class-groups.service.ts'
import { causeNotices } from '../notices/notices.service.ts'
import { requireOpen, tellGone } from './class-access.service.ts'
import { followMembers } from './class-conversation.service.ts'
import * as invitations from './class-invitations.store.ts'
import * as members from './class-members.store.ts'
import { getOwnClass } from './classes.service.ts'
import * as store from './classes.store.ts'

/** Wrong codes that somebody may try within an hour. */
const MOST_FAILURES = 10
const FAILURES_MS = 3_600_000
/**
 * Classes that somebody may have joined by themselves, and that they may join in a day: each time leaves a row in the
 * log.
 */
const MOST_CLASSES = 500
const CLASS_CODE = /^[A-Z]{8}$/

interface JoinedClass {
  class: OwnClass
  tell: TellGroup
}

/**
 * Joins by a class's code, or by that of a mailed link, which also proves that the address is theirs. 404 `wrong_code`
 * for a wrong or ended one, and for people who were removed; 429 `rate_limited` after too many of these.
 */
export async function joinByCode(core: Core, actor: Actor, userId: number, code: string): Promise<OwnClass> {
  const joined = await tryCode(core, userId, (tx, now) => {
    const given = readCode(code)
    return 'code' in given
      ? joinWithCode(core, tx, actor, userId, given.code, now)
      : joinWithToken(core, tx, actor, userId, given.tokenHash)
  })
  joined.tell()
  return joined.class
}

/** The class that a code leads to, for people whom `joinByCode` would let in; the same refusals. */
export async function findClassOfCode(core: Core, userId: number, code: string): Promise<FoundClass> {
  return tryCode(core, userId, async (tx, now) => {
    const given = readCode(code)
    const classId =
      'code' in given
        ? await findWithCode(tx, userId, given.code, now)
        : await findWithToken(core, tx, userId, given.tokenHash)
    return classId === undefined ? undefined : describeFound(tx, classId)
  })
}

/**
 * Runs one try of a code, under the lock of its person: wrong ones count, of joining and of looking up alike. `run`
 * answers undefined for a wrong one.
 */
async function tryCode<Found>(
  core: Core,
  userId: number,
  run: (tx: Executor, now: Date) => Promise<Found | undefined>,
): Promise<Found> {
  const found = await core.db.transaction(async (tx) => {
    await lockPerson(tx, userId)
    const now = new Date(core.clock())
    const since = new Date(now.getTime() - FAILURES_MS)
    const wrong = await store.findFailures(tx, userId, since)
    if (wrong && wrong.failures >= MOST_FAILURES)
      throw new AppError('rate_limited', {
        message: 'Too many wrong codes: wait a moment before the next one',
        retryAfter: (wrong.since.getTime() - since.getTime()) / 1_000,
      })
    const found = await run(tx, now)
    if (found === undefined) await store.countFailure(tx, userId, now, since)
    return found
  })
  // Thrown behind the commit, since the failure counts.
  if (found === undefined) throw new AppError('wrong_code')
  return found
}

/** A class's code, however it was grouped, or else that of a mailed link, in which hyphens count. */
function readCode(given: string): { code: string } | { tokenHash: string } {
  const code = given.replace(/[\s\p{Dash}]/gu, '').toUpperCase()
  return CLASS_CODE.test(code) ? { code } : { tokenHash: hashSecretToken(given) }
}

async function findWithCode(
  tx: Executor,
  userId: number,
  code: string,
  now: Date,
): Promise<number | undefined> {
  const classId = await store.findByCode(tx, code, now)
  if (classId === undefined) return undefined
  return (await members.findMember(tx, classId, userId))?.removed ? undefined : classId
}

async function findWithToken(
  core: Core,
  tx: Executor,
  userId: number,
  tokenHash: string,
): Promise<number | undefined> {
  const since = invitations.liveSince(core.clock())
  const invited = await invitations.findForPerson(tx, userId, { tokenHash }, since)
  return invited?.classId ?? invitations.findJoined(tx, userId, tokenHash)
}

async function describeFound(tx: Executor, classId: number): Promise<FoundClass | undefined> {
  const row = await store.findClass(tx, classId)
  if (!row || row.archived) return undefined
  const teachers = await members.listTeachers(tx, classId)
  return {
    name: row.name,
    teachers: teachers.map(({ fullName }) => fullName),
    students: await store.countStudents(tx, classId),
  }
}

async function joinWithCode(
  core: Core,
  tx: Executor,
  actor: Actor,
  userId: number,
  code: string,
  now: Date,
): Promise<JoinedClass | undefined> {
  const classId = await store.findByCode(tx, code, now)
  if (classId === undefined) return undefined
  const row = await store.lockClass(tx, classId)
  // The code may have ended while this waited.
  if (!row || (await findWithCode(tx, userId, code, now)) !== classId) return undefined
  return becomeMember(core, tx, actor, userId, row, 'student')
}

async function joinWithToken(
  core: Core,
  tx: Executor,
  actor: Actor,
  userId: number,
  tokenHash: string,
): Promise<JoinedClass | undefined> {
  const since = invitations.liveSince(core.clock())
  const found = await invitations.findForPerson(tx, userId, { tokenHash }, since)
  const row = found && (await store.lockClass(tx, found.classId))
  // It may have been withdrawn while this waited.
  const invited = await invitations.findForPerson(tx, userId, { tokenHash }, since)
  if (!invited) {
    // The same link again.
    const joined = await invitations.findJoined(tx, userId, tokenHash)
    return joined === undefined ? undefined : remainMember(tx, userId, joined)
  }
  if (!row || row.archived) return undefined
  await noteAddress(tx, userId)
  return becomeMember(core, tx, actor, userId, row, invited.role)
}

/**
 * Joins a class that has invited one's confirmed address; members stay what they are. 404 for others, 409
 * `class_archived`.
 */
export async function acceptInvitation(
  core: Core,
  actor: Actor,
  userId: number,
  classId: number,
): Promise<OwnClass> {
  const joined = await core.db.transaction(async (tx) => {
    await lockPerson(tx, userId)
    const row = await store.lockClass(tx, classId)
    const since = invitations.liveSince(core.clock())
    const invited = await invitations.findForPerson(tx, userId, { classId }, since)
    if (!row || !invited) return remainMember(tx, userId, classId)
    return becomeMember(core, tx, actor, userId, requireOpen(row), invited.role)
  })
  joined.tell()
  return joined.class
}

/** Ends a class's invitation to one's confirmed address; 404 without one. */
export async function declineInvitation(
  core: Core,
  actor: Actor,
  userId: number,
  classId: number,
): Promise<void> {
  await core.db.transaction(async (tx) => {
    const isDeclined = await invitations.endForPerson(tx, classId, userId, new Date(core.clock()))
    if (!isDeclined) throw new AppError('not_found')
    const summary = `User ${userId} declined to join`
    await record(tx, actor, { action: 'class.decline', subject: ['class', classId], summary })
  })
}

/** For people who are in the class already; 404 for others. */
async function remainMember(tx: Executor, userId: number, classId: number): Promise<JoinedClass> {
  return { tell: () => {}, class: await getOwnClass(tx, userId, classId) }
}

/** Makes somebody a member, in the transaction that has locked them and the class. Members stay what they are. */
async function becomeMember(
  core: Core,
  tx: Executor,
  actor: Actor,
  userId: number,
  row: store.ClassRow,
  role: OwnClass['role'],
): Promise<JoinedClass> {
  const now = new Date(core.clock())
  await invitations.endForPerson(tx, row.id, userId, now)
  const added = await members.insertMembers(tx, row.id, [{ userId, role }], now)
  if (added.length > 0) {
    await invitations.noteInvited(tx, row.id, added)
    if ((await store.countOwn(tx, userId)) > MOST_CLASSES) throw new AppError('too_many')
    const joined = await countActions(tx, userId, 'class.join', new Date(now.getTime() - DAY_MS))
    if (joined >= MOST_CLASSES) throw new AppError('too_many', { message: `At most ${MOST_CLASSES} a day` })
    await record(
      tx,
      { ...actor, classId: row.id },
      { action: 'class.join', subject: ['class', row.id], summary: `User ${userId} joined as a ${role}` },
    )
    if (role === 'student')
      await causeNotices(core, tx, { kind: 'class_joined', classId: row.id, userIds: [userId] })
  }
  return { tell: await followMembers(core, tx, row), class: await getOwnClass(tx, userId, row.id) }
}

/** Ends one's own membership; 404 without. */
export async function leaveClass(core: Core, actor: Actor, userId: number, classId: number): Promise<void> {
  const tell = await core.db.transaction(async (tx) => {
    const row = await store.lockClass(tx, classId)
    const now = new Date(core.clock())
    if (!row || !(await members.endMembership(tx, classId, userId, now))) throw new AppError('not_found')
    const summary = `User ${userId} left`
    await record(tx, actor, { action: 'class.leave', subject: ['class', classId], summary })
    return followMembers(core, tx, row)
  })
  tell()
  tellGone(core, [userId])
}
