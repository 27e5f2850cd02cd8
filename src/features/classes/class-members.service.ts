import { Compile } from 'typebox/compile'
import { Email, FullName } from '../../../schemas/auth.schemas.ts'
import type { ClassRole, MembersAdded, NewMembers } from '../../../schemas/classes.schemas.ts'
import type { Content } from '../../../schemas/common.ts'
import type { Language } from '../../../schemas/languages.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { tryOrCommit } from '../../db/dry-run.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { record } from '../audit/audit.service.ts'
import { causeNotices } from '../notices/notices.service.ts'
import { lockTaughtClass, tellGone } from './class-access.service.ts'
import { followMembers } from './class-conversation.service.ts'
import * as invitations from './class-invitations.store.ts'
import * as members from './class-members.store.ts'
import type { RosterRow } from './class-roster.ts'

/** Mails that invite to one class in a day (docs/protocol/classes.md#invitations). */
const MOST_MAILS = 2_000
/** An address isn't mailed to again sooner. */
const MAIL_INTERVAL_MS = 3_600_000

const emailCheck = Compile(Email)
const nameCheck = Compile(FullName)

/** Somebody whom a request names by an address. */
interface RosterEntry {
  /** What errors call it: `Row 3`, or the address. */
  place: string
  email: string
  fullName: string
  role: string
}

interface MemberAddition {
  userIds: number[]
  offered: RosterEntry[]
  /** The language in which addresses are invited. */
  language: Language
  isDryRun: boolean
}

/**
 * Adds people by id, which only administrators do, and invites addresses. If an administrator invites, people who have
 * confirmed such an address are added at once; for teachers the answer doesn't depend on who has an account.
 */
export async function addMembers(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  { user_ids: userIds = [], emails = [] }: NewMembers,
  language: Language,
): Promise<Content<MembersAdded>> {
  const offered = emails.map((email) => ({ place: email, email, fullName: '', role: 'student' }))
  return addPeople(core, actor, viewer, classId, { userIds, offered, language, isDryRun: false })
}

/**
 * Adds or asks the people of a roster, as `addMembers` does; a dry run answers what would happen and changes nothing.
 */
export async function addRoster(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  rows: RosterRow[],
  { language, isDryRun }: Pick<MemberAddition, 'language' | 'isDryRun'>,
): Promise<Content<MembersAdded>> {
  const offered = rows.map(({ row, email, full_name, role }) => ({
    place: `Row ${row}`,
    email: email.trim(),
    fullName: full_name.trim(),
    role: foldCase(role.trim()) || 'student',
  }))
  return addPeople(core, actor, viewer, classId, { userIds: [], offered, language, isDryRun })
}

async function addPeople(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  { userIds, offered, language, isDryRun }: MemberAddition,
): Promise<Content<MembersAdded>> {
  const errors: string[] = []
  const invitees = readOffered(offered, viewer, errors)
  const { answer, tell } = await tryOrCommit(core.db, isDryRun, async (tx) => {
    const row = await lockTaughtClass(tx, viewer, classId)
    if (userIds.length > 0 && !viewer.isAdmin) throw new AppError('forbidden')
    const byId = await findByIds(tx, userIds, errors)
    const confirmed = viewer.isAdmin ? await findByEmail(tx, invitees) : []
    const byEmail = await withoutStudents(tx, classId, confirmed, errors)
    const now = new Date(core.clock())
    const people = [...byId, ...byEmail].sort((one, other) => one.userId - other.userId)
    const added = await members.insertMembers(tx, classId, uniqueMembers(people), now)
    await invitations.endForPeople(
      tx,
      classId,
      people.map(({ userId }) => userId),
      now,
    )
    await invitations.noteInvited(tx, classId, added)
    const known = new Set(confirmed.map(({ email }) => email))
    const unknown = invitees.filter(({ email }) => !known.has(foldCase(email)))
    const invited = await invite(core, tx, classId, unknown, language, now, errors)
    const answer = { added: added.length, invited, errors: errors.length > 0 ? errors : null }
    if (isDryRun) return { answer, tell: undefined }
    await recordAdded(tx, actor, classId, added.length, invited)
    await causeNotices(core, tx, { kind: 'class_joined', classId, userIds: added, actorId: actor.id })
    return { answer, tell: await followMembers(core, tx, row) }
  })
  tell?.()
  return answer
}

/** One person once, as a teacher if any entry says so. */
function uniqueMembers(people: { userId: number; role: ClassRole }[]) {
  const roles = new Map<number, ClassRole>()
  for (const { userId, role } of people) if (roles.get(userId) !== 'teacher') roles.set(userId, role)
  return [...roles].map(([userId, role]) => ({ userId, role }))
}

/** The entries that can be asked; `errors` gets the others. */
function readOffered(offered: RosterEntry[], viewer: Viewer, errors: string[]) {
  const places = new Map<string, string>()
  return offered.flatMap(({ place, email, fullName, role }) => {
    const reason = findFault({ email, fullName, role }, viewer)
    const before = places.get(foldCase(email))
    if (reason === undefined && before === undefined) {
      places.set(foldCase(email), place)
      return [{ place, email, fullName, role: role as ClassRole }]
    }
    errors.push(`${place}: ${reason ?? `is the address of ${before} again`}`)
    return []
  })
}

function findFault(
  { email, fullName, role }: Omit<RosterEntry, 'place'>,
  { isAdmin }: Viewer,
): string | undefined {
  if (!emailCheck.Check(email)) return 'is no e-mail address'
  if (fullName !== '' && !nameCheck.Check(fullName))
    return 'full_name must be on one line of at most 200 characters'
  if (role !== 'student' && role !== 'teacher') return 'role is neither student nor teacher'
  if (role === 'teacher' && !isAdmin) return 'only administrators add teachers'
  return undefined
}

async function findByIds(tx: Executor, userIds: number[], errors: string[]) {
  const known = new Set(await members.listAccounts(tx, userIds))
  for (const id of new Set(userIds)) if (!known.has(id)) errors.push(`User ${id}: not found`)
  return [...known].map((userId) => ({ userId, role: 'student' as const }))
}

async function findByEmail(tx: Executor, invitees: { place: string; email: string; role: ClassRole }[]) {
  const entries = new Map(invitees.map((each) => [foldCase(each.email), each]))
  const confirmed = await members.listConfirmed(tx, [...entries.keys()])
  return confirmed.map(({ email, userId }) => ({
    email,
    userId,
    place: entries.get(email)?.place ?? email,
    role: entries.get(email)?.role ?? ('student' as const),
  }))
}

/** Without those whom a file makes teachers though they are students of the class; `errors` gets them. */
async function withoutStudents<Person extends { userId: number; place: string; role: ClassRole }>(
  tx: Executor,
  classId: number,
  people: Person[],
  errors: string[],
): Promise<Person[]> {
  const teachers = people.filter(({ role }) => role === 'teacher').map(({ userId }) => userId)
  const students = new Set(await members.listStudentsAmong(tx, classId, teachers))
  return people.filter(({ userId, place }) => {
    if (!students.has(userId)) return true
    errors.push(`${place}: is a student of the class`)
    return false
  })
}

/**
 * How many of these addresses are asked now, or were within the hour; `errors` gets those beyond the mails of a day.
 */
async function invite(
  core: Core,
  tx: Executor,
  classId: number,
  invitees: (invitations.Invitee & { place: string })[],
  language: Language,
  now: Date,
  errors: string[],
): Promise<number> {
  const since = new Date(now.getTime() - MAIL_INTERVAL_MS)
  const emails = invitees.map(({ email }) => foldCase(email))
  const recent = new Set(await invitations.listAskedSince(tx, classId, emails, since))
  const isRecent = ({ email }: invitations.Invitee) => recent.has(foldCase(email))
  const due = invitees.filter((each) => !isRecent(each))
  const limit = { now, timezone: core.config.timezone, most: MOST_MAILS }
  const taken = await invitations.takeMails(tx, classId, due.length, limit)
  for (const { place } of due.slice(taken))
    errors.push(`${place}: a class sends at most ${MOST_MAILS} invitations a day`)
  const stored = [
    ...due.slice(0, taken).map((each) => ({ ...each, isDue: true })),
    ...invitees.filter(isRecent).map((each) => ({ ...each, isDue: false })),
  ]
  await invitations.putInvitations(tx, classId, stored, language, now)
  return invitees.length - (due.length - taken)
}

async function recordAdded(tx: Executor, actor: Actor, classId: number, added: number, invited: number) {
  const subject = ['class', classId] as const
  if (added > 0)
    await record(tx, actor, { action: 'class.add_members', subject, summary: `${added} were added` })
  if (invited > 0)
    await record(tx, actor, {
      action: 'class.invite',
      subject,
      summary: `${invited} addresses were asked to join`,
    })
}

/**
 * Ends somebody's membership: teachers end that of students, administrators everybody's. People who have left by
 * themselves can be removed too, so that the code doesn't bring them back. 403 `forbidden`, 404.
 */
export async function removeMember(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  userId: number,
): Promise<void> {
  const tell = await core.db.transaction(async (tx) => {
    const row = await lockTaughtClass(tx, viewer, classId)
    const member = await members.findMember(tx, classId, userId)
    if (!member || member.removed) throw new AppError('not_found')
    if (member.role === 'teacher' && !viewer.isAdmin) throw new AppError('forbidden')
    const now = new Date(core.clock())
    await members.removeMember(tx, classId, userId, now)
    await invitations.endForAddress(tx, classId, userId, now)
    const summary = `User ${userId} was removed`
    await record(tx, actor, { action: 'class.remove_member', subject: ['class', classId], summary })
    return followMembers(core, tx, row)
  })
  tell()
  tellGone(core, [userId])
}

/** Withdraws an invitation; its link ends. */
export async function withdrawInvitation(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  invitationId: number,
): Promise<void> {
  await core.db.transaction(async (tx) => {
    await lockTaughtClass(tx, viewer, classId)
    const isWithdrawn = await invitations.endInvitation(tx, classId, invitationId, new Date(core.clock()))
    if (!isWithdrawn) throw new AppError('not_found')
    const summary = `Invitation ${invitationId} was withdrawn`
    await record(tx, actor, { action: 'class.uninvite', subject: ['class', classId], summary })
  })
}

/** Deletes the invitations to somebody's confirmed address, before the address goes with their account. */
export async function endInvitations(tx: Executor, userId: number): Promise<void> {
  await invitations.deleteAllForPerson(tx, userId)
}
