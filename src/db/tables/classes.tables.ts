import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { LANGUAGES } from '../../../schemas/languages.ts'
import { foldedCase } from '../text-search.ts'
import { conversations } from './chat.tables.ts'
import { createdAt, id, instant } from './columns.ts'
import { exams } from './exams.tables.ts'
import { GHOST_ID, users } from './users.tables.ts'

const TUTOR_MODES = ['explain', 'guide'] as const

export const classes = pgTable(
  'classes',
  {
    id: id(),
    name: text().notNull(),
    /** It can't be changed any more, and its exams are open only to those who are taking them. */
    archived: boolean().notNull().default(false),
    /** In capitals; null: nobody can join by one. */
    joinCode: text(),
    /** null: the code has no end. */
    codeEndsAt: instant(),
    /** The latest day, in the service's time zone, on which news were published, and how many, deleted ones included. */
    newsDay: date(),
    newsCount: integer().notNull().default(0),
    /** The class's group, once somebody has made it. */
    conversationId: integer().references(() => conversations.id, { onDelete: 'set null' }),
    /** Whether its students see who else is one. */
    showsMembers: boolean().notNull().default(false),
    /** What each exam counts in the gradebook, in per cent, by its id; of none: all count alike. */
    weights: jsonb().$type<Record<string, number>>().notNull().default({}),
    /** Which attempt counts in the gradebook. */
    counts: text({ enum: ['best', 'latest', 'first'] })
      .notNull()
      .default('best'),
    /** How the tutor helps its members: `guide` gives one hint at a time. */
    tutorMode: text({ enum: TUTOR_MODES }).notNull().default('explain'),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (table) => [
    uniqueIndex('classes_join_code_key').on(table.joinCode),
    uniqueIndex('classes_conversation_id_key').on(table.conversationId),
    index('classes_name_idx').on(foldedCase(table.name), table.id),
    check('classes_tutor_mode_check', sql`${table.tutorMode} in ('explain', 'guide')`),
  ],
)

const CLASS_ROLES = ['student', 'teacher'] as const

/** Members of classes, and former ones: their marks stay in the gradebook. */
export const classMembers = pgTable(
  'class_members',
  {
    classId: integer()
      .notNull()
      .references(() => classes.id, { onDelete: 'cascade' }),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text({ enum: CLASS_ROLES }).notNull(),
    joinedAt: createdAt(),
    /** null: a member. */
    leftAt: instant(),
    /** Whether somebody else ended it, or confirmed that later: then the code doesn't bring the person back. */
    removed: boolean().notNull().default(false),
    /** When that was; null in rows of 1.0.0: when they left. */
    removedAt: instant(),
    /** The address that the class invited, by which they joined. */
    email: text(),
  },
  (table) => [
    primaryKey({ columns: [table.classId, table.userId] }),
    index('class_members_user_id_idx').on(table.userId),
    index('class_members_present_idx')
      .on(table.classId, table.role, table.userId)
      .where(sql`${table.leftAt} is null`),
    check('class_members_role_check', sql`${table.role} in ('student', 'teacher')`),
    check('class_members_removed_check', sql`${table.leftAt} is not null or not ${table.removed}`),
  ],
)

/** Exams that don't count for somebody in the gradebook of a class. */
export const classExcused = pgTable(
  'class_excused',
  {
    classId: integer()
      .notNull()
      .references(() => classes.id, { onDelete: 'cascade' }),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.classId, table.userId, table.examId] }),
    index('class_excused_user_id_idx').on(table.userId),
    index('class_excused_exam_id_idx').on(table.examId),
  ],
)

/** What the teachers of a class note about a student. */
export const classComments = pgTable(
  'class_comments',
  {
    classId: integer()
      .notNull()
      .references(() => classes.id, { onDelete: 'cascade' }),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    text: text().notNull(),
    updatedAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.classId, table.userId] }),
    index('class_comments_user_id_idx').on(table.userId),
  ],
)

/** Addresses that were asked to join a class. A mailed link confirms the address and joins. */
export const classInvitations = pgTable(
  'class_invitations',
  {
    id: id(),
    classId: integer()
      .notNull()
      .references(() => classes.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    fullName: text().notNull().default(''),
    role: text({ enum: CLASS_ROLES }).notNull(),
    invitedAt: instant().notNull(),
    /** The language of the person who invites; the mail is in it, unless its reader's account has a language. */
    language: text({ enum: LANGUAGES }).notNull().default('en'),
    /** SHA-256 of the token in the newest mail; null until one is sent. */
    tokenHash: text(),
    /** When a node should send the mail, or try again; null: it is sent, or was given up. */
    mailDueAt: instant(),
    /** How often that was tried. */
    mailTries: integer().notNull().default(0),
    /**
     * When it was accepted, declined or withdrawn. The row stays, so that the address isn't mailed to again any sooner.
     */
    endedAt: instant(),
  },
  (table) => [
    uniqueIndex('class_invitations_email_key').on(table.classId, foldedCase(table.email)),
    uniqueIndex('class_invitations_token_hash_key').on(table.tokenHash),
    index('class_invitations_person_idx').on(foldedCase(table.email)),
    index('class_invitations_due_idx').on(table.mailDueAt).where(sql`${table.mailDueAt} is not null`),
    index('class_invitations_invited_at_idx').on(table.invitedAt),
    check('class_invitations_role_check', sql`${table.role} in ('student', 'teacher')`),
  ],
)

/** What the teachers of a class tell its members. */
export const classNews = pgTable(
  'class_news',
  {
    id: id(),
    classId: integer()
      .notNull()
      .references(() => classes.id, { onDelete: 'cascade' }),
    authorId: integer()
      .notNull()
      .default(GHOST_ID)
      .references(() => users.id, { onDelete: 'set default' }),
    text: text().notNull(),
    /** The students whom it is for alone: it is told to them as a notice and listed nowhere. null: the whole class. */
    userIds: integer().array(),
    /** Whether it stands above the others. */
    pinned: boolean().notNull().default(false),
    createdAt: instant().notNull(),
    /** When its text was last changed; null: never. */
    editedAt: instant(),
  },
  (table) => [
    index('class_news_class_id_idx').on(table.classId, table.id),
    index('class_news_pinned_idx').on(table.classId, table.id).where(sql`${table.pinned}`),
    index('class_news_author_id_idx').on(table.authorId),
  ],
)

/** How many mails invited to a class on the latest day when any did. */
export const classMails = pgTable('class_mails', {
  classId: integer()
    .primaryKey()
    .references(() => classes.id, { onDelete: 'cascade' }),
  day: date().notNull(),
  count: integer().notNull(),
})

/** Wrong codes that somebody has tried since `since`. */
export const joinFailures = pgTable('join_failures', {
  userId: integer()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  failures: integer().notNull(),
  since: instant().notNull(),
})

/** Whom exams with `for_classes` are there for. */
export const examClasses = pgTable(
  'exam_classes',
  {
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    classId: integer()
      .notNull()
      .references(() => classes.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.examId, table.classId] }),
    index('exam_classes_class_id_idx').on(table.classId, table.examId),
  ],
)

/** Times of an exam that differ for a class. */
export const classAccommodations = pgTable(
  'class_accommodations',
  {
    examId: integer().notNull(),
    classId: integer().notNull(),
    extraTimePercent: integer().notNull().default(0),
    /** null: the exam's own. */
    opensAt: instant(),
    closesAt: instant(),
    updatedAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.examId, table.classId] }),
    foreignKey({
      columns: [table.examId, table.classId],
      foreignColumns: [examClasses.examId, examClasses.classId],
      name: 'class_accommodations_exam_class_fk',
    }).onDelete('cascade'),
    check('class_accommodations_window_check', sql`${table.closesAt} > ${table.opensAt}`),
  ],
)
