import { type Static, Type } from 'typebox'
import { Id, Nullable, Page, paging, QuestionType, Text, Timestamp } from './common.ts'
import { ShownParts } from './parts.schemas.ts'
import { ImageAlt } from './questions.schemas.ts'

export const ExamParams = Type.Object({ exam_id: Id })
export type ExamParams = Static<typeof ExamParams>
export const AttemptParams = Type.Object({ attempt_id: Id })

const success = { success: Type.Literal(true) }
const Count = Type.Integer({ minimum: 0 })
const ResultMode = Type.Enum(['instant', 'on_release'])
const LocalTime = Type.String({ description: '`YYYY-MM-DD HH:MM:SS` in APP_TIMEZONE' })

// --- exams as students see them

export const StudentExam = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String(),
    category_id: Nullable(Id),
    duration_minutes: Nullable({ ...Type.Integer(), description: 'null: untimed' }),
    max_attempts: Nullable({ ...Type.Integer(), description: 'null: uncapped' }),
    result_mode: ResultMode,
    results_released: Type.Boolean(),
    is_published: Type.Boolean(),
    open_for_practice: Type.Boolean({ description: 'its questions can be practised' }),
    pass_percentage: Type.Number(),
    msq_scoring: Type.Enum(['all_or_nothing', 'partial']),
    opens_at: Nullable({ ...Timestamp, description: 'for you: with your own times or those of your class' }),
    closes_at: Nullable({ ...Timestamp, description: 'for you: with your own times or those of your class' }),
    lock_help: Type.Boolean({
      description: 'during an attempt, you cannot use tutor, practice, chat, discussions or classes',
    }),
    extra_time_percent: Type.Optional(Type.Integer({ description: 'added to the duration; absent where 0' })),
    question_count: Count,
  },
  { $id: 'Exam' },
)
export type StudentExam = Static<typeof StudentExam>

export const ExamsQuery = Type.Object({
  category_id: Type.Optional(Id),
  q: Type.Optional(Text(0, 200, { description: 'part of the name or description, in any case' })),
  page: Page,
})
export type ExamsQuery = Static<typeof ExamsQuery>

export const StudentExamsAnswer = Type.Object(
  { ...success, exams: Type.Array(StudentExam), ...paging },
  { $id: 'ExamsAnswer' },
)

export const StudentExamAnswer = Type.Object(
  {
    ...success,
    exam: Type.Object(
      {
        ...StudentExam.properties,
        attempts_used: Count,
        attempts_remaining: Nullable({ ...Count, description: 'null: uncapped' }),
      },
      { $id: 'ExamStanding' },
    ),
  },
  { $id: 'ExamAnswer' },
)

// --- taking one

export const PrepareAnswer = Type.Object(
  {
    ...success,
    cached: Type.Boolean({ description: 'whether its questions were in memory already' }),
    question_count: Count,
  },
  { $id: 'PrepareAnswer' },
)

export const StartedAnswer = Type.Object(
  {
    ...success,
    redirect_url: Type.String({ examples: ['/exam/7'] }),
    resumed: Type.Literal(false),
    attempt_id: Id,
    attempt_number: Count,
    fresh_start: Type.Literal(true),
  },
  { $id: 'StartedAnswer' },
)

export const ResumedAnswer = Type.Object(
  {
    ...success,
    resumed: Type.Literal(true),
    attempt_id: Id,
    redirect_url: Type.String({ examples: ['/exam/7'] }),
  },
  { $id: 'ResumedAnswer' },
)

/** A question of a paper: it has no key, and no tolerance that would hint at one. */
export const PaperQuestion = Type.Object(
  {
    id: Id,
    exam_id: Id,
    question_text: Type.String({ description: 'may contain LaTeX' }),
    option_a: Type.String(),
    option_b: Type.String(),
    option_c: Type.String(),
    option_d: Type.String(),
    more_options: Type.Array(Type.String(), { description: 'options E, F, …' }),
    question_type: QuestionType,
    image_path: Nullable(Type.String()),
    image_alt: ImageAlt,
    image_url: Nullable(Type.String({ description: 'a time-limited signed address' })),
    positive_marks: Type.Number(),
    negative_marks: Type.Number(),
    option_order: Nullable({
      ...Type.Array(Type.String()),
      description:
        "the letters of MCQ and MSQ options that are shown, in the attempt's order; null for other types",
    }),
    parts: Nullable(ShownParts),
  },
  { $id: 'PaperQuestion' },
)
export type PaperQuestion = Static<typeof PaperQuestion>

const Answer = Type.Union([
  Type.String({ description: 'a letter, or a number or text as it was typed' }),
  Type.Array(Type.String()),
])
/** More questions than any paper has. */
const MOST_QUESTIONS = 10_000

const Answers = Type.Record(Type.String(), Answer, {
  description:
    'by question id: MCQ a letter, MSQ an array of letters, NUMERIC a number as text, SHORT a text, MATCHING an array of choice ids in the order of prompts, ORDERING of all item ids in order, GAPS of an entry for each gap, FORMULA a formula as typed',
})
/** Large enough for a client that takes the milliseconds of its clock. */
const Revision = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const state = { answers: Answers, markedForReview: Type.Array(Id), revision: Revision }

export const ExamMessage = Type.Object(
  { text: Type.String(), at: Timestamp },
  { $id: 'ExamMessage', description: 'What a teacher told somebody during an attempt.' },
)
export type ExamMessage = Static<typeof ExamMessage>

export const PaperAnswer = Type.Object(
  {
    ...success,
    attempt_id: Id,
    attempt_number: Count,
    questions: Type.Array(PaperQuestion),
    ...state,
    start_time: LocalTime,
    ends_at: Nullable(Timestamp),
    server_time: Timestamp,
    messages: Type.Array(ExamMessage, { description: 'oldest first' }),
    watch_page: Type.Boolean({
      description: 'whether teachers see if the paper is in view: say so by the frame `page`',
    }),
  },
  { $id: 'PaperAnswer' },
)
export type PaperAnswer = Static<typeof PaperAnswer>

// Each value is judged by its question, so that one that doesn't fit never costs a student the others.
const AnswerChanges = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: MOST_QUESTIONS,
  description:
    'by question id, merged into what is stored: null clears, absent questions stay, and what does not fit is named in `rejected`',
})
const MarkedForReview = Type.Array(Type.Unknown(), {
  maxItems: MOST_QUESTIONS,
  description: 'question ids; replaces the stored set',
})
const Rejected = Nullable({
  ...Type.Array(
    Type.Object({
      question_id: Nullable({ ...Type.Integer(), description: 'null if it is not a number' }),
      message: Type.String(),
    }),
  ),
  description: 'what was left out, and why; null where nothing was',
})
export type Rejected = Static<typeof Rejected>

const ClientRevision = { ...Revision, description: 'a number of the client that rises with its changes' }

const AttemptMeant = Type.Optional({
  ...Id,
  description:
    'the attempt that is meant: if another one is active, nothing changes; left out: whichever is active',
})

export const PaperQuery = Type.Object({ attempt_id: AttemptMeant })

export const SaveBody = Type.Object(
  {
    attempt_id: AttemptMeant,
    answers: AnswerChanges,
    markedForReview: Type.Optional(MarkedForReview),
    revision: Type.Optional(ClientRevision),
  },
  { $id: 'SaveBody' },
)
export type SaveBody = Static<typeof SaveBody>

export const SaveAnswer = Type.Object(
  {
    ...success,
    attempt_id: Id,
    saved: Type.Integer({ description: 'how many answers of this sync were not rejected' }),
    rejected: Rejected,
    revision: Revision,
    saved_at: Timestamp,
    ends_at: Nullable({ ...Timestamp, description: 'null: untimed' }),
  },
  { $id: 'SaveAnswer' },
)
export type SaveAnswer = Static<typeof SaveAnswer>

export const SubmitBody = Type.Object(
  {
    attempt_id: AttemptMeant,
    answers: Type.Optional(AnswerChanges),
    markedForReview: Type.Optional(MarkedForReview),
    revision: Type.Optional(ClientRevision),
  },
  { $id: 'SubmitBody' },
)
/** Answers as a sync or a submit carries them. */
export type AnswersInput = Static<typeof SubmitBody>

export const Score = Type.Object(
  {
    score: Type.Number(),
    max_score: Type.Number(),
    percentage: Nullable(Type.Number({ description: 'to two decimals; null: there was nothing to score' })),
    correct: Count,
    incorrect: Count,
    unattempted: Count,
  },
  { $id: 'Score' },
)
export type Score = Static<typeof Score>

export const SubmitAnswer = Type.Object(
  {
    ...success,
    attempt_id: Id,
    result_mode: ResultMode,
    already_submitted: Type.Boolean(),
    rejected: Rejected,
    result: Type.Optional({ ...Score, description: 'only if the results may be seen already' }),
    message: Type.Optional(Type.String({ description: 'only if there is no `result` yet' })),
  },
  { $id: 'SubmitAnswer' },
)
export type SubmitAnswer = Static<typeof SubmitAnswer>

export const EndBody = Type.Object({ attempt_id: Id }, { $id: 'EndBody' })
export const EndAnswer = Type.Object(
  {
    ...success,
    closed: Type.Boolean({ description: 'it is over' }),
    ends_at: Nullable({ ...Timestamp, description: 'null: untimed' }),
    server_time: Timestamp,
  },
  { $id: 'EndAnswer' },
)
export type EndAnswer = Static<typeof EndAnswer>

export const StatusAnswer = Type.Object(
  {
    ...success,
    has_active_attempt: Type.Boolean(),
    attempt_id: Nullable(Id),
    attempt_number: Nullable(Count),
    start_time: Nullable(LocalTime),
    ends_at: Nullable({ ...Timestamp, description: 'of the active attempt; null: none, or untimed' }),
    completed_count: Count,
    attempts_used: { ...Count, description: 'the active one and those that an administrator added, too' },
    max_attempts: Nullable(Count),
    attempts_remaining: Nullable(Count),
  },
  { $id: 'StatusAnswer' },
)
export type StatusAnswer = Static<typeof StatusAnswer>

export const ActiveAttemptsAnswer = Type.Object(
  {
    ...success,
    attempts: Type.Array(
      Type.Object({
        attempt_id: Id,
        attempt_number: Count,
        exam_id: Id,
        exam_name: Type.String(),
        started_at: Timestamp,
        ends_at: Nullable({ ...Timestamp, description: 'null: untimed' }),
      }),
    ),
  },
  { $id: 'ActiveAttemptsAnswer' },
)
export type ActiveAttempt = Static<typeof ActiveAttemptsAnswer>['attempts'][number]

// --- afterwards

export const SubmittedBy = Type.Enum(['student', 'teacher', 'time'], {
  description: 'who ended it: its student, a teacher who handed it in for them, or the end of its time',
})
export type SubmittedBy = Static<typeof SubmittedBy>

export const AttemptRow = Type.Object(
  {
    attempt_id: Id,
    exam_id: Id,
    exam_name: Type.String(),
    attempt_number: Count,
    start_time: LocalTime,
    started_at: { ...Timestamp, description: '`start_time` in UTC' },
    submitted_at: Timestamp,
    score: Nullable(Type.Number()),
    max_score: Nullable(Type.Number()),
    percentage: Nullable(Type.Number()),
    passed: Nullable(Type.Boolean({ description: 'by the percentage as it is shown; null: there is none' })),
    status: Type.Enum(['submitted', 'expired']),
    submitted_by: SubmittedBy,
  },
  { $id: 'Attempt' },
)
export type AttemptRow = Static<typeof AttemptRow>

export const AttemptsQuery = Type.Object({ exam_id: Type.Optional(Id), page: Page })
export type AttemptsQuery = Static<typeof AttemptsQuery>
export const AttemptsAnswer = Type.Object(
  { ...success, attempts: Type.Array(AttemptRow), ...paging },
  { $id: 'AttemptsAnswer' },
)

export const ReviewedQuestion = Type.Object(
  {
    ...PaperQuestion.properties,
    discussed_text: Type.Optional(
      Type.String({
        description:
          'its text with the values that are nobody’s, the same for all who discuss it: only of a question with variables',
      }),
    ),
    correct_answer: Type.String({ description: 'empty for a question without a key, or with `parts`' }),
    correct: Nullable({
      ...Answer,
      description: 'the right answer in the form of an answer; null without a key',
    }),
    explanation: Type.String(),
    tolerance: Type.Number(),
    regraded: Type.Boolean({ description: 'corrected since: the key is the one in force' }),
    given_answer: Nullable(Answer),
    is_correct: Type.Boolean(),
    marks_awarded: Type.Number(),
  },
  { $id: 'ReviewedQuestion' },
)
export type ReviewedQuestion = Static<typeof ReviewedQuestion>

export const ResultAnswer = Type.Object(
  {
    ...success,
    ...AttemptRow.properties,
    result_mode: ResultMode,
    result: Score,
    review: Type.Array(ReviewedQuestion),
  },
  { $id: 'ResultAnswer' },
)
export type ResultAnswer = Static<typeof ResultAnswer>
