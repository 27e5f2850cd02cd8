import { type SQL, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, only, query } from '../../../db/query.ts'
import { given } from '../../../db/rows.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, type MessageRow } from '../messages/messages.store.ts'

/** A conversation that somebody searches. */
export interface SearchedRow {
  id: number
  lastSeq: number
  version: number
  /** The version up to which `message_words` has followed. */
  mark: number
}

export interface MessageSearch {
  readerId: number
  fromId: number | undefined
  /** Ids of messages below this one. */
  before: number
  searched: SearchedRow[]
  /** A text search query for `message_words`, in which `#` stands for the id of the conversation. */
  words: string
}

/** A message, and what the reader sees its conversation called. */
export type FoundMessageRow = MessageRow & { conversationName: string }

const FOUND_TYPES = { ...MESSAGE_TYPES, conversationName: 'text' } as const

function foundColumns(readerId: number): SQL {
  return sql`${MESSAGE_COLUMNS},
    coalesce(conversation.name, (
      select person.full_name from conversation_members them join users person on person.id = them.user_id
       where not conversation.is_group and them.conversation_id = conversation.id and them.user_id <> ${readerId}::int
       limit 1), 'Conversation') as "conversationName"`
}

const FOUND_TABLES = sql`
  join conversations conversation on conversation.id = message.conversation_id
  join users sender on sender.id = message.sender_id`

/**
 * At the beginning of a search's transaction. It reads one state of the database, so that what is indexed meanwhile is
 * neither missed nor found twice. Its statements keep their plans, which take indexes whatever the tables' sizes were
 * when they were made: planning them each time takes as long as running them.
 */
export async function beginSearch(tx: Executor): Promise<void> {
  await tx.execute(
    sql.raw(`
    set transaction isolation level repeatable read, read only;
    set local plan_cache_mode = force_generic_plan;
    set local enable_seqscan = off`),
  )
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

export async function findNewestId(tx: Executor): Promise<number> {
  const rows = await query<{ id: number }>(
    tx,
    { id: 'integer' },
    sql`select id from messages order by id desc limit 1`,
  )
  return rows[0]?.id ?? 0
}

/** Whether the reader is shown a message. */
function isShown({ readerId, fromId }: MessageSearch): SQL {
  return sql`message.deleted_at is null
    and message.sender_id not in (select blocked_id from blocks where blocker_id = ${readerId})
    ${fromId === undefined ? sql`` : sql`and message.sender_id = ${fromId}`}`
}

/** The conversations with the versions up to which the index has followed, as a table. */
function marksOf(searched: SearchedRow[]): SQL {
  return given({ id: 'integer', mark: 'integer' }, searched, 'searched')
}

/** Messages whose latest change the index has not followed yet, newest first. */
export async function listUnindexed(
  tx: Executor,
  search: MessageSearch,
  limit: number,
): Promise<FoundMessageRow[]> {
  const behind = search.searched.filter(({ version, mark }) => version > mark)
  if (behind.length === 0) return []
  return query<FoundMessageRow>(
    tx,
    FOUND_TYPES,
    sql`
    select ${foundColumns(search.readerId)}
      from ${marksOf(behind)}
      join messages message on message.conversation_id = searched.id and message.version > searched.mark
      ${FOUND_TABLES}
     where message.id < ${search.before} and ${isShown(search)}
     order by message.id desc limit ${limit}`,
  )
}

/** The messages with these ids, newest first. */
export async function listByIds(tx: Executor, readerId: number, ids: number[]): Promise<FoundMessageRow[]> {
  if (ids.length === 0) return []
  return query<FoundMessageRow>(
    tx,
    FOUND_TYPES,
    sql`
    select ${foundColumns(readerId)} from messages message ${FOUND_TABLES}
     where ${isAnyOf(sql`message.id`, ids)} order by message.id desc`,
  )
}

/** The conversations with the query for each, as a table. */
function queriesOf({ searched, words }: MessageSearch): SQL {
  return sql`
    searched as materialized (
      select id, mark, replace(${words}, '#', id::text)::tsquery as words from ${marksOf(searched)})`
}

/**
 * Whether a row of the index is about the message as it is now, and the reader is shown it. `offset 0` has it looked at
 * row by row: PostgreSQL takes words for far more frequent than most are, and would begin with all messages.
 */
function isCurrent(search: MessageSearch, mark: SQL): SQL {
  return sql`exists (
    select from messages message
     where message.id = word.message_id and message.version <= ${mark} and ${isShown(search)} offset 0)`
}

/**
 * The newest `limit` messages by the index, and how many it has of at most `most`: the more messages have the words,
 * the longer this takes. With `most` of them there may be newer ones than these.
 */
export async function lookUp(
  tx: Executor,
  search: MessageSearch,
  { limit, most }: { limit: number; most: number | null },
): Promise<{ ids: number[]; count: number }> {
  const rows = await query<{ ids: number[]; count: number }>(
    tx,
    { ids: 'integer[]', count: 'integer' },
    sql`
    with ${queriesOf(search)},
    found as materialized (
      select word.message_id, searched.mark
        from searched cross join lateral (
          select message_id from message_words where message_words.words @@ searched.words) word
       where word.message_id < ${search.before} limit ${most})
    select (select count(*)::int from found) as count,
           array(select message_id from (select * from found order by message_id desc) word
                  where ${isCurrent(search, sql`word.mark`)} limit ${limit}) as ids`,
  )
  return only(rows)
}

/**
 * Messages with the words among all with ids from `from` up to `search.before`, newest first, and how many were looked
 * at: for words that many messages have.
 */
export async function lookThrough(
  tx: Executor,
  search: MessageSearch,
  from: number,
): Promise<{ ids: number[]; seen: number }> {
  const rows = await query<{ ids: number[]; seen: number }>(
    tx,
    { ids: 'integer[]', seen: 'integer' },
    sql`
    with ${queriesOf(search)}
    select coalesce(array_agg(near.id order by near.id desc) filter (where near.fits), '{}') as ids, count(*)::int as seen
      from (
        select word.message_id as id,
               case when ts_match_vq(word.words, searched.words) then ${isCurrent(search, sql`searched.mark`)} else false end as fits
          from searched join message_words word
            on word.conversation_id = searched.id and word.message_id >= ${from} and word.message_id < ${search.before}) near`,
  )
  return only(rows)
}
