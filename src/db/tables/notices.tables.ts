import { sql } from 'drizzle-orm'
import { date, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { NOTICE_KINDS } from '../../../schemas/notices.schemas.ts'
import { classes } from './classes.tables.ts'
import { id, instant } from './columns.ts'
import { exams } from './exams.tables.ts'
import { users } from './users.tables.ts'

/** What people were told. What it says is made of what it is about when it is read. */
export const notices = pgTable(
  'notices',
  {
    /** In the order in which they can be read: one transaction at a time writes notices. */
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text({ enum: NOTICE_KINDS }).notNull(),
    /**
     * The exam, news, challenge or request; of what can happen to an exam again and again (`result_changed`,
     * `more_time`) the cause.
     */
    subjectId: integer().notNull(),
    examId: integer().references(() => exams.id, { onDelete: 'cascade' }),
    classId: integer().references(() => classes.id, { onDelete: 'cascade' }),
    /** Of `more_time`. */
    minutes: integer(),
    /** When it happened; of `exam_closing`, when it was told. */
    at: instant().notNull(),
    /** When a node should send its mail, or try again; null: it is sent, was given up, or isn't wanted. */
    mailDueAt: instant(),
    /** How often that was tried. */
    mailTries: integer().notNull().default(0),
    /** SHA-256 of the token in its mail that turns the kind off. */
    mailTokenHash: text(),
  },
  (table) => [
    uniqueIndex('notices_subject_key').on(table.userId, table.kind, table.subjectId),
    index('notices_user_id_idx').on(table.userId, table.id),
    index('notices_exam_id_idx').on(table.examId).where(sql`${table.examId} is not null`),
    index('notices_class_id_idx').on(table.classId).where(sql`${table.classId} is not null`),
    index('notices_mail_due_at_idx').on(table.mailDueAt).where(sql`${table.mailDueAt} is not null`),
    uniqueIndex('notices_mail_token_hash_key')
      .on(table.mailTokenHash)
      .where(sql`${table.mailTokenHash} is not null`),
  ],
)

/** Up to which notice somebody has read, and how many mails about notices they got on the latest such day. */
export const noticeReaders = pgTable('notice_readers', {
  userId: integer()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  readUpTo: integer().notNull().default(0),
  mailDay: date(),
  mails: integer().notNull().default(0),
})

export const NOTICE_CAUSES = [...NOTICE_KINDS, 'class_joined'] as const

/** What people are to be told of, as its change stored it, until their notices are written. */
export const noticeCauses = pgTable(
  'notice_causes',
  {
    id: id(),
    kind: text({ enum: NOTICE_CAUSES }).notNull(),
    /** The exam, class, news, challenge or request. */
    subjectId: integer().notNull(),
    examId: integer(),
    /** The class of news, and the one that was joined. */
    classId: integer(),
    /** Of an exam that was given to more classes: these; null: all of its classes. */
    classIds: integer().array(),
    /** null: everybody whom it concerns. */
    userIds: integer().array(),
    /** Who did it, and isn't told. */
    actorId: integer(),
    /** Of `more_time`. */
    minutes: integer(),
    /** Of `exam_closing`: the close that it tells of. */
    closesAt: instant(),
    at: instant().notNull(),
    /** When it is told, if it still holds. */
    dueAt: instant().notNull(),
    /** Everybody up to this id has been told. */
    toldUpTo: integer().notNull().default(0),
  },
  (table) => [index('notice_causes_due_at_idx').on(table.dueAt)],
)

/** Closes of exams that have a cause already. */
export const noticeClosings = pgTable(
  'notice_closings',
  {
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    closesAt: instant().notNull(),
  },
  (table) => [uniqueIndex('notice_closings_key').on(table.examId, table.closesAt)],
)
