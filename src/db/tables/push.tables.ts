import {
  boolean,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import { LANGUAGES } from '../../../schemas/languages.ts'
import type { NoticeWishes } from '../../../schemas/notices.schemas.ts'
import { createdAt, id, instant } from './columns.ts'
import { exams } from './exams.tables.ts'
import { sessions } from './sign-in.tables.ts'
import { users } from './users.tables.ts'

/** The key by which push services know this service (VAPID): one row, made when somebody first asks for it. */
export const pushKeys = pgTable('push_keys', {
  id: integer().primaryKey(),
  /** Both as base64url: an uncompressed point of P-256, and its scalar. */
  publicKey: text().notNull(),
  privateKey: text().notNull(),
  createdAt: createdAt(),
})

export const pushSettings = pgTable('push_settings', {
  userId: integer()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Which messages of groups. */
  messages: text({ enum: ['all', 'mentions', 'none'] })
    .notNull()
    .default('mentions'),
  exams: boolean().notNull().default(true),
  practice: boolean().notNull().default(false),
  /** Of the day in the person's time zone. */
  practiceHour: integer().notNull().default(18),
  /** The person's last day on which they were told that practice is due. */
  practiceToldOn: date({ mode: 'string' }),
  /** Whether pushes say what was written, beside who wrote. */
  preview: boolean().notNull().default(false),
  /** null: as the browser or app asks for. */
  language: text({ enum: LANGUAGES }),
  /** null: the service's. */
  timeZone: text(),
  /** How to be told of kinds of notices; a kind that isn't named: as the defaults say. */
  notices: jsonb().$type<NoticeWishes>().notNull().default({}),
})

/** Browsers and apps that receive pushes. They go with the session that registered them. */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Where the push service takes pushes for it; whoever knows it can only send with our key. */
    endpoint: text().notNull(),
    /** What pushes are encrypted with, as base64url. */
    p256dh: text().notNull(),
    auth: text().notNull(),
    /** What the device asks for. */
    language: text({ enum: LANGUAGES }).notNull().default('en'),
    createdAt: createdAt(),
    /** When the push service last took a push for it. */
    lastUsedAt: instant(),
    /** Since when no push could be sent to it; null: the last one could. */
    failingSince: instant(),
  },
  (table) => [
    unique('push_subscriptions_endpoint_key').on(table.endpoint),
    unique('push_subscriptions_owner_key').on(table.id, table.userId),
    index('push_subscriptions_user_id_idx').on(table.userId),
    index('push_subscriptions_session_id_idx').on(table.sessionId),
  ],
)

export const PUSH_KINDS = [
  'message',
  'connection_request',
  'released',
  'changed',
  'opening',
  'practice',
  'exam_published',
  'exam_closing',
  'class_news',
] as const

/**
 * Pushes that wait: at most one for each subscription and topic, such as a conversation. What they say is read when
 * they are sent.
 */
export const pushes = pgTable(
  'pushes',
  {
    subscriptionId: integer().notNull(),
    /** Whom it is for: a subscription may get another owner. */
    userId: integer().notNull(),
    topic: text().notNull(),
    kind: text({ enum: PUSH_KINDS }).notNull(),
    /** The conversation, connection, exam or news; 0 of practice. */
    subjectId: integer().notNull(),
    /**
     * What it is about, and whether it has moved since: the newest message's `seq`; of other kinds a number that goes
     * up.
     */
    mark: integer().notNull().default(1),
    createdAt: createdAt(),
    /** When it is tried next. Whoever takes it moves this on, so that another node takes it if that one dies. */
    dueAt: instant().notNull(),
    /** How often it was refused in a way that may pass. */
    failures: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.subscriptionId, table.topic] }),
    // A push never reaches whoever took over the subscription.
    foreignKey({
      name: 'pushes_subscription_fk',
      columns: [table.subscriptionId, table.userId],
      foreignColumns: [pushSubscriptions.id, pushSubscriptions.userId],
    }).onDelete('cascade'),
    index('pushes_due_at_idx').on(table.dueAt),
  ],
)

/** What people are to be told of, as its change stored it, until their pushes are queued. */
export const pushCauses = pgTable('push_causes', {
  id: id(),
  kind: text({ enum: PUSH_KINDS }).notNull(),
  subjectId: integer().notNull(),
  /** null: everybody whom it concerns. */
  userIds: integer().array(),
  createdAt: createdAt(),
})

/** Up to which message pushes were looked for: one row, from the first subscription on. */
export const pushCursor = pgTable('push_cursor', {
  id: integer().primaryKey(),
  messageId: integer().notNull(),
})

/**
 * Ids below the cursor that no message had yet: its transaction may commit later than one with a higher id. They are
 * looked at for a minute.
 */
export const pushGaps = pgTable('push_gaps', {
  messageId: integer().primaryKey(),
  foundAt: createdAt(),
})

/** Openings of exams that were announced. */
export const pushOpenings = pgTable(
  'push_openings',
  {
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    opensAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.examId, table.opensAt] })],
)
