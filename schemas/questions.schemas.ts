import { type Static, Type } from 'typebox'
import { Id, Nullable, Page, paging, QuestionType, Tag, Text, Uuid, Was, WasText } from './common.ts'
import { Parts, ShownParts, Variable } from './parts.schemas.ts'

/** For who can't see the picture. */
export const ImageAlt = Type.String({ description: 'what the image shows, up to 500 characters' })

/** What a question is made of, as it is stored and returned. */
export const QuestionFields = Type.Object({
  question_text: Type.String({ description: 'may contain LaTeX' }),
  option_a: Type.String(),
  option_b: Type.String(),
  option_c: Type.String(),
  option_d: Type.String(),
  more_options: Type.Array(Type.String(), { description: 'options E, F, …' }),
  correct_answer: Type.String({
    description:
      'MCQ `B`, MSQ `A,C`, NUMERIC a decimal string, SHORT the accepted texts, one a line, FORMULA an expression; empty where `parts` hold the key, or for none: everybody gets 0 until there is one',
  }),
  parts: Nullable(Parts),
  question_type: QuestionType,
  image_path: Nullable(Type.String({ description: '`<SubjectFolder>/<filename>`' })),
  image_alt: ImageAlt,
  positive_marks: Type.Number(),
  negative_marks: Type.Number(),
  tolerance: Type.Union([Type.Number(), Type.String()], {
    description: 'for NUMERIC answers; a text `{@expression@}` where it depends on variables',
  }),
  explanation: Type.String({
    description: 'why the right answer is right, for those who may see it; may contain LaTeX',
  }),
  tags: Type.Array(Type.String()),
  variables: Type.Array(Variable, { description: 'values that each attempt draws for itself; up to 20' }),
  conditions: Type.Array(Type.String(), { description: 'comparisons that the values fulfil; up to 5' }),
})
export type QuestionFields = Static<typeof QuestionFields>

export const Question = Type.Object(
  {
    id: Id,
    exam_id: Id,
    ...QuestionFields.properties,
    image_url: Nullable(Type.String({ description: 'signed, for a limited time' })),
  },
  { $id: 'Question' },
)
export type Question = Static<typeof Question>

/** A question as somebody offers it: everything may be missing; `checkQuestion` decides. */
const offered = {
  question_text: Type.String(),
  option_a: Type.String(),
  option_b: Type.String(),
  option_c: Type.String(),
  option_d: Type.String(),
  correct_answer: Type.String({ description: 'MSQ also as `AC` or `["A","C"]`, in any case' }),
  question_type: Type.String({ description: 'MCQ (default) or another type' }),
  image_path: Type.String({ description: '`<SubjectFolder>/<filename>`; empty: no image' }),
  image_alt: ImageAlt,
  explanation: Type.String({ description: 'up to 10,000 characters' }),
}

/** A form's fields are text: numbers are read by `checkQuestion` too. */
export const QuestionForm = Type.Partial(
  Type.Object({
    exam_id: Id,
    ...offered,
    more_options: Type.String({ description: 'a JSON array of up to 22 texts; empty: none' }),
    parts: Type.String({ description: 'JSON of the form that the type needs; empty: null' }),
    tags: Type.String({ description: 'a JSON array of up to 20 texts of 1 to 40 characters; empty: none' }),
    variables: Type.String({ description: 'a JSON array of up to 20 variables; empty: none' }),
    conditions: Type.String({ description: 'a JSON array of up to 5 comparisons; empty: none' }),
    positive_marks: Type.String({ description: 'default 4' }),
    negative_marks: Type.String({ description: 'default 1' }),
    tolerance: Type.String({ description: 'default 0' }),
  }),
  { $id: 'QuestionForm' },
)
export type QuestionForm = Static<typeof QuestionForm>
export const NewQuestionForm = Type.Object(
  { ...QuestionForm.properties, exam_id: Id },
  { $id: 'NewQuestionForm' },
)

/** A question as the API returns it. */
export const WasQuestion = Was({ exam_id: Id, ...QuestionFields.properties })
export type WasQuestion = Static<typeof WasQuestion>
export const QuestionChangesForm = Type.Object(
  { ...QuestionForm.properties, was: WasText },
  { $id: 'QuestionChangesForm' },
)

/**
 * Numbers and booleans are read as texts, so that such an entry of a list is reported and doesn't refuse the others.
 */
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])
export const OfferedQuestion = Type.Partial(
  Type.Object({
    question_text: Scalar,
    option_a: Scalar,
    option_b: Scalar,
    option_c: Scalar,
    option_d: Scalar,
    more_options: Type.Unknown({ description: 'an array of texts, or its JSON text' }),
    correct_answer: Type.Union([Scalar, Type.Array(Scalar, { maxItems: 100 })]),
    parts: Type.Unknown({ description: 'of the form that the type needs, or its JSON text' }),
    question_type: Scalar,
    image_path: Scalar,
    image_alt: Scalar,
    explanation: Scalar,
    tags: Type.Unknown({ description: 'an array of texts, or its JSON text' }),
    variables: Type.Unknown({ description: 'an array of variables, or its JSON text' }),
    conditions: Type.Unknown({ description: 'an array of comparisons, or its JSON text' }),
    positive_marks: Scalar,
    negative_marks: Scalar,
    tolerance: Scalar,
  }),
  { $id: 'OfferedQuestion' },
)
export type OfferedQuestion = Static<typeof OfferedQuestion>

const Seed = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

/** A question with the values of one draw, as a student would see it, and its key. */
export const QuestionVariant = Type.Object(
  {
    values: Type.Record(Type.String(), Type.String(), { description: 'of its variables, by their names' }),
    question: Type.Object({
      question_text: Type.String(),
      option_a: Type.String(),
      option_b: Type.String(),
      option_c: Type.String(),
      option_d: Type.String(),
      more_options: Type.Array(Type.String()),
      question_type: QuestionType,
      parts: Nullable(ShownParts),
      correct_answer: Type.String({ description: 'empty for a question with `parts` that hold the key' }),
      correct: Nullable(
        Type.Union([Type.String(), Type.Array(Type.String())], {
          description: 'the right answer in the form of an answer',
        }),
      ),
      tolerance: Type.Number(),
      explanation: Type.String(),
    }),
  },
  { $id: 'QuestionVariant' },
)
export type QuestionVariant = Static<typeof QuestionVariant>
export const PreviewBody = Type.Object(
  {
    ...OfferedQuestion.properties,
    seed: Type.Optional({ ...Seed, description: 'always the same draw; left out: another one each time' }),
  },
  { $id: 'PreviewQuestionBody' },
)
export const PreviewForm = Type.Object(
  {
    ...QuestionForm.properties,
    seed: Type.Optional({ ...Seed, description: 'always the same draw; left out: another one each time' }),
  },
  { $id: 'PreviewQuestionForm' },
)
export const PreviewAnswer = Type.Object(
  { success: Type.Literal(true), ...QuestionVariant.properties },
  { $id: 'PreviewQuestionAnswer' },
)
const DrawCount = Type.Integer({ minimum: 1, maximum: 50, default: 20 })
export const TryDrawsBody = Type.Object(
  {
    ...OfferedQuestion.properties,
    seed: Type.Optional({ ...Seed, description: 'always the same draws; left out: others each time' }),
    count: Type.Optional(DrawCount),
  },
  { $id: 'TryDrawsBody' },
)
export const TriedDraw = Type.Object(
  {
    values: Type.Record(Type.String(), Type.String(), { description: 'of its variables, by their names' }),
    correct_answer: Type.String({ description: 'as its teacher reads it; empty where the draw fails' }),
    failure: Nullable(
      Type.Object({
        path: Type.String({
          description: '`/conditions` where these leave it out; else what is to be changed',
        }),
        message: Type.String(),
      }),
    ),
  },
  { $id: 'TriedDraw' },
)
export type TriedDraw = Static<typeof TriedDraw>
export const TryDrawsAnswer = Type.Object(
  { success: Type.Literal(true), draws: Type.Array(TriedDraw) },
  { $id: 'TryDrawsAnswer' },
)
export const VariantsQuery = Type.Object({ count: DrawCount })
export const VariantsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    variants: Type.Array(QuestionVariant, { description: 'the draws of the seeds from 1 to `count`' }),
  },
  { $id: 'QuestionVariantsAnswer' },
)

export const QuestionsQuery = Type.Object({
  exam_id: Type.Optional(Id),
  tag: Type.Optional(Tag),
  page: Page,
})
export type QuestionsQuery = Static<typeof QuestionsQuery>
export const QuestionsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    questions: Type.Array(Question),
    ...paging,
  },
  { $id: 'QuestionsAnswer' },
)
export const QuestionAnswer = Type.Object(
  { success: Type.Literal(true), question: Question },
  { $id: 'QuestionAnswer' },
)
export const QuestionAdded = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    question_id: Id,
  },
  { $id: 'QuestionAdded' },
)

export const TagsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    tags: Type.Array(Type.Object({ tag: Type.String(), questions: Type.Integer() })),
  },
  { $id: 'TagsAnswer' },
)

export const OrderBody = Type.Object(
  {
    ids: Type.Array(Id, { maxItems: 100_000, description: 'all questions of the exam, each once' }),
  },
  { $id: 'OrderBody' },
)

export const BulkDeleteBody = Type.Object(
  { ids: Type.Array(Id, { maxItems: 10_000 }) },
  { $id: 'BulkDeleteBody' },
)
export const BulkDeleted = Type.Object(
  { success: Type.Literal(true), deleted: Type.Integer() },
  { $id: 'BulkDeleted' },
)

export const BulkAddBody = Type.Object(
  {
    exam_id: Id,
    questions: Type.Array(OfferedQuestion, { maxItems: 10_000 }),
  },
  { $id: 'BulkAddBody' },
)
/** Why single entries were left out; null where none was. */
const Errors = Nullable(Type.Array(Type.String()))
export const BulkAdded = Type.Object(
  { success: Type.Literal(true), added: Type.Integer(), errors: Errors },
  { $id: 'BulkAdded' },
)

export const CopyBody = Type.Object(
  {
    ids: Type.Array(Id, { maxItems: 10_000, description: 'in the order in which the copies are made' }),
    exam_id: { ...Id, description: 'where the copies go' },
  },
  { $id: 'CopyQuestionsBody' },
)
export type CopyBody = Static<typeof CopyBody>
export const Copied = Type.Object(
  { success: Type.Literal(true), copied: Type.Integer(), errors: Errors },
  { $id: 'QuestionsCopied' },
)

export const BulkMarksBody = Type.Object(
  {
    exam_id: Id,
    question_type: Text(1, 20, { description: 'in any case' }),
    positive_marks: Type.Optional(Type.Number()),
    negative_marks: Type.Optional(Type.Number()),
    tolerance: Type.Optional(Type.Number()),
  },
  { $id: 'BulkMarksBody' },
)
export type BulkMarksBody = Static<typeof BulkMarksBody>
export const BulkMarked = Type.Object(
  { success: Type.Literal(true), updated: Type.Integer() },
  { $id: 'BulkMarked' },
)

export const ImportKey = Type.Optional({
  ...Uuid,
  description: 'a UUID: the same one again, within a day, imports nothing and answers the same',
})
export const ImportCsvQuery = Type.Object({ key: ImportKey })
export const ImportForm = Type.Object({ csv_file: Type.String({ format: 'binary' }) }, { $id: 'ImportForm' })
export const Imported = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    inserted: Type.Integer(),
    skipped: Type.Integer(),
    errors: Nullable(
      Type.Array(
        Type.String({
          description: '`Row <n>: skipped`, for the first ten thousand of them; the first record is row 2',
        }),
      ),
    ),
    details: Nullable(Type.Array(Type.String({ description: 'why, for the first thousand of them' }))),
  },
  { $id: 'Imported' },
)
export type Imported = Static<typeof Imported>
