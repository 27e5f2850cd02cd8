import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { createdAt, id } from './columns.ts'
import { users } from './users.tables.ts'

export const notebooks = pgTable(
  'notebooks',
  {
    id: id(),
    ownerId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    title: text().notNull(),
    description: text().notNull().default(''),
    isPublic: boolean().notNull().default(false),
    // Numbers of likes and bookmarks; triggers on `notebook_interactions` maintain them.
    likes: integer().notNull().default(0),
    bookmarks: integer().notNull().default(0),
    createdAt: createdAt(),
    /** Changes of its pages count too. */
    updatedAt: createdAt(),
  },
  (table) => [
    index('notebooks_owner_id_idx').on(table.ownerId, table.updatedAt),
    index('notebooks_public_idx').on(table.updatedAt).where(sql`${table.isPublic}`),
    index('notebooks_popular_idx').on(table.likes, table.updatedAt, table.id).where(sql`${table.isPublic}`),
    index('notebooks_search_idx')
      .using('gin', table.title.op('gin_trgm_ops'), table.description.op('gin_trgm_ops'))
      .where(sql`${table.isPublic}`),
  ],
)

/** Ids as packed 32-bit numbers: ten thousand of them are read and written in a millisecond. */
const packedIds = customType<{ data: number[]; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (ids) => Buffer.from(Int32Array.from(ids).buffer),
  fromDriver: (bytes) => Array.from(new Int32Array(new Uint8Array(bytes).buffer)),
})

export const pages = pgTable(
  'pages',
  {
    id: id(),
    notebookId: integer()
      .notNull()
      .references(() => notebooks.id, { onDelete: 'cascade' }),
    title: text().notNull(),
    /** 0, 1, 2 … within the notebook. */
    position: integer().notNull(),
    /** The number of syncs that have changed something. */
    version: integer().notNull().default(0),
    /** The objects from the bottom of the stack to its top. */
    stack: packedIds().notNull().default(sql`''`),
    objectCount: integer().notNull().default(0),
    /** The number of remembered deleted objects. */
    tombstones: integer().notNull().default(0),
    /** Bytes of its objects. */
    size: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (table) => [index('pages_notebook_id_idx').on(table.notebookId, table.position)],
)

export const pageObjects = pgTable(
  'page_objects',
  {
    id: id(),
    pageId: integer()
      .notNull()
      .references(() => pages.id, { onDelete: 'cascade' }),
    /** The client's own id. */
    objectId: text().notNull(),
    /** JSON as the client wrote it; null: deleted, and remembered so that it does not come back. */
    data: text(),
  },
  (table) => [uniqueIndex('page_objects_object_id_key').on(table.pageId, table.objectId)],
)

export const assets = pgTable(
  'assets',
  {
    id: id(),
    pageId: integer()
      .notNull()
      .references(() => pages.id, { onDelete: 'cascade' }),
    /** Storage key `Notes/<uuid>.<ext>`, never used twice. */
    fileKey: text().notNull(),
    contentType: text().notNull(),
    /** Bytes. */
    size: integer().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('assets_page_id_idx').on(table.pageId, table.id)],
)

export const notebookInteractions = pgTable(
  'notebook_interactions',
  {
    notebookId: integer()
      .notNull()
      .references(() => notebooks.id, { onDelete: 'cascade' }),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['like', 'bookmark'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.notebookId, table.kind, table.userId] }),
    index('notebook_interactions_user_id_idx').on(table.userId),
    check('notebook_interactions_kind_check', sql`${table.kind} in ('like', 'bookmark')`),
  ],
)
