import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, only, query } from '../../db/query.ts'
import { exams, questions } from '../../db/tables/exams.tables.ts'
import { CARD_COLUMNS, CARD_TYPES, type CardRow, isOpenFor, withFreshDecks } from './decks.store.ts'

/** What cards are asked of; tags are folded. */
export interface Wanted {
  examId: number | undefined
  tagKey: string | undefined
}

/** A local day, and the instant at which one looks; in milliseconds since the epoch. */
export interface Today {
  now: number
  timezone: string
}

const instantOf = (at: number) => sql`${new Date(at).toISOString()}::timestamptz`

/** The instant at which today began. */
const beginOf = ({ now, timezone }: Today) =>
  sql`(date_trunc('day', ${instantOf(now)} at time zone ${timezone}) at time zone ${timezone})`

function isWanted({ examId, tagKey }: Wanted, row: SQL, questionId: SQL): SQL {
  const ofExam = examId === undefined ? sql`` : sql`and ${row}.exam_id = ${examId}`
  const tagged =
    tagKey === undefined
      ? sql``
      : sql`and exists (select from questions tagged where tagged.id = ${questionId} and tagged.tag_keys ? ${tagKey})`
  return sql`${ofExam} ${tagged}`
}

/** Cards whose answer counts, and that are no new ones. */
const isDue = (now: number) =>
  sql`card.paper_id is not null and card.state <> 'new' and card.due <= ${instantOf(now)}`

/** The numbers of the forgetting curve. */
interface Forgetting {
  decay: number
  factor: number
}

/** By how much a review of a card raises what its person would score now. */
const gainOf = (now: number, { decay, factor }: Forgetting) => sql`
  (1 - card.guess) * card.marks * (1 - power(
    1 + ${factor}::float8 * greatest(0, date_part('epoch', ${instantOf(now)} - card.last_review) / 86400)
      / card.stability, ${decay}::float8))`

/** The cards whose review gains most, and how many are due. */
export async function listDue(
  db: Executor,
  userId: number,
  wanted: Wanted,
  now: number,
  forgetting: Forgetting,
  limit: number,
): Promise<{ cards: (CardRow & { isOpen: boolean })[]; due: number }> {
  const rows = await query<CardRow & { isOpen: boolean; due_count: number }>(
    db,
    { ...CARD_TYPES, isOpen: 'boolean', due_count: 'integer' },
    sql`${withFreshDecks(userId)},
    ranked as materialized (
      select card.question_id, card.due, fresh.is_open, ${gainOf(now, forgetting)} as gain
        from practice_cards card join fresh using (exam_id)
       where card.user_id = ${userId} and ${isDue(now)} ${isWanted(wanted, sql`card`, sql`card.question_id`)}
    ), best as materialized (
      select * from ranked order by gain desc, due, question_id limit ${limit}
    )
    select ${CARD_COLUMNS}, best.is_open as "isOpen", (select count(*)::int from ranked) as due_count
      from best join practice_cards card on card.user_id = ${userId} and card.question_id = best.question_id
     order by best.gain desc, best.due, best.question_id`,
  )
  return { cards: rows.map(({ due_count: _, ...card }) => card), due: rows[0]?.due_count ?? 0 }
}

/** A question that has not been asked yet. */
export interface NewRow {
  questionId: number
  examId: number
  /** null: as the exam has it now. */
  paperId: number | null
  isOpen: boolean
}

/**
 * New cards first, then questions of open exams that nobody made a card of yet; at most `limit`. `not in` reads a person's
 * cards once, instead of looking for each question among them: who has reviewed nearly everything has as many.
 */
export async function listNew(
  db: Executor,
  userId: number,
  wanted: Wanted,
  limit: number,
): Promise<NewRow[]> {
  return query<NewRow>(
    db,
    { questionId: 'integer', examId: 'integer', paperId: 'integer', isOpen: 'boolean' },
    sql`${withFreshDecks(userId)}
    (select card.question_id as "questionId", card.exam_id as "examId", card.paper_id as "paperId",
            fresh.is_open as "isOpen"
       from practice_cards card join fresh using (exam_id)
      where card.user_id = ${userId} and card.paper_id is not null and card.due is null
        ${isWanted(wanted, sql`card`, sql`card.question_id`)}
      order by card.question_id limit ${limit})
    union all
    (select question.id, question.exam_id, null, true
       from exams join questions question on question.exam_id = exams.id
      where ${isOpenFor(userId)} ${isWanted(wanted, sql`question`, sql`question.id`)}
        and ${HAS_KEY}
        and question.id not in (select question_id from practice_cards card where card.user_id = ${userId})
      order by question.exam_id, question.id limit ${limit})
    limit ${limit}`,
  )
}

/** Whether a question can be judged: it has a key of its own or by a correction, and wasn't dropped. */
const HAS_KEY = sql.raw(`(
  question.correct_answer <> '' or question.parts is not null or exists (
    select from regrades given
     where given.question_id = question.id and given.undone_at is null and given.action = 'new_key'
       and given.question_type = question.question_type and given.key_version >= question.key_version))
  and not exists (
    select from regrades dropping
     where dropping.question_id = question.id and dropping.undone_at is null and dropping.action = 'drop'
       and not exists (
         select from regrades later
          where later.question_id = question.id and later.undone_at is null and later.id > dropping.id
            and (later.action <> 'new_key'
                 or later.question_type = question.question_type and later.key_version >= question.key_version)))`)

// --- figures

export interface Figures {
  reviews: number
  right: number
  minutes: number
}

export interface DayRow extends Figures {
  /** Days since 1970-01-01. */
  day: number
}

const FIGURES = sql.raw(`
  count(*)::int as reviews, (count(*) filter (where outcome = 'right'))::int as right,
  coalesce(sum(took_ms), 0)::float8 / 60000 as minutes`)

/** Reviews in practice that count; an index has the same condition. */
const COUNTS = sql.raw('attempt_id is null and undone_at is null')

/** Today's figures, and how many cards were new today. */
export async function readToday(
  db: Executor,
  userId: number,
  today: Today,
): Promise<Figures & { introduced: number }> {
  const rows = await query<Figures & { introduced: number }>(
    db,
    { reviews: 'integer', right: 'integer', minutes: 'float8', introduced: 'integer' },
    sql`
    with reviewed as materialized (
      select question_id, outcome, took_ms from practice_reviews
       where user_id = ${userId} and answered_at >= ${beginOf(today)} and ${COUNTS})
    select ${FIGURES}, (
             select count(*)::int from practice_cards card
              where card.user_id = ${userId} and card.introduced_at >= ${beginOf(today)}
                and card.question_id in (select question_id from reviewed)) as introduced
      from reviewed`,
  )
  return only(rows)
}

export interface Counts {
  due: number
  learning: number
  known: number
  /** Milliseconds since the epoch; null: there are none. */
  nextDueAt: number | null
}

export async function countByState(db: Executor, userId: number, now: number): Promise<Counts> {
  const rows = await query<Counts>(
    db,
    { due: 'integer', learning: 'integer', known: 'integer', nextDueAt: 'float8' },
    sql`${withFreshDecks(userId)}
    select (count(*) filter (where ${isDue(now)}))::int as due,
           (count(*) filter (where card.state in ('learning', 'relearning')))::int as learning,
           (count(*) filter (where card.state = 'review'))::int as known,
           (extract(epoch from min(card.due)) * 1000)::float8 as "nextDueAt"
      from practice_cards card join fresh using (exam_id)
     where card.user_id = ${userId} and card.paper_id is not null`,
  )
  return only(rows)
}

export async function countDue(db: Executor, userId: number, wanted: Wanted, now: number): Promise<number> {
  const rows = await query<{ due: number }>(
    db,
    { due: 'integer' },
    sql`${withFreshDecks(userId)}
    select count(*)::int as due from practice_cards card join fresh using (exam_id)
     where card.user_id = ${userId} and ${isDue(now)} ${isWanted(wanted, sql`card`, sql`card.question_id`)}`,
  )
  return only(rows).due
}

/** Days in a row with a review, up to today or yesterday: each step reads one row of an index. */
export async function countStreak(db: Executor, userId: number, { now, timezone }: Today): Promise<number> {
  const last = (before: SQL) => sql`(
    select (max(answered_at) at time zone ${timezone})::date from practice_reviews
     where user_id = ${userId} and ${COUNTS} and answered_at < ${before})`
  const rows = await query<{ days: number }>(
    db,
    { days: 'integer' },
    sql`
    with recursive streak (day, place) as (
      select day, 1 from (select ${last(sql`'infinity'::timestamptz`)} as day) newest
       where day >= (${instantOf(now)} at time zone ${timezone})::date - 1
      union all
      select previous.day, place + 1
        from streak, lateral (select ${last(sql`streak.day::timestamp at time zone ${timezone}`)} as day) previous
       where previous.day = streak.day - 1)
    select count(*)::int as days from streak`,
  )
  return only(rows).days
}

/** The days of which there are reviews, among the last so many. */
export async function listDays(
  db: Executor,
  userId: number,
  today: Today,
  days: number,
): Promise<(Figures & { date: string })[]> {
  return query<Figures & { date: string }>(
    db,
    { date: 'text', reviews: 'integer', right: 'integer', minutes: 'float8' },
    sql`
    select day::date::text as date, coalesce(figures.reviews, 0) as reviews, coalesce(figures.right, 0) as right,
           coalesce(figures.minutes, 0) as minutes
      from generate_series(${firstDay(today, days)}::timestamp, (${instantOf(today.now)} at time zone ${today.timezone})::date,
                           interval '1 day') day
      left join (
        select (answered_at at time zone ${today.timezone})::date as date, ${FIGURES} from practice_reviews
         where user_id = ${userId} and ${COUNTS}
           and answered_at >= ${firstDay(today, days)}::timestamp at time zone ${today.timezone}
         group by 1) figures on figures.date = day::date
     order by day`,
  )
}

const firstDay = ({ now, timezone }: Today, days: number) =>
  sql`((${instantOf(now)} at time zone ${timezone})::date - ${days - 1}::int)`

export interface Certainty {
  sure: number
  sureRight: number
  unsure: number
  unsureRight: number
  /** Reviews of cards that were not new. */
  expectedCount: number
  expected: number | null
  measured: number | null
}

/** How right people were who were sure, and how likely an answer was beside how often it came. */
export async function readCertainty(
  db: Executor,
  userId: number,
  today: Today,
  days: number,
): Promise<Certainty> {
  const rows = await query<Certainty>(
    db,
    {
      sure: 'integer',
      sureRight: 'integer',
      unsure: 'integer',
      unsureRight: 'integer',
      expectedCount: 'integer',
      expected: 'float8',
      measured: 'float8',
    },
    sql`
    select (count(*) filter (where sure))::int as sure,
           (count(*) filter (where sure and outcome = 'right'))::int as "sureRight",
           (count(*) filter (where not sure))::int as unsure,
           (count(*) filter (where not sure and outcome = 'right'))::int as "unsureRight",
           count(expected)::int as "expectedCount", avg(expected) as expected,
           (avg((outcome = 'right')::int) filter (where expected is not null))::float8 as measured
      from practice_reviews
     where user_id = ${userId} and ${COUNTS}
       and answered_at >= ${firstDay(today, days)}::timestamp at time zone ${today.timezone}`,
  )
  return only(rows)
}

// --- names

/** The names of the cards' exams and the tags of their questions, as far as these exist. */
export async function listNames(
  db: Executor,
  cards: readonly { questionId: number; examId: number }[],
): Promise<{ examNames: ReadonlyMap<number, string>; tags: Map<number, string[]> }> {
  if (cards.length === 0) return { examNames: new Map(), tags: new Map() }
  const [named, tagged] = await Promise.all([
    db
      .select({ id: exams.id, name: exams.name })
      .from(exams)
      .where(isAnyOf(exams.id, [...new Set(cards.map(({ examId }) => examId))])),
    db
      .select({ id: questions.id, tags: questions.tags })
      .from(questions)
      .where(isAnyOf(questions.id, [...new Set(cards.map(({ questionId }) => questionId))])),
  ])
  return {
    examNames: new Map(named.map(({ id, name }) => [id, name])),
    tags: new Map(tagged.map(({ id, tags }) => [id, tags])),
  }
}

/** Remembers papers that were shown while their exams were open for practice. */
export async function insertShown(db: Executor, paperIds: readonly number[]): Promise<void> {
  await db.execute(sql`
    insert into practice_papers (paper_id)
    select id from exam_papers where ${isAnyOf(sql`id`, paperIds)}
    on conflict do nothing`)
}
