import { and, desc, eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/database-client.ts'
import { only, query } from '../../db/query.ts'
import { given, type Row, rowOf } from '../../db/rows.ts'
import { materials } from '../../db/tables/materials.tables.ts'

const MATERIAL = rowOf(materials, [
  'id',
  'classId',
  'title',
  'type',
  'size',
  'fileKey',
  'status',
  'pages',
  'unreadablePages',
  'error',
  'createdAt',
])
export type MaterialRow = Row<typeof MATERIAL>

const SHOWN = {
  id: materials.id,
  classId: materials.classId,
  title: materials.title,
  type: materials.type,
  size: materials.size,
  fileKey: materials.fileKey,
  status: materials.status,
  pages: materials.pages,
  unreadablePages: materials.unreadablePages,
  error: materials.error,
  createdAt: materials.createdAt,
}

const isIn = (classId: number, id: number) => and(eq(materials.classId, classId), eq(materials.id, id))

/** Newest first. */
export async function listOfClass(db: Executor, classId: number): Promise<MaterialRow[]> {
  return db.select(SHOWN).from(materials).where(eq(materials.classId, classId)).orderBy(desc(materials.id))
}

export async function findMaterial(
  db: Executor,
  classId: number,
  id: number,
): Promise<MaterialRow | undefined> {
  const [row] = await db.select(SHOWN).from(materials).where(isIn(classId, id))
  return row
}

/** How many materials a class has, and their bytes. Decided where the class is locked. */
export async function measureClass(tx: Executor, classId: number): Promise<{ count: number; bytes: number }> {
  return only(
    await query<{ count: number; bytes: number }>(
      tx,
      { count: 'integer', bytes: 'float8' },
      sql`
      select count(*)::int as count, coalesce(sum(size), 0)::float8 as bytes from materials where class_id = ${classId}`,
    ),
  )
}

export async function insertMaterial(
  tx: Executor,
  material: typeof materials.$inferInsert,
): Promise<MaterialRow> {
  return only(await tx.insert(materials).values(material).returning(SHOWN))
}

export async function renameMaterial(
  tx: Executor,
  classId: number,
  id: number,
  title: string,
): Promise<MaterialRow | undefined> {
  const [row] = await tx.update(materials).set({ title }).where(isIn(classId, id)).returning(SHOWN)
  return row
}

/** Deletes a material with its passages; answers the key of its file. */
export async function deleteMaterial(tx: Executor, classId: number, id: number): Promise<string | undefined> {
  const [row] = await query<{ fileKey: string; frequentWords: Record<string, number> }>(
    tx,
    { fileKey: 'text', frequentWords: 'jsonb' },
    sql`
    delete from materials where class_id = ${classId} and id = ${id}
    returning file_key as "fileKey", frequent_words as "frequentWords"`,
  )
  if (row) await addWords(tx, classId, row.frequentWords, -1)
  return row?.fileKey
}

// --- those of deleted classes

/** Materials whose class is deleted. */
export async function listOrphans(db: Executor, limit: number): Promise<{ id: number; fileKey: string }[]> {
  return query<{ id: number; fileKey: string }>(
    db,
    { id: 'integer', fileKey: 'text' },
    sql`select id, file_key as "fileKey" from materials where class_id is null order by id limit ${limit}`,
  )
}

export async function deleteOrphan(tx: Executor, id: number): Promise<boolean> {
  const gone = await tx.execute(sql`delete from materials where id = ${id} and class_id is null`)
  return gone.count > 0
}

// --- reading

/** A claim on reading a material: each write names it, so that a worker that was replaced changes nothing. */
export interface ReadingClaim {
  id: number
  classId: number
  attempt: number
}
type ClaimedRow = ReadingClaim & Pick<MaterialRow, 'type' | 'fileKey'>

export async function claimReading(db: Executor, id: number): Promise<ClaimedRow | undefined> {
  const [row] = await query<ClaimedRow>(
    db,
    { id: 'integer', classId: 'integer', attempt: 'integer', type: 'text', fileKey: 'text' },
    sql`
    update materials set attempt = attempt + 1 where id = ${id} and status = 'reading' and class_id is not null
    returning id, class_id as "classId", attempt, type, file_key as "fileKey"`,
  )
  return row
}

/** Whether anything is to be read. */
export async function hasUnread(db: Executor): Promise<boolean> {
  const rows = await db.execute(sql`select from materials where status = 'reading' limit 1`)
  return rows.length > 0
}

export interface ReadMaterial {
  pages: number
  unreadablePages: number
  passages: number
  frequentWords: Record<string, number>
}

/** Ends the reading; undefined where the claim is lost. Locks the row, and the class's words in their order. */
export async function endReading(
  tx: Executor,
  { id, classId, attempt }: ReadingClaim,
  end: ({ status: 'ready' } & ReadMaterial) | ({ status: 'failed'; error: string } & Partial<ReadMaterial>),
): Promise<MaterialRow | undefined> {
  // The class first, as whoever deletes it does.
  await tx.execute(sql`select from classes where id = ${classId} for key share`)
  const [row] = await tx
    .update(materials)
    .set(end)
    .where(and(eq(materials.id, id), eq(materials.attempt, attempt), eq(materials.status, 'reading')))
    .returning(SHOWN)
  if (row?.classId != null && end.status === 'ready') await addWords(tx, row.classId, end.frequentWords, 1)
  return row
}

/** Fails what was tried too often, whoever has it. */
export async function abandonReading(
  db: Executor,
  id: number,
  error: string,
): Promise<MaterialRow | undefined> {
  const [row] = await db
    .update(materials)
    .set({ status: 'failed', error })
    .where(and(eq(materials.id, id), eq(materials.status, 'reading')))
    .returning(SHOWN)
  return row
}

export interface NewPassage {
  number: number
  page: number
  text: string
  /** Its words, divided by blanks. */
  words: string
}

export async function insertPassages(
  tx: Executor,
  { id, classId }: ReadingClaim,
  passages: readonly NewPassage[],
): Promise<void> {
  await tx.execute(sql`
    insert into material_passages (material_id, number, page, text, words)
    select ${id}::int, number, page, text,
           array_to_tsvector(string_to_array(${`${classId}:`} || replace(words, ' ', ${` ${classId}:`}), ' '))
      from ${given({ number: 'integer', page: 'integer', text: 'text', words: 'text' }, passages)}`)
}

/** What a material adds to the words of its class, or takes away. */
async function addWords(
  tx: Executor,
  classId: number,
  words: Record<string, number>,
  sign: 1 | -1,
): Promise<void> {
  const counts = Object.entries(words)
    .map(([word, passages]) => ({ word, passages: sign * passages }))
    .sort((one, other) => (one.word < other.word ? -1 : 1))
  if (counts.length === 0) return
  await tx.execute(sql`
    insert into class_words as known (class_id, word, passages)
    select ${classId}::int, word, passages from ${given({ word: 'text', passages: 'integer' }, counts)}
     where exists (select from classes where id = ${classId}) order by ord
    on conflict (class_id, word) do update set passages = known.passages + excluded.passages`)
}
