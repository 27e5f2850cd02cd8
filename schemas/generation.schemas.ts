import { type Static, Type } from 'typebox'
import { Id, Nullable, Page, paging, Text, Timestamp } from './common.ts'
import { QuestionFields } from './questions.schemas.ts'

/** Most questions of one type that a job may be asked for. */
const LARGEST_COUNT = 200
const Count = Type.Integer({ minimum: 0, maximum: LARGEST_COUNT, default: 0 })
const mark = (value: number) => Type.Number({ minimum: 0, maximum: 1_000, default: value })

export const GenerateForm = Type.Object(
  {
    mode: Type.Enum(['extract', 'mine', 'pure']),
    exam_id: Id,
    difficulty: Type.Enum(['Easy', 'Medium', 'Hard'], { default: 'Medium' }),
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
    topic: Type.Optional(Text(0, 2_000, { description: 'required for `pure`' })),
    check: Type.Boolean({ default: true, description: 'whether the model answers each question itself' }),
    pdf_file: Type.Optional(
      Type.String({
        format: 'binary',
        description: 'at most 30 MiB and 100 pages; required for `extract` and `mine`',
      }),
    ),
  },
  { $id: 'GenerateForm' },
)
export type GenerateForm = Static<typeof GenerateForm>

/** The types that the model writes. */
export const GENERATED_TYPES = ['MCQ', 'MSQ', 'NUMERIC'] as const
export const GeneratedType = Type.Enum([...GENERATED_TYPES], { $id: 'GeneratedType' })
export type GeneratedType = (typeof GENERATED_TYPES)[number]

/** What a job was asked for, defaults filled in. */
export interface GenerationRequest {
  mode: 'extract' | 'mine' | 'pure'
  difficulty: 'Easy' | 'Medium' | 'Hard'
  /** All 0: every question that the document holds (`extract`), or one batch of whatever types. */
  counts: Record<GeneratedType, number>
  marks: Record<GeneratedType, { positive: number; negative: number; tolerance: number }>
  topic: string
  instructions: string
  excludedTexts: string[]
  /** Whether the questions are checked. Jobs from before there were checks don't say. */
  check?: boolean
  /** The older generation's: neither checked nor looked up, with the options as the model ordered them. */
  older?: true
}

// A model writes numbers, no variables.
const { variables: _, conditions: _none, ...WRITTEN } = QuestionFields.properties

/** A question that is not stored yet: it goes in by CSV import. */
export const GeneratedQuestion = Type.Object(
  { id: Type.Null(), exam_id: Id, ...WRITTEN, tolerance: Type.Number(), question_type: GeneratedType },
  { $id: 'GeneratedQuestion' },
)
export type GeneratedQuestion = Static<typeof GeneratedQuestion>

export const VERDICTS = ['agreed', 'disputed', 'unchecked'] as const
/** What the model answered when it was asked the question without its key. */
export const QuestionCheck = Type.Object(
  {
    verdict: Type.Enum([...VERDICTS]),
    answer: Nullable(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: 'as a sync takes it, in the question’s own letters; null: it gave none',
      }),
    ),
    reason: Nullable(Type.String({ description: 'up to 300 characters' })),
  },
  { $id: 'QuestionCheck' },
)
export type QuestionCheck = Static<typeof QuestionCheck>

/** Where the document bears a question’s key out, as the model said. */
export const QuestionSource = Type.Object(
  {
    page: Type.Integer({ description: 'the first is 1' }),
    quote: Type.String({ description: 'up to 300 characters' }),
    found: Nullable(
      Type.Boolean({ description: 'whether the page has the quotation; null: it has no text, as a scan' }),
    ),
  },
  { $id: 'QuestionSource' },
)
export type QuestionSource = Static<typeof QuestionSource>

/** A question of a job, with what was found out about it. */
export const JobQuestion = Type.Object(
  { ...GeneratedQuestion.properties, check: QuestionCheck, source: Nullable(QuestionSource) },
  { $id: 'JobQuestion' },
)
export type JobQuestion = Static<typeof JobQuestion>

const tokens = {
  input: Type.Integer({ description: 'without those that were cached' }),
  cached: Type.Integer(),
  output: Type.Integer(),
}
export const JobUsage = Type.Object(
  { ...tokens, checks: Type.Object(tokens) },
  { $id: 'JobUsage', description: 'tokens so far; those of checks are apart' },
)
export type JobUsage = Static<typeof JobUsage>

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

export const JobParams = Type.Object({ job_id: Type.String({ description: 'a UUID' }) })

export const GenerateAnswer = Type.Object(
  { success: Type.Literal(true), job_id: Type.String() },
  { $id: 'GenerateAnswer' },
)

export const JobStatus = Type.Object(
  {
    success: Type.Literal(true),
    ...JobProgress.properties,
    questions: Type.Array(JobQuestion),
    usage: JobUsage,
  },
  { $id: 'JobStatus' },
)

export const JobListQuery = Type.Object({ page: Page })

export const JobList = Type.Object(
  {
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
  },
  { $id: 'JobList' },
)
