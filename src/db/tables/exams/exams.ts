import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, numeric, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { QUESTION_TYPES } from '../../../../schemas/common.ts'
import { createdAt, id, instant } from '../columns.ts'

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
    /** null: uncapped. */
    maxAttempts: integer(),
    resultMode: text({ enum: ['instant', 'on_release'] })
      .notNull()
      .default('instant'),
    resultsReleased: boolean().notNull().default(false),
    isPublished: boolean().notNull().default(false),
    passPercentage: numeric({ mode: 'number' }).notNull().default(40),
    msqScoring: text({ enum: ['all_or_nothing', 'partial'] })
      .notNull()
      .default('all_or_nothing'),
    /** The number of changes of the exam's questions; a trigger on `questions` counts them. */
    paperVersion: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (table) => [
    index('exams_category_id_idx').on(table.categoryId),
    check('exams_result_mode_check', sql`${table.resultMode} in ('instant', 'on_release')`),
    check('exams_window_check', sql`${table.closesAt} > ${table.opensAt}`),
    check('exams_msq_scoring_check', sql`${table.msqScoring} in ('all_or_nothing', 'partial')`),
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
    /** As `normaliseKey` writes it: `B`, `A,C`, a decimal; empty where there is no key yet. */
    correctAnswer: text().notNull().default(''),
    /** The number of changes of its type, key and tolerance; a trigger counts them. */
    keyVersion: integer().notNull().default(0),
    questionType: text({ enum: QUESTION_TYPES }).notNull().default('MCQ'),
    /** Storage key `<SubjectFolder>/<filename>`. */
    imagePath: text(),
    positiveMarks: numeric({ mode: 'number' }).notNull().default(4),
    negativeMarks: numeric({ mode: 'number' }).notNull().default(1),
    tolerance: numeric({ mode: 'number' }).notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    index('questions_exam_id_idx').on(table.examId, table.id),
    check('questions_question_type_check', sql`${table.questionType} in ('MCQ', 'MSQ', 'NUMERIC')`),
  ],
)

/** Imports of questions that had a key: the same key again imports nothing. */
export const imports = pgTable('imports', {
  key: uuid().primaryKey(),
  /** null until the import's transaction ends. */
  answer: jsonb(),
  createdAt: createdAt(),
})
