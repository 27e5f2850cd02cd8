import { type Static, Type } from 'typebox'
import {
  AttemptRow,
  ExamMessage,
  PaperQuestion,
  ReviewedQuestion,
  Score,
  SubmitAnswer,
  SubmitBody,
  SubmittedBy,
} from './attempts.schemas.ts'
import { Id, Nullable, Page, paging, Timestamp, UserId, Uuid } from './common.ts'
import { keys } from './items.schemas.ts'

const Count = Type.Integer({ minimum: 0 })
const person = { user_id: UserId, username: Type.String(), full_name: Type.String() }
const mark = {
  score: Type.Number(),
  max_score: Type.Number(),
  percentage: Nullable(Type.Number({ description: 'to two decimals; null: there was nothing to score' })),
  passed: Nullable(Type.Boolean({ description: 'by the percentage as it is shown' })),
}

/** null as long as marks are not shown. */
const hiddenMark = {
  score: Nullable(mark.score),
  max_score: Nullable(mark.max_score),
  percentage: mark.percentage,
  passed: mark.passed,
}

/** How one student did at an exam. */
export const StudentResult = Type.Object(
  {
    ...person,
    attempts: Type.Integer({ minimum: 0, description: 'those that they took, the active one included' }),
    best: Nullable(Type.Object(mark, { description: 'null: there is none yet, or marks are not shown' })),
    newest: Nullable(
      Type.Object({
        attempt_id: Id,
        attempt_number: Count,
        status: Type.Enum(['submitted', 'expired']),
        submitted_by: SubmittedBy,
        submitted_at: Timestamp,
        ...hiddenMark,
      }),
    ),
    active: Nullable(
      Type.Object({
        attempt_id: Id,
        started_at: Timestamp,
        ends_at: Nullable(Timestamp),
        answered: Type.Integer({ minimum: 0, description: 'questions with a saved answer' }),
      }),
    ),
  },
  { $id: 'StudentResult' },
)
export type StudentResult = Static<typeof StudentResult>

/** The exams that students are taking now. */
export const SittingsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    exams: Type.Array(
      Type.Object({
        exam_id: Id,
        exam_name: Type.String(),
        students: Type.Integer({ minimum: 1, description: 'how many of them take it' }),
        attempts: Type.Array(
          Type.Object({
            ...person,
            attempt_id: Id,
            started_at: Timestamp,
            ends_at: Nullable(Timestamp),
            answered: Type.Integer({ minimum: 0, description: 'questions with a saved answer' }),
          }),
          { description: 'of the first 10 of these students, by username' },
        ),
      }),
      { description: 'those that most students take come first; 100 at most' },
    ),
  },
  { $id: 'SittingsAnswer' },
)
export type Sittings = Static<typeof SittingsAnswer>['exams']

export const ExamResultsQuery = Type.Object({ page: Page })
export const ClassResultsQuery = Type.Object({ exam_id: Id, page: Page })
export const ClassResultsCsvQuery = Type.Object({ exam_id: Id })
export const ExamResultsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    exam: Type.Object({ id: Id, name: Type.String(), ...keys }),
    results: Type.Array(StudentResult),
    ...paging,
  },
  { $id: 'ExamResultsAnswer' },
)

const hidden = { description: 'null as long as keys are not shown' }

/** A question of somebody's attempt; fields that would reveal its key are null until teachers may know it. */
export const StaffReviewedQuestion = Type.Object(
  {
    ...ReviewedQuestion.properties,
    correct_answer: Nullable({ ...ReviewedQuestion.properties.correct_answer, ...hidden }),
    explanation: Nullable({ ...ReviewedQuestion.properties.explanation, ...hidden }),
    tolerance: Nullable({ ...ReviewedQuestion.properties.tolerance, ...hidden }),
    is_correct: Nullable({ ...ReviewedQuestion.properties.is_correct, ...hidden }),
    marks_awarded: Nullable({ ...ReviewedQuestion.properties.marks_awarded, ...hidden }),
  },
  { $id: 'StaffReviewedQuestion' },
)
export type StaffReviewedQuestion = Static<typeof StaffReviewedQuestion>

export const StaffReviewAnswer = Type.Object(
  {
    success: Type.Literal(true),
    ...AttemptRow.properties,
    ...person,
    status: Type.Enum(['active', 'submitted', 'expired']),
    submitted_by: Nullable({ ...SubmittedBy, description: 'null while it is under way' }),
    submitted_at: Nullable(Timestamp),
    ends_at: Nullable(Timestamp),
    result_mode: Type.Enum(['instant', 'on_release']),
    answered: Type.Integer({ minimum: 0, description: 'questions with a saved answer' }),
    question_count: Count,
    ...keys,
    result: Nullable({ ...Score, description: 'null while it is under way, or marks are not shown' }),
    review: Nullable(Type.Array(StaffReviewedQuestion, { description: 'null while it is under way' })),
  },
  { $id: 'StaffReviewAnswer' },
)
export type StaffReviewAnswer = Static<typeof StaffReviewAnswer>

export const AdminReviewAnswer = Type.Object(
  {
    ...StaffReviewAnswer.properties,
    messages: Type.Array(Type.Object({ ...ExamMessage.properties, author_name: Type.String() }), {
      description: 'what its student was told during it, oldest first',
    }),
  },
  { $id: 'AdminReviewAnswer' },
)
export type AdminReviewAnswer = Static<typeof AdminReviewAnswer>

// --- all exams of a class

export const GradebookAnswer = Type.Object(
  {
    success: Type.Literal(true),
    exams: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        ...keys,
        average: Nullable(
          Type.Number({ description: 'of the marks of present students; null: none are shown' }),
        ),
        marked: Nullable(Type.Integer({ description: 'present students with a mark' })),
        passed: Nullable(Type.Integer({ description: 'those of them who passed' })),
      }),
    ),
    students: Type.Array(
      Type.Object({
        ...person,
        left: Type.Optional(Type.Literal(true, { description: 'not in the class any more' })),
        total: Nullable(
          Type.Number({ description: 'in per cent, by the weights of the class; null: nothing counts yet' }),
        ),
        excused: Type.Array(Id, { description: 'exams that don’t count for them' }),
        comment: Type.String({ description: 'of the class’s teachers' }),
        results: Type.Array(
          Type.Object({
            exam_id: Id,
            percentage: Nullable(
              Type.Number({
                description: 'of the attempt that counts; null: there is none yet, or it is not shown',
              }),
            ),
            passed: Nullable(Type.Boolean()),
            attempt_id: { ...Id, description: 'that counts; where marks are not shown, the latest' },
            attempts: Count,
            finished: Type.Integer({ minimum: 0, description: 'of these, the ones that are over' }),
          }),
          { description: 'of exams that they have attempts at' },
        ),
      }),
    ),
    ...paging,
  },
  { $id: 'GradebookAnswer' },
)
export const GradebookQuery = Type.Object({ page: Page })

// --- trials

const trial = { success: Type.Literal(true), is_trial: Type.Literal(true) }

export const Trial = Type.Object(
  {
    paper_id: Id,
    seed: Uuid,
    shuffle: Nullable(Type.Enum(['questions', 'options', 'both'])),
    drawn: Nullable(Type.Array(Id, { maxItems: 10_000 })),
  },
  { $id: 'Trial', description: 'which questions this trial has, and in which order: send it back unchanged' },
)
export type Trial = Static<typeof Trial>

export const TrialAnswer = Type.Object(
  {
    ...trial,
    trial: Trial,
    exam: Type.Object({ id: Id, name: Type.String(), duration_minutes: Nullable(Type.Integer()) }),
    questions: Type.Array(PaperQuestion),
  },
  { $id: 'TrialAnswer' },
)
export type TrialAnswer = Static<typeof TrialAnswer>

export const TrialBody = Type.Object(
  { trial: Trial, answers: SubmitBody.properties.answers },
  { $id: 'TrialBody' },
)
export type TrialBody = Static<typeof TrialBody>

export const TrialResult = Type.Object(
  {
    ...trial,
    rejected: SubmitAnswer.properties.rejected,
    result: Score,
    review: Type.Array(ReviewedQuestion),
  },
  { $id: 'TrialResult' },
)
export type TrialResult = Static<typeof TrialResult>
