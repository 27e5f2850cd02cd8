import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { isAnyOf, query } from '../../db/query.ts'
import {
  MESSAGE_COLUMNS,
  MESSAGE_TYPES,
  type MessageRow,
  type RawMessageRow,
  toRow,
} from './messages.store.ts'

/** A conversation that somebody searches. */
export interface SearchedRow {
  id: number
  lastSeq: number
  version: number
  /** The version up to which `message_words` has followed. */
  mark: number
}

export interface Search {
  readerId: number
  fromId: number | undefined
  /** Ids of messages below this one. */
  before: number
  searched: SearchedRow[]
  /** A text search query for `message_words`, in which `#` stands for the id of the conversation. */
  words: string
}

/** The conversations that this person is in, or this one. */
export async function listSearched(
  tx: Executor,
  userId: number,
  conversationId: number | undefined,
): Promise<SearchedRow[]> {
  return query<SearchedRow>(
    tx,
    { id: 'integer', lastSeq: 'integer', version: 'integer', mark: 'integer' },
    sql`
    select c.id, c.last_seq as "lastSeq", c.version, coalesce(mark.version, 0) as mark
      from conversation_members member
      join conversations c on c.id = member.conversation_id
      left join search_marks mark on mark.conversation_id = c.id
     where member.user_id = ${userId}
       ${conversationId === undefined ? sql`` : sql`and c.id = ${conversationId}`}`,
  )
}

/** What this person sees these conversations called. */
export async function listNames(
  tx: Executor,
  userId: number,
  conversationIds: number[],
): Promise<{ id: number; name: string }[]> {
  return query<{ id: number; name: string }>(
    tx,
    { id: 'integer', name: 'text' },
    sql`
    select c.id, coalesce(c.name, (
             select person.full_name from conversation_members them join users person on person.id = them.user_id
              where not c.is_group and them.conversation_id = c.id and them.user_id <> ${userId}::int limit 1), 'Conversation') as name
      from conversations c where ${isAnyOf(sql`c.id`, conversationIds)}`,
  )
}

export async function findNewestId(tx: Executor): Promise<number> {
  const rows = await query<{ id: number }>(
    tx,
    { id: 'integer' },
    sql`select id from messages order by id desc limit 1`,
  )
  return rows[0]?.id ?? 0
}

/** Whether the reader is shown a message. */
function isShown({ readerId, fromId }: Search): SQL {
  return sql`message.deleted_at is null
    and message.sender_id not in (select blocked_id from blocks where blocker_id = ${readerId})
    ${fromId === undefined ? sql`` : sql`and message.sender_id = ${fromId}`}`
}

/** The conversations with the versions up to which the index has followed, as a table. */
function marksOf(searched: SearchedRow[]): SQL {
  return sql`unnest(${sql.param(searched.map(({ id }) => id))}::int[],
                    ${sql.param(searched.map(({ mark }) => mark))}::int[]) as searched(id, mark)`
}

/** Messages whose latest change the index has not followed yet, newest first. */
export async function listUnindexed(tx: Executor, search: Search, limit: number): Promise<MessageRow[]> {
  const behind = search.searched.filter(({ version, mark }) => version > mark)
  if (behind.length === 0) return []
  const rows = await query<RawMessageRow>(
    tx,
    MESSAGE_TYPES,
    sql`
    select ${MESSAGE_COLUMNS}
      from ${marksOf(behind)}
      join messages message on message.conversation_id = searched.id and message.version > searched.mark
      join users sender on sender.id = message.sender_id
     where message.id < ${search.before} and ${isShown(search)}
     order by message.id desc limit ${limit}`,
  )
  return rows.map(toRow)
}

/** The messages with these ids, newest first. */
export async function listByIds(tx: Executor, ids: number[]): Promise<MessageRow[]> {
  const rows = await query<RawMessageRow>(
    tx,
    MESSAGE_TYPES,
    sql`
    select ${MESSAGE_COLUMNS} from messages message join users sender on sender.id = message.sender_id
     where ${isAnyOf(sql`message.id`, ids)} order by message.id desc`,
  )
  return rows.map(toRow)
}

/** The conversations with the query for each, as a table. */
function queriesOf({ searched, words }: Search): SQL {
  return sql`
    searched as materialized (
      select id, mark, replace(${words}, '#', id::text)::tsquery as words from ${marksOf(searched)})`
}

/** Whether the row of the index is about the message as it is now, and the reader is shown it. */
function isCurrent(search: Search): SQL {
  return sql`exists (
    select from messages message
     where message.id = word.message_id and message.version <= searched.mark and ${isShown(search)})`
}

/**
 * At most `limit` messages by the index, any or the newest. Each conversation is looked up for its words, so this takes
 * the longer the more messages have them.
 */
export async function listIndexed(
  tx: Executor,
  search: Search,
  which: 'any' | 'newest',
  limit: number,
): Promise<number[]> {
  const rows = await query<{ id: number }>(
    tx,
    { id: 'integer' },
    sql`
    with ${queriesOf(search)}
    select word.message_id as id
      from searched cross join lateral (
        select message_id from message_words where message_words.words @@ searched.words) word
     where word.message_id < ${search.before} and ${isCurrent(search)}
     ${which === 'newest' ? sql`order by word.message_id desc` : sql``} limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

export interface Look {
  /** Messages with the words, newest first. */
  ids: number[]
  /** All messages from this id on were looked at. */
  from: number
}

/**
 * The newest messages with words that many have: looks through the newest messages, `span` ids at first and then four
 * times as many each time, until it has found `enough` or looked at `most` messages.
 */
export async function lookThroughNewest(
  tx: Executor,
  search: Search,
  { span, enough, most }: { span: number; enough: number; most: number },
): Promise<Look> {
  const [row] = await query<Look>(
    tx,
    { ids: 'integer[]', from: 'integer' },
    sql`
    with recursive ${queriesOf(search)},
    looks(step, low, ids, seen) as (
      select 0, ${search.before}::int, '{}'::int[], 0
      union all
      select looks.step + 1, look.low, looks.ids || look.ids, looks.seen + look.seen
        from looks cross join lateral (
          select bounds.low, coalesce(array_agg(near.id order by near.id desc) filter (where near.fits), '{}') as ids,
                 count(near.id)::int as seen
            from (select greatest(looks.low - ${span}::float8 * power(4, looks.step), 0)::int as low) bounds
            left join lateral (
              select word.message_id as id,
                     case when ts_match_vq(word.words, searched.words) then ${isCurrent(search)} else false end as fits
                from searched join message_words word
                  on word.conversation_id = searched.id and word.message_id >= bounds.low and word.message_id < looks.low
            ) near on true
           group by bounds.low) look
       where cardinality(looks.ids) < ${enough}::int and looks.seen < ${most}::int and looks.low > 0)
    select ids, low as "from" from looks order by step desc limit 1`,
  )
  return row ?? { ids: [], from: 0 }
}
