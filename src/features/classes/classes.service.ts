import { randomInt } from 'node:crypto'
import type {
  AdminClass,
  AdminClassesQuery,
  ClassChanges,
  ClassDetails,
  ClassInvitation,
  ClassMember,
  ClassSettings,
  CodeBody,
  InvitedAddress,
  NewClass,
  OwnClass,
} from '../../../schemas/classes.schemas.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { violates } from '../../db/database-errors.ts'
import { AppError, invalidField } from '../../errors.ts'
import { instantOf } from '../../formats/local-time.ts'
import { offsetOf } from '../../paging.ts'
import { requireUnchanged } from '../../unchanged.ts'
import { record } from '../audit/audit.service.ts'
import { describeChanged } from '../audit/audit-words.ts'
import { requireOneVersion } from '../nodes/nodes.service.ts'
import { isTeaching, lockTaughtClass, requireMember, tellGone } from './class-access.service.ts'
import { followMembers, refreshConversation } from './class-conversation.service.ts'
import * as invitations from './class-invitations.store.ts'
import * as members from './class-members.store.ts'
import { toHundredths } from './class-weights.ts'
import * as store from './classes.store.ts'

/** Classes on a page of the administrators' list, and members on a page of a class. */
export const CLASSES_PER_PAGE = 50
export const MEMBERS_PER_PAGE = 100
/** Neither I and L nor O, which look like digits, nor vowels that make words. */
const CODE_LETTERS = 'BCDFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 8

// --- one's own

/** Somebody's classes by name, and those that ask their confirmed address to join. */
export async function listOwnClasses(
  core: Core,
  userId: number,
  archived: boolean,
): Promise<{ classes: OwnClass[]; invitations: ClassInvitation[] }> {
  const [classes, asked] = await Promise.all([
    store.listOwn(core.db, userId, { archived }),
    invitations.listForPerson(core.db, userId, invitations.liveSince(core.clock())),
  ])
  return {
    classes,
    invitations: asked.map(({ classId, name, role, invitedAt }) => ({
      id: classId,
      name,
      role,
      invited_at: invitedAt.toISOString(),
    })),
  }
}

/** One of somebody's classes, archived or not; 404 without. */
export async function getOwnClass(db: Executor, userId: number, classId: number): Promise<OwnClass> {
  const [own] = await store.listOwn(db, userId, { archived: true, classId })
  if (!own) throw new AppError('not_found')
  return own
}

// --- as administrators keep them

/** One page by name, and how many there are. */
export async function listClasses(core: Core, { q, archived = false, page }: AdminClassesQuery) {
  const filter = { q, archived }
  const [rows, total] = await Promise.all([
    store.listClasses(core.db, filter, CLASSES_PER_PAGE, offsetOf(page, CLASSES_PER_PAGE)),
    store.countClasses(core.db, filter),
  ])
  return { classes: rows.map(toAdminClass), total }
}

async function getClass(core: Core, id: number): Promise<AdminClass> {
  const [row] = await store.listClasses(core.db, { q: undefined, archived: true, id }, 1, 0)
  if (!row) throw new AppError('not_found')
  return toAdminClass(row)
}

/** Whoever makes a class is its teacher, unless they name others. */
export async function createClass(
  core: Core,
  actor: Actor,
  userId: number,
  { name, teacher_ids: teacherIds = [userId] }: NewClass,
): Promise<AdminClass> {
  const id = await core.db.transaction(async (tx) => {
    const inserted = await store.insertClass(tx, name)
    await replaceTeachers(core, tx, inserted, teacherIds, false)
    const entry = { action: 'class.create', summary: 'The class was created' } as const
    await record(tx, { ...actor, classId: inserted }, { ...entry, subject: ['class', inserted] })
    return inserted
  })
  return getClass(core, id)
}

/**
 * Changes the given fields. An archived class first has to come back, by `archived` false: 409 `class_archived`. 409
 * `changed` if a field is no longer as `was` says, `is_student` if a new teacher is a student of the class and
 * `replace` doesn't end that.
 */
export async function changeClass(
  core: Core,
  actor: Actor,
  id: number,
  { name, archived, teacher_ids: teacherIds, replace = false, was }: ClassChanges,
): Promise<AdminClass> {
  if (name === undefined && archived === undefined && teacherIds === undefined)
    throw new AppError('nothing_to_update')
  const { tell, gone } = await core.db.transaction(async (tx) => {
    const row = await store.lockClass(tx, id)
    if (!row) throw new AppError('not_found')
    if (was)
      requireUnchanged(
        { name: row.name, archived: row.archived, teacher_ids: await members.listTeacherIds(tx, id) },
        was,
        { name, archived, teacher_ids: teacherIds },
      )
    const staysArchived = row.archived && archived !== false
    if (staysArchived && (name !== undefined || teacherIds !== undefined))
      throw new AppError('class_archived')
    await store.updateClass(tx, id, {
      ...(name === undefined ? {} : { name }),
      ...(archived === undefined ? {} : { archived }),
    })
    const gone = teacherIds ? await replaceTeachers(core, tx, id, teacherIds, replace) : []
    const changed = Object.entries({ name, archived, teachers: teacherIds }).filter(
      ([, value]) => value !== undefined,
    )
    await record(tx, actor, {
      action: 'class.change',
      subject: ['class', id],
      summary: describeChanged(changed.map(([field]) => field)),
    })
    return { tell: await followMembers(core, tx, row), gone }
  })
  tell()
  tellGone(core, gone)
  return getClass(core, id)
}

/** 400 for ids of nobody, 409 `is_student`. Teachers whom it leaves out are no longer in the class: its answer. */
async function replaceTeachers(
  core: Core,
  tx: Executor,
  id: number,
  userIds: number[],
  areReplaced: boolean,
): Promise<number[]> {
  const known = await members.listAccounts(tx, userIds)
  const missing = userIds.filter((userId) => !known.includes(userId))
  if (missing.length > 0) throw invalidField('/teacher_ids', `names nobody: ${missing.join(', ')}`)
  const students = areReplaced ? [] : await members.listStudentsAmong(tx, id, known)
  if (students.length > 0) throw new AppError('is_student', { details: { user_ids: students } })
  const now = new Date(core.clock())
  const gone = (await members.listTeacherIds(tx, id)).filter((userId) => !known.includes(userId))
  for (const userId of gone) {
    await members.removeMember(tx, id, userId, now)
    await invitations.endForAddress(tx, id, userId, now)
  }
  const teachers = known.map((userId) => ({ userId, role: 'teacher' as const }))
  await members.insertMembers(tx, id, teachers, now)
  await invitations.endForPeople(tx, id, known, now)
  return gone
}

/** 409 `class_in_use` if there is an exam for this class alone: without the class it would be for nobody. */
export async function deleteClass(core: Core, actor: Actor, id: number): Promise<void> {
  await core.db.transaction(async (tx) => {
    if (!(await store.lockWithExams(tx, id))) throw new AppError('not_found')
    if ((await store.countOnlyExams(tx, id)) > 0) throw new AppError('class_in_use')
    await store.deleteClass(tx, id)
    const entry = { action: 'class.delete', summary: 'The class was deleted' } as const
    await record(tx, actor, { ...entry, subject: ['class', id] })
  })
}

function toAdminClass({ createdAt, ...row }: store.AdminClassRow): AdminClass {
  return { ...row, created_at: createdAt.toISOString() }
}

// --- as its members see it

/** A class with a page of those of its members whom the asker may know, and what else its teachers know of it. */
export async function describeClass(core: Core, viewer: Viewer, id: number, page: number) {
  const standing = await requireMember(core.db, viewer, id)
  const isTaught = isTeaching(viewer, standing)
  const [details, known, taught] = await Promise.all([
    toDetails(core.db, standing, isTaught),
    isTaught || standing.class.showsMembers ? listMembers(core, id, page) : { members: [], total: 0 },
    isTaught ? describeTaught(core, standing.class, page) : undefined,
  ])
  const members = isTaught ? known.members : known.members.map(({ joined_at: _, ...member }) => member)
  return { class: details, members, total: known.total, ...taught }
}

async function toDetails(
  db: Executor,
  { class: row, role }: store.ClassStanding,
  isTaught: boolean,
): Promise<ClassDetails> {
  const [students, teachers] = await Promise.all([
    store.countStudents(db, row.id),
    members.listTeachers(db, row.id),
  ])
  return {
    id: row.id,
    name: row.name,
    role,
    students,
    archived: row.archived,
    shows_members: row.showsMembers,
    tutor_mode: row.tutorMode,
    conversation_id: row.conversationId,
    teachers: teachers.map(({ userId: user_id, fullName: full_name }) => ({ user_id, full_name })),
    ...(isTaught ? { weights: row.weights, counts: row.counts } : {}),
  }
}

async function listMembers(core: Core, id: number, page: number) {
  const [shown, total] = await Promise.all([
    members.listMembers(core.db, id, MEMBERS_PER_PAGE, offsetOf(page, MEMBERS_PER_PAGE)),
    members.countMembers(core.db, id),
  ])
  return {
    total,
    members: shown.map(
      (member): ClassMember => ({
        user_id: member.userId,
        username: member.username,
        full_name: member.fullName,
        role: member.role,
        joined_at: member.joinedAt.toISOString(),
      }),
    ),
  }
}

/** What only its teachers and administrators know: its code, drafts of exams, and a page of the invited addresses. */
async function describeTaught(core: Core, row: store.ClassRow, page: number) {
  const since = invitations.liveSince(core.clock())
  const offset = offsetOf(page, MEMBERS_PER_PAGE)
  const [invited, invitedTotal, exams] = await Promise.all([
    invitations.listOfClass(core.db, row.id, since, MEMBERS_PER_PAGE, offset),
    invitations.countOfClass(core.db, row.id, since),
    store.listExams(core.db, row.id),
  ])
  return {
    join_code: row.joinCode,
    code_ends_at: row.codeEndsAt?.toISOString() ?? null,
    exams,
    invited: invited.map(
      (each): InvitedAddress => ({
        id: each.id,
        email: each.email,
        full_name: each.fullName,
        role: each.role,
        invited_at: each.invitedAt.toISOString(),
      }),
    ),
    invited_total: invitedTotal,
  }
}

/** Changes what its teachers decide about a class. 400 `nothing_to_update`, 409 `nodes_differ`. */
export async function changeSettings(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  { shows_members: showsMembers, tutor_mode: tutorMode, weights, counts }: ClassSettings,
): Promise<ClassDetails> {
  const given = Object.entries({
    shows_members: showsMembers,
    tutor_mode: tutorMode,
    weights,
    counts,
  }).filter(([, value]) => value !== undefined)
  if (given.length === 0) throw new AppError('nothing_to_update')
  const { details, tell } = await core.db.transaction(async (tx) => {
    const row = await lockTaughtClass(tx, viewer, classId)
    if (weights) await checkWeights(tx, row, weights)
    // Nodes of the version before give results away.
    if (tutorMode === 'guide') await requireOneVersion(tx)
    await store.updateClass(tx, classId, {
      ...(showsMembers === undefined ? {} : { showsMembers }),
      ...(tutorMode === undefined ? {} : { tutorMode }),
      ...(weights === undefined ? {} : { weights }),
      ...(counts === undefined ? {} : { counts }),
    })
    await record(tx, actor, {
      action: 'class.change',
      subject: ['class', classId],
      summary: describeChanged(given.map(([field]) => field)),
    })
    const details = await toDetails(tx, await requireMember(tx, viewer, classId), true)
    return { details, tell: await refreshConversation(core, tx, row) }
  })
  tell()
  return details
}

/** 400 for weights of exams that aren't the class's, with more than two decimals, or of more than 100 in all. */
async function checkWeights(
  tx: Executor,
  row: store.ClassRow,
  weights: Record<string, number>,
): Promise<void> {
  const values = Object.values(weights)
  if (values.some((weight) => Math.abs(weight * 100 - toHundredths(weight)) > 1e-6))
    throw invalidField('/weights', 'must have at most two decimals')
  if (values.reduce((sum, weight) => sum + toHundredths(weight), 0) > toHundredths(100))
    throw invalidField('/weights', 'add up to more than 100')
  // An exam that is gone may keep its weight, so that what was read can be sent back.
  const exams = (await store.listExams(tx, row.id)).map(({ id }) => String(id))
  const known = new Set([...exams, ...Object.keys(row.weights)])
  const unknown = Object.keys(weights).filter((id) => !known.has(id))
  if (unknown.length > 0) throw invalidField('/weights', `are of no exam of the class: ${unknown.join(', ')}`)
}

/** Gives a class a new code; the one before ends. 400 for an end that is past, 409 `changed`. */
export async function makeCode(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  body: CodeBody,
): Promise<{ code: string; ends_at: string | null }> {
  const { ends_at: endsAt, was } = body
  const codeEndsAt = endsAt == null ? null : instantOf(endsAt)
  if (codeEndsAt && codeEndsAt.getTime() <= core.clock()) throw invalidField('/ends_at', 'is past')
  const joinCode = Array.from(
    { length: CODE_LENGTH },
    () => CODE_LETTERS[randomInt(CODE_LETTERS.length)],
  ).join('')
  try {
    await changeCode(core, actor, viewer, classId, { joinCode, codeEndsAt }, was)
  } catch (error) {
    // Another class has it, which is as likely as guessing it.
    if (violates(error, 'classes_join_code_key')) return makeCode(core, actor, viewer, classId, body)
    throw error
  }
  return { code: joinCode, ends_at: codeEndsAt?.toISOString() ?? null }
}

export async function endCode(core: Core, actor: Actor, viewer: Viewer, classId: number): Promise<void> {
  await changeCode(core, actor, viewer, classId, { joinCode: null, codeEndsAt: null })
}

async function changeCode(
  core: Core,
  actor: Actor,
  viewer: Viewer,
  classId: number,
  values: Pick<store.ClassRow, 'joinCode' | 'codeEndsAt'>,
  was?: CodeBody['was'],
): Promise<void> {
  await core.db.transaction(async (tx) => {
    const row = await lockTaughtClass(tx, viewer, classId)
    requireUnchanged({ code: row.joinCode, ends_at: row.codeEndsAt?.toISOString() ?? null }, was, {})
    await store.updateClass(tx, classId, values)
    await record(tx, actor, {
      action: 'class.code',
      subject: ['class', classId],
      summary: values.joinCode === null ? 'Nobody can join by a code' : 'The class has a new code',
    })
  })
}
