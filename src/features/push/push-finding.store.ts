import { type SQL, sql } from 'drizzle-orm'
import type { WishedKind } from '../../../schemas/notices.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { isThereFor, knowClassExams } from '../exams/exam-access.sql.ts'
import { WANTS_PUSH } from '../notices/notices.sql.ts'
import { personalTimes } from '../timing/personal-times.sql.ts'
import { ONLY_ID } from './push.store.ts'
import { IS_WANTED, isCardDue, WANTS_EXAMS } from './push-conditions.store.ts'

// Each of these statements looks for what people are to be told of, queues their pushes, and notes that it has done so.
// Subscriptions that somebody else is deleting are passed over, so that no sign-out waits for it.

/** Messages that one statement looks at. */
const MESSAGES_AT_ONCE = 1_000
const CAUSES_AT_ONCE = 20
const OPENINGS_AT_ONCE = 20
const PEOPLE_AT_ONCE = 100
/** Ids without a message that are remembered of one look. */
const MOST_GAPS = 10_000

export interface QueueingResult {
  /** How many messages or causes there were. */
  looked: number
  queued: number
}
const FOUND = { looked: 'integer', queued: 'integer' } as const

const OWNER = sql`subscription.user_id`

/**
 * Pushes to many people about an exam are due one after another, this far apart: people who chat meanwhile wait neither
 * for a node that encrypts ten thousand pushes nor for their own push behind them.
 */
const ANNOUNCED_EVERY_MS = 5

/** When the pushes of a list are due: those of a topic in the order of their subscriptions. */
const inTurn = (now: Date) => sql`
  ${now.toISOString()}::timestamptz
    + (row_number() over (partition by topic order by id) - 1) * ${ANNOUNCED_EVERY_MS}::int * interval '1 ms'`

/** A push that waits for the same topic says what this one would say. */
const QUEUE = sql`insert into pushes (subscription_id, user_id, topic, kind, subject_id, mark, due_at)`
const MOVE_ON = sql`on conflict (subscription_id, topic) do update
  set mark = pushes.mark + 1, kind = excluded.kind, user_id = excluded.user_id`

/**
 * Queues pushes for the next messages. One node does so at a time: another one finds nothing meanwhile. An id may
 * become visible later than a higher one, so ids without a message are looked at again for a minute.
 */
export function queueMessages(db: Executor, now: Date): Promise<QueueingResult> {
  return runQueueing(
    db,
    sql`
    with cursor as materialized (
      select message_id from push_cursor where id = ${ONLY_ID} for no key update skip locked
    ), newest as materialized (
      select message.id from cursor join lateral (
        select id from messages where id > cursor.message_id order by id limit ${MESSAGES_AT_ONCE}) message on true
    ), late as (
      delete from push_gaps gap using cursor
       where gap.found_at < now() - interval '1 minute'
          or exists (select 1 from messages where messages.id = gap.message_id)
      returning gap.message_id as id
    ), moved as (
      update push_cursor set message_id = (select max(id) from newest)
       where id = ${ONLY_ID} and exists (select 1 from newest)
    ), gaps as (
      insert into push_gaps (message_id)
      select missing.id from cursor, (select max(id) as last from newest) reached,
             generate_series(greatest(cursor.message_id + 1, reached.last - ${MOST_GAPS}), reached.last) as missing(id)
       where not exists (select 1 from newest where newest.id = missing.id)
      on conflict do nothing
    ), receivers as materialized (
      select subscription.*
        from push_subscriptions subscription
       where user_id in (
         select member.user_id from (select id from newest union all select id from late) found
           join messages message using (id)
           join conversation_members member on member.conversation_id = message.conversation_id)
         for key share skip locked
    ), queued as (
      ${QUEUE}
      select subscription.id, subscription.user_id, 'c' || conversation.id, 'message', conversation.id,
             max(message.seq), ${now.toISOString()}::timestamptz
        from (select id from newest union all select id from late) found
        join messages message using (id)
        join conversations conversation on conversation.id = message.conversation_id
        join conversation_members member on member.conversation_id = conversation.id
        join receivers subscription on subscription.user_id = member.user_id
        left join push_settings settings on settings.user_id = member.user_id
       where ${IS_WANTED}
       group by subscription.id, subscription.user_id, conversation.id
      on conflict (subscription_id, topic) do update set mark = greatest(pushes.mark, excluded.mark)
      returning 1
    )
    select (select count(*)::int from newest) as looked, (select count(*)::int from queued) as queued`,
  )
}

/** Queues pushes for what other features have stored. */
export function queueCauses(db: Executor, now: Date): Promise<QueueingResult> {
  return runQueueing(
    db,
    sql`
    with cause as (
      delete from push_causes where id in (
        select id from push_causes order by id limit ${CAUSES_AT_ONCE} for update skip locked)
      returning kind, subject_id, user_ids
    ), person as (
      select kind, subject_id, unnest(user_ids) as user_id from cause where user_ids is not null
      union
      select cause.kind, cause.subject_id, attempt.user_id
        from cause join attempts attempt on attempt.exam_id = cause.subject_id
       where cause.user_ids is null and attempt.status <> 'active'
    ), receivers as materialized (
      select * from push_subscriptions where user_id in (select user_id from person) for key share skip locked
    ), queued as (
      ${QUEUE}
      select id, user_id, topic, kind, subject_id, 1, ${inTurn(now)}
        from (
          select distinct on (subscription.id, topic) subscription.id, subscription.user_id, topic, kind, subject_id
            from (select *, case kind when 'connection_request' then 'q' else 'r' end || subject_id as topic from person) person
            join receivers subscription using (user_id)
            left join push_settings settings using (user_id)
           where kind = 'connection_request' or ${WANTS_EXAMS}
           order by subscription.id, topic, kind desc) told
      ${MOVE_ON}
      returning 1
    )
    select (select count(*)::int from cause) as looked, (select count(*)::int from queued) as queued`,
  )
}

/** Letters of the topics about notices. */
const TOPICS: Record<WishedKind, string> = { exam_published: 'a', exam_closing: 'd', class_news: 'n' }

/** Queues pushes about one notice of many people. */
export async function queueNotices(
  tx: Executor,
  told: { kind: WishedKind; subjectId: number; userIds: number[]; now: Date },
): Promise<void> {
  const { kind, subjectId, userIds, now } = told
  await tx.execute(sql`
    with receivers as materialized (
      select * from push_subscriptions where user_id = any(${sql.param(userIds)}::int[]) for key share skip locked
    )
    ${QUEUE}
    select id, user_id, topic, kind, ${subjectId}::int, 1, ${inTurn(now)}
      from (
        select subscription.id, subscription.user_id, notice.kind, ${TOPICS[kind] + subjectId} as topic
          from (select ${kind}::text as kind) notice
         cross join receivers subscription
          left join push_settings settings using (user_id)
         where ${WANTS_PUSH}) told
    ${MOVE_ON}`)
}

/**
 * Queues pushes for some of the exams that open between these times. Each opening is announced once. Only people whom
 * an exam may be for are looked at: for many exams of small classes, looking at everybody would take longer than a
 * statement may.
 */
export function queueOpenings(db: Executor, now: Date, until: Date): Promise<QueueingResult> {
  return runQueueing(
    db,
    sql`
    with soon as (
      select id as exam_id, opens_at from exams where ${opensBetween(sql`opens_at`, now, until)} and published
      union
      select exam_id, accommodations.opens_at from accommodations join exams on exams.id = exam_id
       where ${opensBetween(sql`accommodations.opens_at`, now, until)} and published
      union
      select exam_id, given.opens_at from class_accommodations given join exams on exams.id = exam_id
       where ${opensBetween(sql`given.opens_at`, now, until)} and published
    ), opening as (
      insert into push_openings (exam_id, opens_at)
      select exam_id, opens_at from soon
       where not exists (
         select from push_openings told where told.exam_id = soon.exam_id and told.opens_at = soon.opens_at)
       order by opens_at limit ${OPENINGS_AT_ONCE}
      on conflict do nothing
      returning exam_id, opens_at
    ), past as (
      delete from push_openings where opens_at < ${now.toISOString()}::timestamptz - interval '1 day'
    ), audience as materialized (
      select exam_id, opens_at, user_id
        from opening join (${knowClassExams(sql`(select exam_id from opening)`)}) known using (exam_id)
      union
      select opening.exam_id, opening.opens_at, user_id
        from opening join exams on exams.id = opening.exam_id and not exams.for_classes
       cross join push_subscriptions
    ), receivers as materialized (
      select * from push_subscriptions where user_id in (select user_id from audience) for key share skip locked
    ), queued as (
      ${QUEUE}
      select id, user_id, topic, 'opening', exam_id, 1, ${inTurn(now)}
        from (
          select subscription.id, subscription.user_id, audience.exam_id, 'e' || audience.exam_id as topic
            from audience
            join receivers subscription using (user_id)
            join exams on exams.id = audience.exam_id
            left join push_settings settings using (user_id)
            left join ${personalTimes({ person: OWNER, exam: sql`exams` })} on true
           where ${WANTS_EXAMS} and coalesce(personal.opens_at, exams.opens_at) = audience.opens_at
             and ${isThereFor(OWNER)}) told
      ${MOVE_ON}
      returning 1
    )
    select (select count(*)::int from opening) as looked, (select count(*)::int from queued) as queued`,
  )
}

/** An instant, and the time zone of those who have set none. */
interface LocalInstant {
  now: Date
  timezone: string
}

const localTime = ({ now, timezone }: LocalInstant) =>
  sql`(${now.toISOString()}::timestamptz at time zone coalesce(settings.time_zone, ${timezone}))`

const isToBeTold = (at: LocalInstant) => sql`(
  settings.practice and extract(hour from ${localTime(at)}) = settings.practice_hour
  and settings.practice_told_on is distinct from ${localTime(at)}::date)`

/** People with an id above this one whose hour it is and who weren't told today, if cards of theirs may be due. */
export async function listToTell(db: Executor, at: LocalInstant, after: number): Promise<number[]> {
  const rows = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    select user_id as id from push_settings settings
     where user_id > ${after} and ${isToBeTold(at)}
       and exists (select 1 from push_subscriptions where push_subscriptions.user_id = settings.user_id)
       and exists (select 1 from practice_cards card where card.user_id = settings.user_id and ${isCardDue(at.now)})
     order by user_id limit ${PEOPLE_AT_ONCE}`,
  )
  return rows.map(({ id }) => id)
}

/** Queues somebody's push of today, once on all nodes. */
export function queuePractice(db: Executor, at: LocalInstant, userId: number): Promise<QueueingResult> {
  return runQueueing(
    db,
    sql`
    with told as (
      update push_settings settings set practice_told_on = ${localTime(at)}::date
       where user_id = ${userId} and ${isToBeTold(at)} returning user_id
    ), receivers as materialized (
      select * from push_subscriptions where user_id in (select user_id from told) for key share skip locked
    ), queued as (
      ${QUEUE}
      select id, user_id, 'p', 'practice', 0, 1, ${at.now.toISOString()}::timestamptz from receivers
      ${MOVE_ON}
      returning 1
    )
    select (select count(*)::int from told) as looked, (select count(*)::int from queued) as queued`,
  )
}

function opensBetween(column: SQL, from: Date, until: Date): SQL {
  return sql`${column} > ${from.toISOString()}::timestamptz and ${column} <= ${until.toISOString()}::timestamptz`
}

async function runQueueing(db: Executor, statement: SQL): Promise<QueueingResult> {
  const [found] = await query<QueueingResult>(db, FOUND, statement)
  return found ?? { looked: 0, queued: 0 }
}
