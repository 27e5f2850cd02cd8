import { type Static, Type } from 'typebox'
import { Id, Nullable, Page, paging, Text, Timestamp } from './common.ts'

export const QuestionType = Type.Enum(['MCQ', 'MSQ', 'NUMERIC'])
export type QuestionType = Static<typeof QuestionType>

/** Most questions of one type that a job may be asked for. */
const LARGEST_COUNT = 200
const Count = Type.Optional(Type.Integer({ minimum: 0, maximum: LARGEST_COUNT, default: 0 }))
const mark = (value: number) => Type.Optional(Type.Number({ minimum: 0, maximum: 1_000, default: value }))

/** The form's text fields; the file is `pdf_file`. */
export const GenerateForm = Type.Object({
  mode: Type.Enum(['extract', 'mine', 'pure']),
  exam_id: Id,
  difficulty: Type.Optional(Type.Enum(['Easy', 'Medium', 'Hard'], { default: 'Medium' })),
  mcq_count: Count,
  msq_count: Count,
  numeric_count: Count,
  mcq_plus: mark(4),
  mcq_minus: mark(1),
  msq_plus: mark(4),
  msq_minus: mark(2),
  numeric_plus: mark(3),
  numeric_tolerance: mark(0.01),
  custom_instructions: Type.Optional(Text(0, 4_000)),
  excluded_texts: Type.Optional(Text(0, 1_000_000, { description: 'a JSON array of question texts' })),
  topic: Type.Optional(Text(0, 2_000, { description: 'for `pure`' })),
})
export type GenerateForm = Static<typeof GenerateForm>

/** What a job was asked for, defaults filled in. */
export interface GenerationRequest {
  mode: 'extract' | 'mine' | 'pure'
  difficulty: 'Easy' | 'Medium' | 'Hard'
  /** All 0: every question that the document holds (`extract` only). */
  counts: Record<QuestionType, number>
  marks: Record<QuestionType, { positive: number; negative: number; tolerance: number }>
  topic: string
  instructions: string
  excludedTexts: string[]
}

export const GeneratedQuestion = Type.Object({
  id: Type.Null({ description: 'not stored yet' }),
  exam_id: Id,
  question_text: Type.String(),
  option_a: Type.String(),
  option_b: Type.String(),
  option_c: Type.String(),
  option_d: Type.String(),
  correct_answer: Type.String(),
  question_type: QuestionType,
  image_path: Type.Null(),
  positive_marks: Type.Number(),
  negative_marks: Type.Number(),
  tolerance: Type.Number(),
})
export type GeneratedQuestion = Static<typeof GeneratedQuestion>

/** Every status field but `questions`: what an `ai_job` frame carries. */
export const JobProgress = Type.Object({
  job_id: Type.String(),
  status: Type.Enum(['running', 'done', 'failed']),
  message: Type.String(),
  last_event: Type.String(),
  total_batches: Type.Integer(),
  completed_batches: Type.Integer(),
  questions_so_far: Type.Integer(),
  percent: Type.Integer(),
  error: Nullable(Type.String()),
})
export type JobProgress = Static<typeof JobProgress>

export const JobParams = Type.Object({
  job_id: Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
})

export const GenerateAnswer = Type.Object({ success: Type.Literal(true), job_id: Type.String() })

export const JobStatus = Type.Object({
  success: Type.Literal(true),
  ...JobProgress.properties,
  questions: Type.Array(GeneratedQuestion),
})

export const JobListQuery = Type.Object({ page: Type.Optional(Page) })

export const JobList = Type.Object({
  success: Type.Literal(true),
  jobs: Type.Array(
    Type.Object({
      ...JobProgress.properties,
      exam_id: Id,
      mode: Type.Enum(['extract', 'mine', 'pure']),
      created_at: Timestamp,
      finished_at: Nullable(Timestamp),
    }),
  ),
  ...paging,
})
