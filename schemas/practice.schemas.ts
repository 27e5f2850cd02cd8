import { type Static, Type } from 'typebox'
import { PaperQuestion } from './attempts.schemas.ts'
import { GivenInstant, Id, Name, Nullable, Tag, Timestamp, Uuid } from './common.ts'

const success = { success: Type.Literal(true) }
const Count = Type.Integer({ minimum: 0 })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Answer = Type.Union([Type.String(), Type.Array(Type.String())])

/** Cards of a person. */
export const MOST_CARDS = 20_000
/** Cards that `next` gives at most, and how many a device can fetch ahead; reviews of one request. */
export const MOST_NEXT = 50
const MOST_AHEAD = 200
const MOST_REVIEWS = 100

const settings = {
  new_per_day: Type.Integer({ minimum: 0, maximum: 500, description: 'new questions a day' }),
  retention: Type.Number({
    minimum: 0.7,
    maximum: 0.97,
    description: 'how likely you should still know the answer when a question comes again',
  }),
}
export const PracticeSettings = Type.Object(settings, { $id: 'PracticeSettings' })
export type PracticeSettings = Static<typeof PracticeSettings>

export const PracticeSettingsChanges = Type.Partial(Type.Object(settings), { $id: 'PracticeSettingsChanges' })
export type PracticeSettingsChanges = Static<typeof PracticeSettingsChanges>

export const PracticeSettingsAnswer = Type.Object(
  { ...success, settings: PracticeSettings },
  { $id: 'PracticeSettingsAnswer' },
)

const figures = {
  reviews: Count,
  right: Count,
  minutes: Type.Number({ minimum: 0 }),
}

export const PracticeAnswer = Type.Object(
  {
    ...success,
    due: { ...Count, description: 'cards that are to be asked now' },
    new: { ...Count, description: 'new questions that are still to come today' },
    learning: Count,
    known: { ...Count, description: 'cards that are no longer being learned: they come again after days' },
    next_due_at: Nullable({
      ...Timestamp,
      description: 'the earliest date of all; null: there are no cards',
    }),
    today: Type.Object(figures),
    streak_days: { ...Count, description: 'days in a row with a review, up to today or yesterday' },
    settings: PracticeSettings,
  },
  { $id: 'PracticeAnswer' },
)
export type PracticeAnswer = Static<typeof PracticeAnswer>

const memory = {
  state: Type.Enum(['new', 'learning', 'review', 'relearning']),
  due: Timestamp,
  stability: Type.Number({ description: 'days until it is known with a probability of 0.9' }),
  difficulty: Type.Number({ description: '1 to 10; 0 for a new card' }),
  reps: Count,
  lapses: Count,
  retrievability: Nullable({ ...Share, description: 'how likely it is known now; null for a new card' }),
}
/** The part of a card that reviews change. */
export const ReviewedCard = Type.Object(memory)
export type ReviewedCard = Static<typeof ReviewedCard>

export const PracticeCard = Type.Object(
  {
    question_id: Id,
    exam_id: Id,
    exam_name: Type.String(),
    tags: Type.Array(Type.String()),
    ...memory,
  },
  { $id: 'PracticeCard' },
)
export type PracticeCard = Static<typeof PracticeCard>

const PracticeQuestion = Type.Object(
  {
    ...PaperQuestion.properties,
    question_version: { ...Id, description: 'for the review, which is judged by this version' },
    draw: Type.Optional(
      Type.Integer({ minimum: 0, description: 'for the review: which values of its variables these are' }),
    ),
  },
  { $id: 'PracticeQuestion' },
)
export type PracticeQuestion = Static<typeof PracticeQuestion>

export const NextQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, default: 10, description: `${MOST_NEXT} at most` }),
  offset: Type.Integer({
    minimum: 0,
    maximum: MOST_AHEAD - MOST_NEXT,
    default: 0,
    description: 'how many are skipped, for devices that fetch cards ahead',
  }),
  exam_id: Type.Optional(Id),
  tag: Type.Optional(Tag),
})
export type NextQuery = Static<typeof NextQuery>

export const NextAnswer = Type.Object(
  {
    ...success,
    cards: Type.Array(Type.Object({ card: PracticeCard, question: PracticeQuestion })),
    due: { ...Count, description: 'of this exam or tag, where one is asked for' },
    new: Count,
  },
  { $id: 'NextAnswer' },
)
export type NextAnswer = Static<typeof NextAnswer>

const Review = Type.Object({
  client_id: { ...Uuid, description: "the client's own; it makes the review count once" },
  question_id: Id,
  answer: Type.Unknown({ description: 'as in an attempt; empty is wrong' }),
  sure: Type.Boolean(),
  question_version: Type.Optional({
    ...Id,
    description: 'as the question came with; left out: the current one',
  }),
  draw: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'as the question came with; left out: the current one',
    }),
  ),
  answered_at: Type.Optional({
    ...GivenInstant,
    description: 'up to 30 days ago, in any order; left out: now, and after all that its card has had',
  }),
  took_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'cut to 10 minutes' }),
  ),
})
export type Review = Static<typeof Review>

export const ReviewsBody = Type.Object(
  { reviews: Type.Array(Review, { minItems: 1, maxItems: MOST_REVIEWS }) },
  { $id: 'ReviewsBody' },
)

const Judged = Type.Object(
  {
    client_id: Uuid,
    outcome: Type.Enum(['right', 'partly', 'wrong']),
    correct: { ...Answer, description: 'the right answer in the form of an answer' },
    correct_answer: Type.String({ description: 'empty for a question with `parts`' }),
    explanation: Type.String(),
    rating: Type.Integer({ minimum: 1, maximum: 3, description: '1 Again, 2 Hard, 3 Good' }),
    card: PracticeCard,
  },
  { $id: 'JudgedReview' },
)
const Refused = Type.Object(
  { client_id: Uuid, error: Type.Object({ code: Type.String(), message: Type.String() }) },
  { $id: 'RefusedReview' },
)
export type ReviewResult = Static<typeof Judged> | Static<typeof Refused>

export const ReviewsAnswer = Type.Object(
  {
    ...success,
    results: Type.Array(Type.Union([Judged, Refused]), { description: 'in the order of the reviews' }),
  },
  { $id: 'ReviewsAnswer' },
)

export const UndoBody = Type.Object({ client_id: Uuid }, { $id: 'UndoBody' })
export const UndoAnswer = Type.Object({ ...success, card: PracticeCard }, { $id: 'UndoAnswer' })

export const ForecastQuery = Type.Object({ exam_id: Id, at: Type.Optional(GivenInstant) })
export type ForecastQuery = Static<typeof ForecastQuery>

const Expected = Nullable(Type.Number({ description: 'to two decimals; null: nothing can be scored' }))

export const ForecastAnswer = Type.Object(
  {
    ...success,
    exam_id: Id,
    at: Timestamp,
    expected: Type.Number(),
    low: Type.Number({ description: 'of simulated students’ scores 64 % were between it and `high`' }),
    high: Type.Number({ description: 'as `low`' }),
    max_score: Type.Number(),
    expected_percentage: Expected,
    pass_percentage: Type.Number(),
    pass_chance: Nullable({ ...Share, description: 'null where there is too little to go by' }),
    confidence: Type.Enum(['none', 'low', 'fair', 'good'], {
      description: 'how much there is to go by: none without any answer to a question of the exam',
    }),
    answered: Type.Object(
      { right: Count, wrong: Count, unseen: Count },
      {
        description:
          'questions that can be asked, by their last answer in practice, else the first in an exam; unseen: never answered',
      },
    ),
    covered: { ...Count, description: 'questions with a card' },
    questions: Count,
    ten_minutes: Type.Object(
      { questions: Count, marks: Type.Number({ minimum: 0 }) },
      { description: 'what right answers to as many questions as you practise in ten minutes would add' },
    ),
    by_tag: Type.Array(
      Type.Object({
        tag: Name(1, 40),
        questions: Count,
        covered: Count,
        expected_percentage: Expected,
      }),
    ),
  },
  { $id: 'ForecastAnswer' },
)
export type ForecastAnswer = Static<typeof ForecastAnswer>

export const PracticeHistoryQuery = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: 365, default: 30 }),
})

const Kept = Type.Object({ n: Count, right: Count })
export const PracticeHistoryAnswer = Type.Object(
  {
    ...success,
    days: Type.Array(
      Type.Object({ date: Type.String({ description: '`2026-11-20` in APP_TIMEZONE' }), ...figures }),
      { description: 'every day up to today, those without reviews too' },
    ),
    sure: Kept,
    unsure: Kept,
    retention: Type.Object(
      {
        expected: Nullable(Share),
        measured: Nullable(Share),
        n: Count,
      },
      {
        description:
          'of questions that had been answered before: the share that was expected to be known, and that was',
      },
    ),
  },
  { $id: 'PracticeHistoryAnswer' },
)
export type PracticeHistoryAnswer = Static<typeof PracticeHistoryAnswer>
