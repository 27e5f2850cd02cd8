import { type SQL, sql } from 'drizzle-orm'
import type { Executor, Pool } from '../../db/database-client.ts'
import { isAnyOf, only, type Places, query, statement, unseen } from '../../db/query.ts'
import { type Row, rowOf } from '../../db/rows.ts'
import { practiceCards } from '../../db/tables/practice.tables.ts'
import { isHelpLocked } from '../help-lock/help-lock.sql.ts'
import { IS_STALE, isOpenFor, isUnasked, withFreshDecks } from './cards/decks.store.ts'

/** What cards are asked of; tags are folded. */
export interface CardScope {
  examId: number | undefined
  tagKey: string | undefined
}

/** A local day, and the instant at which one looks; in milliseconds since the epoch. */
export interface Today {
  now: number
  timezone: string
}

const timestampOf = (at: number) => sql`${new Date(at).toISOString()}::timestamptz`

// --- what waits

/** What of practice may wait for somebody; `left` are the new ones that today may still bring. */
export interface CardRequest extends CardScope {
  userId: number
  /** As ISO 8601 writes it. */
  now: string
  left: number
}

function isWanted({ examId, tagKey }: Places<CardScope>, row: SQL, questionId: SQL): SQL {
  const ofExam = examId && sql`and ${row}.exam_id = ${examId}`
  const tagged =
    tagKey &&
    sql`and exists (select from questions tagged where tagged.id = ${questionId} and tagged.tag_keys ? ${tagKey})`
  return sql`${ofExam ?? sql``} ${tagged ?? sql``}`
}

/** Cards whose answer counts, and that are no new ones; `practice_cards_ranked_idx` has the same condition. */
const isDue = (now: SQL) =>
  sql`card.paper_id is not null and card.due is not null and card.due <= ${now}::timestamptz`

/**
 * Cards of decks that are fresh. `is true` has PostgreSQL hash the decks: a join may compare each card with each deck
 * where it expects few cards, as it does before it has looked at the table.
 */
const IS_FRESH = sql.raw('(card.exam_id in (select exam_id from fresh)) is true')

/**
 * What ranks cards: the numbers of the forgetting curve, what is known after a wrong answer at least, which part of the
 * curve counts where the right one was shown, and how many are wanted.
 */
interface Ranking {
  decay: number
  factor: number
  missed: number
  shown: number
  limit: number
}

/**
 * By how much a right review of a card raises what its person would score now: as forecasts have it
 * (`figures/chances.ts`), without the person's own figures. Cards of version 1.0 are taken for right until their next review.
 */
const gainOf = (places: Places<CardRequest & Ranking>) => sql`
  (1 - card.guess) * card.marks * (1 - case
    when card.last_outcome in ('wrong', 'partly') then greatest(${places.missed}::float8, case
      when card.is_last_shown then ${places.shown}::float8 * ${retrievabilityAt(places)} else 0 end)
    else ${retrievabilityAt(places)} end)`

/** The forgetting curve. */
const retrievabilityAt = ({ now, factor, decay }: Places<CardRequest & Ranking>) => sql`power(
  1 + ${factor}::float8 * greatest(0, date_part('epoch', ${now}::timestamptz - card.last_review) / 86400)
    / card.stability, ${decay}::float8)`

/**
 * New cards, then questions of open exams that nobody made a card of yet; at most `left`. The questions are looked for
 * only where the cards are too few, exam by exam until there are enough, and not where all have cards (`asked_basis`).
 */
const newOnes = (places: Places<CardRequest>) => sql`
  with made as materialized (
    select 1 as part, card.question_id, card.exam_id, card.paper_id, fresh.is_open
      from practice_cards card join fresh using (exam_id)
     where card.user_id = ${places.userId} and card.paper_id is not null and card.due is null
       ${isWanted(places, sql`card`, sql`card.question_id`)}
     order by card.question_id limit ${places.left})
  select * from made
  union all
  (select 2, question.id, exam.id, null, true
     from (
       select id from exams
        where ${isOpenFor(places.userId)} and id not in (select exam_id from looked where asked = now)
        order by id) exam,
     lateral (
       select id from questions question
        where exam_id = exam.id and ${isUnasked(places.userId)} ${isWanted(places, sql`question`, sql`question.id`)}
        order by id limit ${places.left}) question
    order by exam.id, question.id limit ${places.left} - (select count(*) from made))`

/** Before anything that is told from them, the decks have to be looked at again that are `stale`. */
interface StaleDecks {
  stale: number[]
}

const STALE = sql`(select coalesce(array_agg(exam_id), '{}') from looked where ${IS_STALE}) as stale`

/** What a card is called; null: its exam or question doesn't exist. */
export interface CardNames {
  examName: string | null
  tags: string[] | null
}

/** What a card that waits is shown with. */
const WAITING = rowOf(
  practiceCards,
  [
    'questionId',
    'examId',
    'paperId',
    'state',
    'due',
    'lastReview',
    'stability',
    'difficulty',
    'reps',
    'lapses',
  ],
  { instants: 'ms' },
)

export type NextRow = Row<typeof WAITING> & CardNames & { isOpen: boolean }
/** One without a card says how many are due where there are none. */
type ChosenRow = StaleDecks & { dueCount: number; regraded: number[] } & (
    | NextRow
    | Record<keyof NextRow, null>
  )

/** Planning this statement takes as long as running it, and the plan for any of these values is as good as for given ones. */
const unplanned = (places: Places<CardRequest & Ranking>): Places<CardRequest & Ranking> => ({
  ...places,
  userId: unseen(places.userId, 'int'),
  now: unseen(places.now, 'timestamptz'),
  left: unseen(places.left, 'int'),
  limit: unseen(places.limit, 'int'),
})

const selectNext = statement<CardRequest & Ranking, ChosenRow>(
  {
    ...WAITING.check,
    isOpen: 'boolean',
    examName: 'text',
    tags: 'jsonb',
    dueCount: 'integer',
    stale: 'integer[]',
    regraded: 'integer[]',
  },
  (given) => {
    const places = unplanned(given)
    return sql`${withFreshDecks(places.userId)},
    ranked as materialized (
      select card.question_id, card.due, ${gainOf(places)} as gain from practice_cards card
       where card.user_id = ${places.userId} and ${isDue(places.now)} and ${IS_FRESH}
         ${isWanted(places, sql`card`, sql`card.question_id`)}
    ), best as materialized (
      select * from ranked order by gain desc, due, question_id limit ${places.limit}
    ), chosen as materialized (
      select 0 as part, best.gain, card.exam_id in (select exam_id from fresh where is_open) as is_open,
             ${WAITING.names('card')}
        from best
        join practice_cards card on card.user_id = ${places.userId} and card.question_id = best.question_id
      union all
      select part, null, is_open, question_id, exam_id, paper_id, 'new', null, null, 0, 0, 0, 0
        from (${newOnes(places)}) new_one
    )
    select ${STALE}, (select count(*)::int from ranked) as "dueCount",
           (select coalesce(array_agg(distinct exam_id), '{}') from regrades
             where undone_at is null and exam_id in (select exam_id from chosen)) as regraded,
           ${WAITING.columns('chosen')}, chosen.is_open as "isOpen",
           (select name from exams where id = chosen.exam_id) as "examName",
           (select tags from questions where id = chosen.question_id) as tags
      from (select) once left join chosen on true
     order by part, gain desc, chosen.due, case when part = 2 then chosen.exam_id end, chosen.question_id`
  },
)

/** The cards whose review gains most, then new ones, how many are due, and which exams have regrades in force. */
export async function listNext(
  db: Pool,
  waiting: CardRequest & Ranking,
): Promise<StaleDecks & { due: number; regraded: number[]; cards: NextRow[] }> {
  const rows = await selectNext(db, waiting)
  return {
    stale: rows[0]?.stale ?? [],
    due: rows[0]?.dueCount ?? 0,
    regraded: rows[0]?.regraded ?? [],
    cards: rows.flatMap((row) => (row.questionId === null ? [] : row)),
  }
}

const selectCounts = statement<CardRequest, StaleDecks & { due: number; new: number }>(
  { due: 'integer', new: 'integer', stale: 'integer[]' },
  (places) => sql`${withFreshDecks(places.userId)}
    select ${STALE}, (
             select count(*)::int from practice_cards card
              where card.user_id = ${places.userId} and ${isDue(places.now)} and ${IS_FRESH}
                ${isWanted(places, sql`card`, sql`card.question_id`)}) as due,
           (select count(*)::int from (${newOnes(places)}) new_one) as new`,
)

const selectDue = statement<Pick<CardRequest, 'userId' | 'now'>, StaleDecks & { hasDue: boolean }>(
  { hasDue: 'boolean', stale: 'integer[]' },
  ({ userId, now }) => sql`${withFreshDecks(userId)}
    select ${STALE}, exists (
      select from practice_cards card
       where card.user_id = ${userId} and ${isDue(now)} and ${IS_FRESH}) as "hasDue"`,
)

/** Whether any cards are due. */
export async function findDue(
  db: Pool,
  at: Pick<CardRequest, 'userId' | 'now'>,
): Promise<StaleDecks & { hasDue: boolean }> {
  return only(await selectDue(db, at))
}

/** How many cards are due, and how many new ones there are for today. */
export async function countWaiting(
  db: Pool,
  waiting: CardRequest,
): Promise<StaleDecks & { due: number; new: number }> {
  return only(await selectCounts(db, waiting))
}

// --- figures

export interface PracticeFigures {
  reviews: number
  right: number
  minutes: number
}

const FIGURES = sql.raw(`
  count(*)::int as reviews, (count(*) filter (where outcome = 'right'))::int as right,
  coalesce(sum(took_ms), 0)::float8 / 60000 as minutes`)

/** Reviews in practice that count; an index has the same condition. */
const COUNTS = sql.raw('attempt_id is null and undone_at is null')

/** What today was, and what its person has set; null: nothing yet. */
export interface TodayRow extends PracticeFigures {
  /** Cards that were new today. */
  introduced: number
  newPerDay: number | null
  retention: number | null
  seed: string | null
  /** Whether an exam locks their help. */
  isLocked: boolean
}

const selectToday = statement<{ userId: number; now: string; timezone: string }, TodayRow>(
  {
    reviews: 'integer',
    right: 'integer',
    minutes: 'float8',
    introduced: 'integer',
    newPerDay: 'integer',
    retention: 'float8',
    seed: 'uuid',
    isLocked: 'boolean',
  },
  ({ userId, now, timezone }) => {
    const begin = sql`(date_trunc('day', ${now}::timestamptz at time zone ${timezone}) at time zone ${timezone})`
    return sql`
    with reviewed as materialized (
      select question_id, outcome, took_ms from practice_reviews
       where user_id = ${userId}::int and answered_at >= ${begin} and ${COUNTS})
    select figures.*, (
             select count(*)::int from practice_cards card
              where card.user_id = ${userId} and card.introduced_at >= ${begin}
                and card.question_id in (select question_id from reviewed)) as introduced,
           setting.new_per_day as "newPerDay", setting.retention,
           (select seed from practice_learners where user_id = ${userId}) as seed,
           ${isHelpLocked(userId)} as "isLocked"
      from (select ${FIGURES} from reviewed) figures
      left join (
        select new_per_day, retention from practice_settings where user_id = ${userId}
         order by since desc limit 1) setting on true`
  },
)

export async function readToday(db: Pool, userId: number, { now, timezone }: Today): Promise<TodayRow> {
  return only(await selectToday(db, { userId, now: new Date(now).toISOString(), timezone }))
}

export interface CardCounts {
  learning: number
  known: number
  /** Milliseconds since the epoch; null: there are none. */
  nextDueAt: number | null
}

export async function countByState(db: Executor, userId: number): Promise<CardCounts> {
  const rows = await query<CardCounts>(
    db,
    { learning: 'integer', known: 'integer', nextDueAt: 'float8' },
    sql`${withFreshDecks(userId)}
    select (count(*) filter (where card.state in ('learning', 'relearning')))::int as learning,
           (count(*) filter (where card.state = 'review'))::int as known,
           (extract(epoch from min(card.due)) * 1000)::float8 as "nextDueAt"
      from practice_cards card
     where card.user_id = ${userId} and card.paper_id is not null and ${IS_FRESH}`,
  )
  return only(rows)
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
       where day >= (${timestampOf(now)} at time zone ${timezone})::date - 1
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
): Promise<(PracticeFigures & { date: string })[]> {
  return query<PracticeFigures & { date: string }>(
    db,
    { date: 'text', reviews: 'integer', right: 'integer', minutes: 'float8' },
    sql`
    select day::date::text as date, coalesce(figures.reviews, 0) as reviews, coalesce(figures.right, 0) as right,
           coalesce(figures.minutes, 0) as minutes
      from generate_series(${firstDay(today, days)}::timestamp, (${timestampOf(today.now)} at time zone ${today.timezone})::date,
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
  sql`((${timestampOf(now)} at time zone ${timezone})::date - ${days - 1}::int)`

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

/** How often people were right when they were sure, and how likely an answer was beside how often it came. */
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

export type CardNameRow = CardNames & { questionId: number }

const selectNames = statement<{ questionIds: number[]; examIds: number[] }, CardNameRow>(
  { questionId: 'integer', examName: 'text', tags: 'jsonb' },
  ({ questionIds, examIds }) => sql`
    select card.question_id as "questionId", exams.name as "examName", questions.tags
      from unnest(${unseen(questionIds)}, ${unseen(examIds)}) as card(question_id, exam_id)
      left join exams on exams.id = card.exam_id
      left join questions on questions.id = card.question_id`,
)

/** The names of these cards' exams and the tags of their questions, by question. */
export async function listNames(
  db: Pool,
  cards: readonly { questionId: number; examId: number }[],
): Promise<ReadonlyMap<number, CardNameRow>> {
  if (cards.length === 0) return new Map()
  const different = [...new Map(cards.map((card) => [card.questionId, card])).values()]
  const rows = await selectNames(db, {
    questionIds: different.map(({ questionId }) => questionId),
    examIds: different.map(({ examId }) => examId),
  })
  return new Map(rows.map((row) => [row.questionId, row]))
}

/**
 * Remembers papers that were shown while their exams were open for practice; those of exams that are deleted meanwhile
 * are gone.
 */
export async function insertShown(db: Executor, paperIds: readonly number[]): Promise<void> {
  await db.execute(sql`
    insert into practice_papers (paper_id)
    select id from exam_papers where ${isAnyOf(sql`id`, paperIds)} for key share
    on conflict do nothing`)
}
