import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { QUESTION_TYPES } from '../../../schemas/common.ts'
import type { DrawRule } from '../../../schemas/exams.schemas.ts'
import type { Parts, Variable } from '../../../schemas/parts.schemas.ts'
import { createdAt, id, instant } from './columns.ts'
import { users } from './users.tables.ts'

/** `questions.place_in_exam` of those that nobody has put in order: behind all others, by their ids. */
export const UNORDERED = 2_147_483_647

export const categories = pgTable('categories', {
  id: id(),
  name: text().notNull(),
  /** Storage key of the image, `Category/<slug>_<suffix>.<ext>`. */
  imageKey: text(),
  createdAt: createdAt(),
})

export const exams = pgTable(
  'exams',
  {
    id: id(),
    name: text().notNull(),
    description: text().notNull().default(''),
    categoryId: integer().references(() => categories.id, { onDelete: 'set null' }),
    /** null: untimed. */
    durationMinutes: integer(),
    /** When it opens; null: always open. One person's may differ (accommodations). */
    opensAt: instant(),
    /** When it closes: no more starts, and attempts under way end; null: never. */
    closesAt: instant(),
    /** Whether the tutor, the chat and the discussions are closed to people with an attempt under way at it. */
    lockHelp: boolean().notNull().default(false),
    /** Whether those who watch it are told who doesn't have the paper in view. */
    watchPage: boolean().notNull().default(false),
    /** null: uncapped. */
    maxAttempts: integer(),
    resultMode: text({ enum: ['instant', 'on_release'] })
      .notNull()
      .default('instant'),
    resultsReleased: boolean().notNull().default(false),
    /**
     * Since when students may see the results; null: they may not, or could before this column existed. A trigger keeps
     * it.
     */
    resultsVisibleSince: instant(),
    /**
     * Results of attempts that had ended by then could be seen before they were hidden again; null: none could. A
     * trigger keeps it.
     */
    resultsSeenUntil: instant(),
    /** Since when teachers may have read its keys whose own exam it isn't; null: none has. It stays (open-keys.sql.ts). */
    keysKnownSince: instant(),
    isPublished: boolean('published').notNull().default(false),
    /** Whether its questions can be practised, keys and explanations included, by everybody who may see it. */
    openForPractice: boolean().notNull().default(false),
    /** Whether it is for the classes of `exam_classes` alone, rather than for everybody. */
    forClasses: boolean().notNull().default(false),
    /** Who made it, as long as they have an account. It decides whether an exam is a teacher's own (`isOwnExamOf`). */
    createdBy: integer().references(() => users.id, { onDelete: 'set null' }),
    passPercentage: numeric({ mode: 'number' }).notNull().default(40),
    msqScoring: text({ enum: ['all_or_nothing', 'partial'] })
      .notNull()
      .default('all_or_nothing'),
    /** What is put into a different order in each attempt. */
    shuffle: text({ enum: ['none', 'questions', 'options', 'both'] })
      .notNull()
      .default('none'),
    /** Which of its questions an attempt gets; null: all. */
    draw: jsonb().$type<DrawRule[]>(),
    /** The number of changes of the exam's questions; triggers count them. */
    paperVersion: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (table) => [
    index('exams_category_id_idx').on(table.categoryId),
    index('exams_for_classes_idx').on(table.id).where(sql`${table.forClasses}`),
    index('exams_created_by_idx').on(table.createdBy).where(sql`${table.createdBy} is not null`),
    check('exams_result_mode_check', sql`${table.resultMode} in ('instant', 'on_release')`),
    check('exams_window_check', sql`${table.closesAt} > ${table.opensAt}`),
    check('exams_msq_scoring_check', sql`${table.msqScoring} in ('all_or_nothing', 'partial')`),
    check('exams_shuffle_check', sql`${table.shuffle} in ('none', 'questions', 'options', 'both')`),
  ],
)

export const questions = pgTable(
  'questions',
  {
    id: id(),
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    questionText: text().notNull().default(''),
    optionA: text().notNull().default(''),
    optionB: text().notNull().default(''),
    optionC: text().notNull().default(''),
    optionD: text().notNull().default(''),
    /** E, F, … */
    moreOptions: jsonb().$type<string[]>().notNull().default([]),
    /** As its kind reads it: `B`, `A,C`, a decimal, lines; empty where there is no key yet, or `parts` hold it. */
    correctAnswer: text().notNull().default(''),
    /** What its type needs beside that. */
    parts: jsonb().$type<Parts>(),
    /** The number of changes of its type, key and tolerance; a trigger counts them. */
    keyVersion: integer().notNull().default(0),
    /** Why the right answer is right. */
    explanation: text().notNull().default(''),
    /** The number of changes of what `explanation` explains: texts and key; a trigger counts them. */
    contentVersion: integer().notNull().default(0),
    tags: jsonb().$type<string[]>().notNull().default([]),
    /** The tags, folded for comparing (`foldTag`). */
    tagKeys: jsonb().$type<string[]>().notNull().default([]),
    questionType: text({ enum: QUESTION_TYPES }).notNull().default('MCQ'),
    /** Storage key `<SubjectFolder>/<filename>`. */
    imagePath: text(),
    /** What that image shows. */
    imageAlt: text().notNull().default(''),
    /** Where it stands among its exam's questions, before its id. */
    placeInExam: integer().notNull().default(UNORDERED),
    positiveMarks: numeric({ mode: 'number' }).notNull().default(4),
    negativeMarks: numeric({ mode: 'number' }).notNull().default(1),
    tolerance: numeric({ mode: 'number' }).notNull().default(0),
    /** The tolerance where it depends on variables, as `{@expression@}`; null: `tolerance` is it. */
    toleranceIs: text(),
    variables: jsonb().$type<Variable[]>().notNull().default([]),
    conditions: jsonb().$type<string[]>().notNull().default([]),
    /** A draw that fulfils everything, by name (`writeRatio`); null without variables. */
    keptDraw: jsonb().$type<Record<string, string>>(),
    createdAt: createdAt(),
  },
  (table) => [
    index('questions_exam_id_idx').on(table.examId, table.id),
    index('questions_order_idx').on(table.examId, table.placeInExam, table.id),
    index('questions_tag_keys_idx').using('gin', table.tagKeys),
    // Finds whether an exam has such questions.
    index('questions_newer_idx')
      .on(table.examId)
      .where(
        sql`${table.questionType} not in ('MCQ', 'MSQ', 'NUMERIC') or ${table.moreOptions} <> '[]' or ${table.variables} <> '[]'`,
      ),
    check(
      'questions_question_type_check',
      sql`${table.questionType} in ('MCQ', 'MSQ', 'NUMERIC', 'SHORT', 'MATCHING', 'ORDERING', 'GAPS', 'FORMULA')`,
    ),
  ],
)

/**
 * The last explanations of questions whose texts or key have changed since, or that were deleted: papers from then
 * show them. Triggers on `questions` write them. Without a row there was none.
 */
export const pastExplanations = pgTable(
  'past_explanations',
  {
    /** No foreign key, since it may have been deleted. */
    questionId: integer().notNull(),
    /** `questions.content_version` at that time. */
    version: integer().notNull(),
    /** Its exam then. */
    examId: integer()
      .notNull()
      .references(() => exams.id, { onDelete: 'cascade' }),
    explanation: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.questionId, table.version] }),
    index('past_explanations_exam_id_idx').on(table.examId),
  ],
)

/** Imports of questions that had a key: the same key again imports nothing. */
export const imports = pgTable('imports', {
  key: uuid().primaryKey(),
  /** null until the import's transaction ends. */
  answer: jsonb(),
  createdAt: createdAt(),
})
