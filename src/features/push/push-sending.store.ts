import { and, eq, sql } from 'drizzle-orm'
import type { Language } from '../../../schemas/languages.ts'
import type { Executor } from '../../db/database-client.ts'
import { query } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { areBlocked } from '../../db/tables/chat.tables.ts'
import { pushes, pushSubscriptions } from '../../db/tables/push.tables.ts'
import { isThereFor } from '../exams/exam-access.sql.ts'
import { HOLDS, IS_UNREAD, WANTS_PUSH } from '../notices/notices.sql.ts'
import { hasVisibleResults } from '../results/visible-results.sql.ts'
import { personalTimes } from '../timing/personal-times.sql.ts'
import { IS_LOCKED, IS_WANTED, isCardDue, WANTS_EXAMS } from './push-conditions.store.ts'

const TAKEN = rowOf(pushes, ['subscriptionId', 'userId', 'topic', 'kind', 'subjectId', 'mark', 'failures'])

/** A push that this node has taken. */
export type TakenPush = Row<typeof TAKEN>

/** What a node has room for: `each` of one person, and none of those who have as many under way. */
export interface Room {
  most: number
  each: number
  busy: number[]
}

/** Takes pushes that are due: nobody else takes them until `until`. */
export function takeDue(
  db: Executor,
  now: Date,
  until: Date,
  { most, each, busy }: Room,
): Promise<TakenPush[]> {
  return query<TakenPush>(
    db,
    TAKEN.check,
    sql`
    with due as materialized (
      select subscription_id, topic, user_id, due_at from pushes
       where due_at <= ${now.toISOString()}::timestamptz and user_id <> all(${sql.param(busy)}::int[])
       order by due_at limit ${most} for no key update skip locked),
    placed as (
      select subscription_id, topic, row_number() over (partition by user_id order by due_at) as place from due)
    update pushes set due_at = ${until.toISOString()}::timestamptz
      from placed
     where pushes.subscription_id = placed.subscription_id and pushes.topic = placed.topic and place <= ${each}
    returning ${TAKEN.columns('pushes')}`,
  )
}

/** Where a push goes, and what is known of what it says. */
export interface PushFacts {
  subscriptionId: number
  topic: string
  endpoint: string
  p256dh: string
  auth: string
  preview: boolean
  /** The person's, else the device's. */
  language: Language
  /** Whether an exam that locks help is under way. */
  isLocked: boolean
  /** Whoever wrote, or wants to connect. */
  personName: string | null
  /** The group's, or the exam's. */
  subjectName: string | null
  text: string | null
  /** Of news. */
  classId: number | null
  hasFiles: boolean
  /** Messages that they have not read, or cards that are due. */
  count: number
}

const OWNER = sql`subscription.user_id`

/** Messages that are counted of one conversation. */
const MOST_COUNTED = 100

/**
 * The facts of these pushes, as they are now. Without a row there is nothing to tell any more: it was read, muted,
 * withdrawn or deleted, or the session has ended.
 */
export function listFacts(db: Executor, taken: TakenPush[], now: Date): Promise<PushFacts[]> {
  return query<PushFacts>(
    db,
    {
      subscriptionId: 'integer',
      topic: 'text',
      endpoint: 'text',
      p256dh: 'text',
      auth: 'text',
      preview: 'boolean',
      language: 'text',
      isLocked: 'boolean',
      personName: 'text',
      subjectName: 'text',
      text: 'text',
      classId: 'integer',
      hasFiles: 'boolean',
      count: 'integer',
    },
    sql`
    select taken.subscription_id as "subscriptionId", taken.topic, subscription.endpoint, subscription.p256dh,
           subscription.auth, coalesce(settings.preview, false) as preview,
           coalesce(settings.language, subscription.language) as language, ${IS_LOCKED} as "isLocked",
           fact.person_name as "personName", fact.subject_name as "subjectName", fact.text,
           fact.class_id as "classId",
           coalesce(fact.has_files, false) as "hasFiles", fact.count::int as count
      from ${TAKEN.given(taken, 'taken')}
      join push_subscriptions subscription
        on subscription.id = taken.subscription_id and subscription.user_id = taken.user_id
      join sessions session on session.id = subscription.session_id and session.expires_at > ${now.toISOString()}::timestamptz
      left join push_settings settings on settings.user_id = taken.user_id
      cross join lateral (
        select sender.full_name as person_name, conversation.name as subject_name, message.message as text,
               message.attachments is not null as has_files, count(*) over () as count, null::int as class_id,
               message.seq as place
          from conversations conversation
          join conversation_members member on member.conversation_id = conversation.id and member.user_id = taken.user_id
          join messages message
            on message.conversation_id = conversation.id and message.seq > conversation.last_seq - ${MOST_COUNTED}::int
          join users sender on sender.id = message.sender_id
         where taken.kind = 'message' and conversation.id = taken.subject_id and ${IS_WANTED}
        union all
        select requester.full_name, null, null, null, 1, null, 1
          from connections connection join users requester on requester.id = connection.requester_id
         where taken.kind = 'connection_request' and connection.id = taken.subject_id
           and connection.status = 'pending' and connection.recipient_id = taken.user_id
           and not ${areBlocked(sql`taken.user_id`, sql`requester.id`)}
        union all
        select null, exam.name, null, null, 1, null, 1
          from exams exam
          left join ${personalTimes({ person: OWNER, exam: sql`exam` })} on true
         where taken.kind in ('released', 'changed', 'opening') and exam.id = taken.subject_id and ${WANTS_EXAMS}
           and (taken.kind <> 'opening' or ${isThereFor(OWNER, sql`exam`)})
           and case when taken.kind = 'opening'
                    then exam.published and coalesce(personal.opens_at, exam.opens_at) > ${now.toISOString()}::timestamptz
                    else ${hasVisibleResults(sql`exam`)} end
        union all
        select null, coalesce(exam.name, there.name), news.text, null, 1, there.id, 1
          from notices notice
          left join exams exam on exam.id = notice.exam_id
          left join classes there on there.id = notice.class_id
          left join class_news news on notice.kind = 'class_news' and news.id = notice.subject_id
         where taken.kind in ('exam_published', 'exam_closing', 'class_news') and notice.user_id = taken.user_id
           and notice.kind = taken.kind and notice.subject_id = taken.subject_id
           and ${WANTS_PUSH} and ${IS_UNREAD} and ${HOLDS}
           and not (notice.kind = 'exam_closing' and exists (
             select from attempts own where own.exam_id = notice.exam_id and own.user_id = notice.user_id))
        union all
        select null, null, null, null, due.count, null, 1
          from (select count(*) from practice_cards card
                 where card.user_id = taken.user_id and ${isCardDue(now)}) due
         where taken.kind = 'practice' and settings.practice and due.count > 0
         order by place desc limit 1) fact`,
  )
}

type PushName = Pick<TakenPush, 'subscriptionId' | 'topic'>

/** Lets a push go. If it has more to say since it was taken, it is due again instead. */
export async function deletePush(db: Executor, push: PushName & { mark: number }, now: Date): Promise<void> {
  const rows = await db
    .delete(pushes)
    .where(and(isPush(push), eq(pushes.mark, push.mark)))
    .returning({ mark: pushes.mark })
  if (rows.length === 0) await postpone(db, push, now, 0)
}

/** Tries a push again later. */
export async function postpone(db: Executor, push: PushName, until: Date, failures: number): Promise<void> {
  await db.update(pushes).set({ dueAt: until, failures }).where(isPush(push))
}

function isPush({ subscriptionId, topic }: PushName) {
  return and(eq(pushes.subscriptionId, subscriptionId), eq(pushes.topic, topic))
}

/**
 * Lets pushes go that push services took. Those that have more to say since they were taken are due again instead.
 * Answers whether each one could be looked at: nothing waits for rows that somebody else holds.
 */
export async function settleTaken(db: Executor, taken: TakenPush[], now: Date): Promise<boolean[]> {
  const rows = await query<{ ord: number }>(
    db,
    { ord: 'integer' },
    sql`
    with taken as materialized (
      select * from ${TAKEN.given(taken)}
    ), held as materialized (
      select pushes.subscription_id, pushes.topic, pushes.mark > taken.mark as is_newer
        from pushes join taken using (subscription_id, topic)
         for no key update of pushes skip locked
    ), gone as (
      delete from pushes using held
       where pushes.subscription_id = held.subscription_id and pushes.topic = held.topic and not held.is_newer
    ), again as (
      update pushes set due_at = ${now.toISOString()}::timestamptz, failures = 0 from held
       where pushes.subscription_id = held.subscription_id and pushes.topic = held.topic and held.is_newer
    ), used as (
      update push_subscriptions set last_used_at = ${now.toISOString()}::timestamptz, failing_since = null
       where id in (select id from push_subscriptions where id in (select subscription_id from held)
                       for no key update skip locked)
    )
    select ord::int from taken
     where exists (select 1 from pushes where pushes.subscription_id = taken.subscription_id and pushes.topic = taken.topic)
       and not exists (select 1 from held where held.subscription_id = taken.subscription_id and held.topic = taken.topic)`,
  )
  const missed = new Set(rows.map(({ ord }) => ord))
  return taken.map((_, index) => !missed.has(index + 1))
}

/** Notes that a push could not be sent. A subscription for which that has been so since `longAgo` goes. */
export async function noteFailed(
  db: Executor,
  subscriptionId: number,
  now: Date,
  longAgo: Date,
): Promise<void> {
  await db.execute(sql`
    with gone as (
      delete from push_subscriptions where id = ${subscriptionId} and failing_since <= ${longAgo.toISOString()}::timestamptz
      returning id)
    update push_subscriptions set failing_since = coalesce(failing_since, ${now.toISOString()}::timestamptz)
     where id = ${subscriptionId} and not exists (select 1 from gone)`)
}

/** The push service says that nobody is there. An endpoint that somebody registered anew stays. */
export async function deleteGone(db: Executor, subscriptionId: number, endpoint: string): Promise<void> {
  await db
    .delete(pushSubscriptions)
    .where(and(eq(pushSubscriptions.id, subscriptionId), eq(pushSubscriptions.endpoint, endpoint)))
}
