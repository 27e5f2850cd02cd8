import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import type { ClassRole } from '../../../schemas/classes.schemas.ts'
import type { Language } from '../../../schemas/languages.ts'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import { given, type Row, rowOf } from '../../db/rows.ts'
import { classInvitations } from '../../db/tables/classes.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import { DAY_MS } from '../../formats/local-time.ts'

/** How long an invitation and its link live (docs/protocol/classes.md#invitations). */
const LIFETIME_MS = 14 * DAY_MS

/** Invitations from before this are over. */
export function liveSince(now: number): Date {
  return new Date(now - LIFETIME_MS)
}

const INVITATION = rowOf(classInvitations, ['id', 'classId', 'email', 'fullName', 'role', 'invitedAt'])
export type InvitationRow = Row<typeof INVITATION>

/** Of a class, newest first. */
export async function listOfClass(
  db: Executor,
  classId: number,
  since: Date,
  limit: number,
  offset: number,
): Promise<InvitationRow[]> {
  return query<InvitationRow>(
    db,
    INVITATION.check,
    sql`
    select ${INVITATION.columns()} from class_invitations
     where class_id = ${classId} and invited_at > ${since.toISOString()} and ended_at is null
     order by invited_at desc, id desc limit ${limit} offset ${offset}`,
  )
}

export async function countOfClass(db: Executor, classId: number, since: Date): Promise<number> {
  return db.$count(
    classInvitations,
    and(
      eq(classInvitations.classId, classId),
      isNull(classInvitations.endedAt),
      gt(classInvitations.invitedAt, since),
    ),
  )
}

/** Whether an invitation is for somebody's address, and they have confirmed that. */
const isFor = (userId: number) => sql`${foldedCase(sql`invited.email`)} = (
  select ${foldedCase(sql`email`)} from users where id = ${userId} and email_verified)`

/** Whether an invitation is void because its person was removed from the class after it was made. */
const isBeforeRemoval = (userId: number) => sql`exists (
  select from class_members member
   where member.class_id = invited.class_id and member.user_id = ${userId} and member.removed
     and coalesce(member.removed_at, member.left_at) > invited.invited_at)`

/** The classes that ask somebody's confirmed address to join, without those that they are in. */
export async function listForPerson(
  db: Executor,
  userId: number,
  since: Date,
): Promise<(InvitationRow & { name: string })[]> {
  return query<InvitationRow & { name: string }>(
    db,
    { ...INVITATION.check, name: 'text' },
    sql`
    select ${INVITATION.columns('invited')}, classes.name from class_invitations invited
      join classes on classes.id = invited.class_id and not classes.archived
     where ${isFor(userId)} and invited.invited_at > ${since.toISOString()} and invited.ended_at is null
       and not ${isBeforeRemoval(userId)} and not exists (
         select from class_members member
          where member.class_id = invited.class_id and member.user_id = ${userId} and member.left_at is null)
     order by invited.invited_at desc, invited.id desc limit 200`,
  )
}

/** Whether the link of an invitation was mailed to somebody's address. */
const wasMailed = (userId: number, tokenHash: string) => sql`
  invited.token_hash = ${tokenHash} and ${foldedCase(sql`invited.email`)} = (
    select ${foldedCase(sql`email`)} from users where id = ${userId})`

/** A class's invitation to somebody's confirmed address, or to the one that a link was mailed to. */
export async function findForPerson(
  db: Executor,
  userId: number,
  by: { classId: number } | { tokenHash: string },
  since: Date,
): Promise<InvitationRow | undefined> {
  const [row] = await query<InvitationRow>(
    db,
    INVITATION.check,
    sql`
    select ${INVITATION.columns('invited')} from class_invitations invited
     where invited.invited_at > ${since.toISOString()} and invited.ended_at is null and not ${isBeforeRemoval(userId)}
       and ${
         'classId' in by
           ? sql`invited.class_id = ${by.classId} and ${isFor(userId)}`
           : wasMailed(userId, by.tokenHash)
       }`,
  )
  return row
}

/** The class that somebody is in, whose link was mailed to their address. */
export async function findJoined(
  db: Executor,
  userId: number,
  tokenHash: string,
): Promise<number | undefined> {
  const [row] = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    select invited.class_id as id from class_invitations invited
      join class_members member
        on member.class_id = invited.class_id and member.user_id = ${userId} and member.left_at is null
     where ${wasMailed(userId, tokenHash)}`,
  )
  return row?.id
}

/** Ends a class's invitation to somebody's confirmed address; false if there was none. */
export async function endForPerson(
  tx: Executor,
  classId: number,
  userId: number,
  at: Date,
): Promise<boolean> {
  const rows = await tx.execute(sql`
    update class_invitations invited set ended_at = ${at.toISOString()}
     where invited.class_id = ${classId} and ${isFor(userId)} and invited.ended_at is null returning 1`)
  return rows.length > 0
}

/**
 * Ends a class's invitations to the confirmed addresses of many people. These are one array: in a join with `users`,
 * PostgreSQL would look up everybody for each invitation of a large roster where it has no statistics yet.
 */
export async function endForPeople(
  tx: Executor,
  classId: number,
  userIds: number[],
  at: Date,
): Promise<void> {
  await tx.execute(sql`
    update class_invitations set ended_at = ${at.toISOString()}
     where class_id = ${classId} and ended_at is null and ${foldedCase(sql`email`)} = any(array(
       select ${foldedCase(sql`users.email`)} from users
        where ${isAnyOf(sql`users.id`, userIds)} and users.email_verified))`)
}

/** Notes of new members by which address the class invited them. */
export async function noteInvited(tx: Executor, classId: number, userIds: number[]): Promise<void> {
  await tx.execute(sql`
    update class_members member set email = invited.email
      from users, class_invitations invited
     where member.class_id = ${classId} and member.user_id = users.id and ${isAnyOf(sql`users.id`, userIds)}
       and users.email_verified and invited.class_id = member.class_id
       and ${foldedCase(sql`invited.email`)} = ${foldedCase(sql`users.email`)}`)
}

/** Ends a class's invitation to somebody's address, confirmed or not: people who are removed can't come back by it. */
export async function endForAddress(tx: Executor, classId: number, userId: number, at: Date): Promise<void> {
  await tx.execute(sql`
    update class_invitations set ended_at = ${at.toISOString()}
     where class_id = ${classId} and ended_at is null
       and ${foldedCase(sql`email`)} = (select ${foldedCase(sql`users.email`)} from users where users.id = ${userId})`)
}

export async function endInvitation(tx: Executor, classId: number, id: number, at: Date): Promise<boolean> {
  const rows = await tx
    .update(classInvitations)
    .set({ endedAt: at })
    .where(
      and(
        eq(classInvitations.classId, classId),
        eq(classInvitations.id, id),
        isNull(classInvitations.endedAt),
      ),
    )
    .returning({ id: classInvitations.id })
  return rows.length > 0
}

/** Deletes all invitations, ended ones too, to somebody's confirmed address. */
export async function deleteAllForPerson(tx: Executor, userId: number): Promise<void> {
  await tx.execute(sql`delete from class_invitations invited where ${isFor(userId)}`)
}

export async function deleteExpired(db: Executor, since: Date): Promise<void> {
  await db.delete(classInvitations).where(lte(classInvitations.invitedAt, since))
}

// --- inviting

/** Those of these addresses, in lower case, that were asked after an instant, also if that has ended. */
export async function listAskedSince(
  tx: Executor,
  classId: number,
  emails: string[],
  since: Date,
): Promise<string[]> {
  const rows = await query<{ email: string }>(
    tx,
    { email: 'text' },
    sql`
    select ${foldedCase(sql`email`)} as email from class_invitations
     where class_id = ${classId} and ${isAnyOf(foldedCase(sql`email`), emails)} and invited_at > ${since.toISOString()}`,
  )
  return rows.map(({ email }) => email)
}

/** Counts mails of today, as far as a day allows; answers how many it allows. */
export async function takeMails(
  tx: Executor,
  classId: number,
  wanted: number,
  { now, timezone, most }: { now: Date; timezone: string; most: number },
): Promise<number> {
  const day = sql`(${now.toISOString()}::timestamptz at time zone ${timezone})::date`
  await tx.execute(sql`
    insert into class_mails as known (class_id, day, count) values (${classId}, ${day}, 0)
    on conflict (class_id) do update set day = excluded.day, count = 0 where known.day <> excluded.day`)
  const [row] = await query<{ taken: number }>(
    tx,
    { taken: 'integer' },
    sql`
    update class_mails known set count = least(${most}::int, known.count + ${wanted}::int)
      from (select count from class_mails where class_id = ${classId}) before
     where class_id = ${classId} returning known.count - before.count as taken`,
  )
  return row?.taken ?? 0
}

export interface Invitee {
  email: string
  fullName: string
  role: ClassRole
}

/**
 * Stores invitations; an earlier one to the same address is replaced, but a teacher stays one. Only those that are due
 * (`isDue`) are mailed: for the others an earlier mail stands.
 */
export async function putInvitations(
  tx: Executor,
  classId: number,
  invitees: (Invitee & { isDue: boolean })[],
  language: Language,
  now: Date,
): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`
  await tx.execute(sql`
    insert into class_invitations as known (class_id, email, full_name, role, language, invited_at, mail_due_at)
    select ${classId}::int, email, full_name, role, ${language}, ${at}, case when is_due then ${at} end
      from ${given({ email: 'text', fullName: 'text', role: 'text', isDue: 'boolean' }, invitees)}
    on conflict (class_id, ${foldedCase(sql`email`)}) do update
      set full_name = excluded.full_name, language = excluded.language, ended_at = null,
          role = case when known.role = 'teacher' and known.ended_at is null then 'teacher' else excluded.role end,
          invited_at = case when excluded.mail_due_at is null and known.ended_at is null then known.invited_at
                            else excluded.invited_at end,
          mail_due_at = coalesce(excluded.mail_due_at, known.mail_due_at),
          mail_tries = case when excluded.mail_due_at is null then known.mail_tries else 0 end`)
}

// --- mails

export interface DueMail {
  id: number
  email: string
  tries: number
  /** The reader's language, if an account with this address has one, else that of the person who invites. */
  language: Language
}

/** Takes mails that are due, which are due again at `again` unless `endMail` says that they were sent. */
export async function claimDue(db: Executor, now: Date, again: Date, limit: number): Promise<DueMail[]> {
  return query<DueMail>(
    db,
    { id: 'integer', email: 'text', tries: 'integer', language: 'text' },
    sql`
    update class_invitations invited
       set mail_due_at = ${again.toISOString()}, mail_tries = mail_tries + 1
     where id = any(array(
       select id from class_invitations where mail_due_at <= ${now.toISOString()} and ended_at is null
        order by mail_due_at limit ${limit} for update skip locked))
    returning id, email, mail_tries as tries, coalesce((
      select settings.language from users join push_settings settings on settings.user_id = users.id
       where ${foldedCase(sql`users.email`)} = ${foldedCase(sql`invited.email`)}), language) as language`,
  )
}

/** The token whose link is in the mail that is about to be sent; false where the invitation has ended. */
export async function setToken(db: Executor, id: number, tokenHash: string): Promise<boolean> {
  const rows = await db
    .update(classInvitations)
    .set({ tokenHash })
    .where(and(eq(classInvitations.id, id), isNull(classInvitations.endedAt)))
    .returning({ id: classInvitations.id })
  return rows.length > 0
}

export async function endMail(db: Executor, id: number): Promise<void> {
  await db.update(classInvitations).set({ mailDueAt: null }).where(eq(classInvitations.id, id))
}
