import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, query } from '../../../db/query.ts'

/** Conversations that the index has not followed to their newest version. */
export async function listBehind(db: Executor, limit: number): Promise<number[]> {
  const rows = await query<{ id: number }>(
    db,
    { id: 'integer' },
    sql`
    select c.id from conversations c left join search_marks mark on mark.conversation_id = c.id
     where c.version > coalesce(mark.version, 0) limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}

export interface IndexMarkRow {
  conversationId: number
  /** The version up to which the index has followed. */
  mark: number
  /** The conversation's own. */
  version: number
}

/**
 * The marks of these conversations, locked until the transaction ends, without those that somebody else works on. The
 * conversations are locked as well: one that is being deleted is passed over.
 */
export async function tryLockMarks(tx: Executor, ids: number[]): Promise<IndexMarkRow[]> {
  await tx.execute(sql`
    insert into search_marks (conversation_id, version)
    select id, 0 from conversations c
     where ${isAnyOf(sql`id`, ids)} and not exists (select from search_marks where conversation_id = c.id)
     order by id for key share skip locked
    on conflict do nothing`)
  return query<IndexMarkRow>(
    tx,
    { conversationId: 'integer', mark: 'integer', version: 'integer' },
    sql`
    select c.id as "conversationId", mark.version as mark, c.version
      from search_marks mark join conversations c on c.id = mark.conversation_id
     where ${isAnyOf(sql`mark.conversation_id`, ids)}
     order by c.id
       for no key update of mark skip locked
       for key share of c skip locked`,
  )
}

export interface ChangedRow {
  id: number
  conversationId: number
  version: number
  senderId: number
  isDeleted: boolean
  message: string
  files: string[]
}

/** Messages that changed after the marks, in the order of the marks and then of their changes. */
export async function listChanged(tx: Executor, marks: IndexMarkRow[], limit: number): Promise<ChangedRow[]> {
  return query<ChangedRow>(
    tx,
    {
      id: 'integer',
      conversationId: 'integer',
      version: 'integer',
      senderId: 'integer',
      isDeleted: 'boolean',
      message: 'text',
      files: 'jsonb',
    },
    sql`
    select message.id, message.conversation_id as "conversationId", message.version, message.sender_id as "senderId",
           message.deleted_at is not null as "isDeleted", message.message,
           coalesce(jsonb_path_query_array(message.attachments, '$[*].name'), '[]') as files
      from unnest(${sql.param(marks.map(({ conversationId }) => conversationId))}::int[],
                  ${sql.param(marks.map(({ mark }) => mark))}::int[]) with ordinality as behind(id, mark, ord)
      cross join lateral (
        select * from messages where conversation_id = behind.id and version > behind.mark
         order by version limit ${limit}) message
     order by behind.ord, message.version limit ${limit}`,
  )
}

export interface IndexedMessage {
  id: number
  conversationId: number
  /** Without any it leaves the index. */
  words: string[]
}

export async function replaceWords(tx: Executor, messages: IndexedMessage[]): Promise<void> {
  const [gone, kept] = [
    messages.filter(({ words }) => words.length === 0),
    messages.filter(({ words }) => words.length > 0),
  ]
  const columns = (list: IndexedMessage[]) => sql`
    unnest(${sql.param(list.map(({ conversationId }) => conversationId))}::int[],
           ${sql.param(list.map(({ id }) => id))}::int[], ${sql.param(list.map(({ words }) => words.join(' ')))}::text[])
      as changed(conversation_id, message_id, words)`
  await tx.execute(sql`
    delete from message_words using ${columns(gone)}
     where message_words.conversation_id = changed.conversation_id and message_words.message_id = changed.message_id`)
  await tx.execute(sql`
    insert into message_words (conversation_id, message_id, words)
    select conversation_id, message_id, array_to_tsvector(string_to_array(words, ' ')) from ${columns(kept)}
    on conflict (conversation_id, message_id) do update set words = excluded.words`)
}

export async function moveMarks(
  tx: Executor,
  marks: { conversationId: number; version: number }[],
): Promise<void> {
  await tx.execute(sql`
    update search_marks set version = moved.version
      from unnest(${sql.param(marks.map(({ conversationId }) => conversationId))}::int[],
                  ${sql.param(marks.map(({ version }) => version))}::int[]) as moved(conversation_id, version)
     where search_marks.conversation_id = moved.conversation_id`)
}
