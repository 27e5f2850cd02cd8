import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { isAnyOf, query } from '../../../db/query.ts'
import { given, type Row, rowOf } from '../../../db/rows.ts'
import { messages, searchMarks } from '../../../db/tables/chat.tables.ts'

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

const CHANGED = rowOf(messages, ['id', 'conversationId', 'version', 'senderId', 'message'])
export type ChangedRow = Row<typeof CHANGED> & { isDeleted: boolean; files: string[] }

/** Messages that changed after the marks, in the order of the marks and then of their changes. */
export async function listChanged(tx: Executor, marks: IndexMarkRow[], limit: number): Promise<ChangedRow[]> {
  return query<ChangedRow>(
    tx,
    { ...CHANGED.check, isDeleted: 'boolean', files: 'jsonb' },
    sql`
    select ${CHANGED.columns('message')}, message.deleted_at is not null as "isDeleted",
           coalesce(jsonb_path_query_array(message.attachments, '$[*].name'), '[]') as files
      from ${given({ conversationId: 'integer', mark: 'integer' }, marks, 'behind')}
      cross join lateral (
        select * from messages where conversation_id = behind.conversation_id and version > behind.mark
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

export async function replaceWords(tx: Executor, indexed: IndexedMessage[]): Promise<void> {
  const changed = indexed.map(({ id, conversationId, words }) => ({
    conversationId,
    messageId: id,
    words: words.join(' '),
  }))
  const gone = changed.filter(({ words }) => words === '')
  const kept = changed.filter(({ words }) => words !== '')
  await tx.execute(sql`
    delete from message_words using ${given({ conversationId: 'integer', messageId: 'integer' }, gone)}
     where message_words.conversation_id = given.conversation_id and message_words.message_id = given.message_id`)
  await tx.execute(sql`
    insert into message_words (conversation_id, message_id, words)
    select conversation_id, message_id, array_to_tsvector(string_to_array(words, ' '))
      from ${given({ conversationId: 'integer', messageId: 'integer', words: 'text' }, kept)}
    on conflict (conversation_id, message_id) do update set words = excluded.words`)
}

const MARK = rowOf(searchMarks)

export async function moveMarks(tx: Executor, marks: Row<typeof MARK>[]): Promise<void> {
  await tx.execute(sql`
    update search_marks set version = moved.version
      from ${MARK.given(marks, 'moved')}
     where search_marks.conversation_id = moved.conversation_id`)
}
