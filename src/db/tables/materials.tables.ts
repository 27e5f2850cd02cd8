import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { classes } from './classes.tables.ts'
import { createdAt, id, tsvector } from './columns.ts'
import { GHOST_ID, users } from './users.tables.ts'

const TYPES = ['pdf', 'markdown', 'text'] as const
const STATUSES = ['reading', 'ready', 'failed'] as const

/** Files that the teachers of a class gave its members. */
export const materials = pgTable(
  'materials',
  {
    id: id(),
    /** null: its class is deleted, and a sweep deletes it too, with its passages. */
    classId: integer().references(() => classes.id, { onDelete: 'set null' }),
    giverId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    title: text().notNull(),
    type: text({ enum: TYPES }).notNull(),
    /** Bytes. */
    size: integer().notNull(),
    /** Never used twice. */
    fileKey: text().notNull(),
    status: text({ enum: STATUSES }).notNull().default('reading'),
    /** How often a worker has begun to read it: each write names its own. */
    attempt: integer().notNull().default(0),
    /** Of the file, or parts of a text; null until it is read. */
    pages: integer(),
    /** Pages without text. */
    unreadablePages: integer(),
    /** How many passages it has. */
    passages: integer().notNull().default(0),
    /** Words that many of its passages have, with how many do: what it adds to `class_words`. */
    frequentWords: jsonb().$type<Record<string, number>>().notNull().default({}),
    /** Why it could not be read. */
    error: text(),
    createdAt: createdAt(),
  },
  (table) => [
    index('materials_class_id_idx').on(table.classId, table.id),
    index('materials_giver_id_idx').on(table.giverId),
    index('materials_reading_idx').on(table.id).where(sql`${table.status} = 'reading'`),
    check('materials_type_check', sql`${table.type} in ('pdf', 'markdown', 'text')`),
    check('materials_status_check', sql`${table.status} in ('reading', 'ready', 'failed')`),
  ],
)

/**
 * What is searched of materials. Texts and words are stored apart from the rows (drizzle/0055_materials.sql): a search
 * looks at thousands of rows, and reads the texts of a few.
 */
export const materialPassages = pgTable(
  'material_passages',
  {
    materialId: integer()
      .notNull()
      .references(() => materials.id, { onDelete: 'cascade' }),
    /** From 1. */
    number: integer().notNull(),
    page: integer().notNull(),
    text: text().notNull(),
    /** Each with its class, as `17:derivative`. */
    words: tsvector().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.materialId, table.number] }),
    index('material_passages_words_idx').using('gin', table.words).with({ fastupdate: false }),
  ],
)

/** Words that many passages of a material of the class have, and how many of all such materials do. */
export const classWords = pgTable(
  'class_words',
  {
    classId: integer()
      .notNull()
      .references(() => classes.id, { onDelete: 'cascade' }),
    word: text().notNull(),
    passages: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.classId, table.word] })],
)
