import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import './name-formats.ts'
import './time-formats.ts'

/** Largest value of PostgreSQL's `integer`, which every id and counter is stored as. */
export const MAX_INT = 2_147_483_647

/** PostgreSQL stores neither NUL nor lone surrogates; every other code point round-trips. */
const STORABLE = '^[^\\u0000\\uD800-\\uDFFF]*$'

/**
 * Text that is trimmed before it is checked. Lengths count code points.
 * `verbatim` is for secrets and confirmations, which are taken as typed.
 */
export function Text(
  minLength: number,
  maxLength: number,
  options: { verbatim?: true; description?: string } = {},
) {
  return Type.String({
    minLength,
    maxLength,
    pattern: STORABLE,
    errorMessage: 'holds characters that cannot be stored',
    ...options,
  })
}

/** Trimmed text on one line, of which something can be seen: what stands in lists, mails and other people's screens. */
export function Name(minLength: number, maxLength: number, format: 'name' | 'person-name' = 'name') {
  return Type.String({
    minLength,
    maxLength,
    format,
    pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029\\uD800-\\uDFFF]*$',
    errorMessage: 'must be on one line, without control characters',
  })
}

/** A tag of questions. Tags are compared without case. */
export const Tag = Name(1, 40)

export const Id = Type.Integer({ minimum: 1, maximum: MAX_INT })
/** A user id as it may be answered: the ghost account is -1. */
export const UserId = Type.Integer({ minimum: -1, maximum: MAX_INT })
export const IdParams = Type.Object({ id: Id })

export const Uuid = Type.String({
  maxLength: 36,
  errorMessage: 'must be a UUID',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
})

/** To carry out a change of times that ends attempts under way (docs/protocol/exams.md#windows). */
export const Confirm = Type.Optional(
  Type.Boolean({ description: 'true: make the change even if it ends attempts under way' }),
)

/** What its sender saw of the fields of a change (docs/protocol/http.md#input). */
export function Was<Fields extends TProperties>(fields: Fields) {
  return Type.Optional(
    Type.Partial(Type.Object(fields), {
      description: 'as they were seen: 409 `changed` with the `stored` values where they differ',
    }),
  )
}

/** The same for a query or a form, where everything is text (`jsonReader`). */
export const WasText = Type.Optional(
  Type.String({
    description: 'JSON: fields as they were seen; 409 `changed` with the `stored` values where they differ',
    examples: ['{"closes_at":null}'],
  }),
)

/** Says that an import is only tried, in its query or in its form. */
export const DryRun = Type.Object({
  dry_run: Type.Optional(Type.Boolean({ description: 'true: answer as usual, but change nothing' })),
})
export type DryRun = Static<typeof DryRun>

/** An import's form. */
export function ImportForm($id: string) {
  return Type.Object({ file: Type.String({ format: 'binary' }), ...DryRun.properties }, { $id })
}

/** ISO 8601 in UTC with milliseconds and `Z`. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-20T10:15:00.000Z'] })

/** A point in time as somebody gives it: ISO 8601, in UTC where it names no zone (time-formats.ts `readInstant`). */
export const GivenInstant = Type.String({
  maxLength: 40,
  format: 'instant',
  pattern: '^[-0-9A-Za-z:.,+ ]*$',
  errorMessage: 'must be a time such as 2026-11-20T10:15:00.000Z',
  examples: ['2026-11-20T10:15:00.000Z'],
})

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** A number of pages is never needed past this; it keeps OFFSET within an integer. */
export const Page = Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })

/** The fields beside the rows of a page; `per_page` is each list's own constant. */
export const paging = {
  total: Type.Integer(),
  page: Type.Integer(),
  per_page: Type.Integer(),
  total_pages: Type.Integer(),
}

export const Success = Type.Object({ success: Type.Literal(true) }, { $id: 'Success' })
/** An answer without its envelope: services make it, `operations.ts` adds what every success says. */
export type Content<Answer> = Answer extends { success: true }
  ? Omit<Answer, 'success'>
  : Answer extends { status: 'success' }
    ? Omit<Answer, 'status'>
    : Answer

export const SuccessMessage = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  { $id: 'SuccessMessage' },
)

/** One rejected field of a request; `path` is a JSON pointer into the body, query or path parameters. */
export const FieldError = Type.Object({ path: Type.String(), message: Type.String() }, { $id: 'FieldError' })
export type FieldError = Static<typeof FieldError>

/**
 * Every failure's body. Success-flag endpoints set `success`, token endpoints `status`, and failed
 * authentication elsewhere sets both (docs/protocol/http.md#envelopes). Some codes add fields of their own.
 */
export const Failure = Type.Object(
  {
    status: Type.Optional(Type.Literal('error')),
    success: Type.Optional(Type.Literal(false)),
    code: Type.String(),
    message: Type.String(),
    errors: Type.Optional(Type.Array(FieldError)),
    retry_after: Type.Optional(Type.Integer({ description: 'seconds' })),
  },
  { $id: 'Failure', additionalProperties: true },
)
export type Failure = Static<typeof Failure>

export const QUESTION_TYPES = [
  'MCQ',
  'MSQ',
  'NUMERIC',
  'SHORT',
  'MATCHING',
  'ORDERING',
  'GAPS',
  'FORMULA',
] as const
export const QuestionType = Type.Enum([...QUESTION_TYPES], { $id: 'QuestionType' })
export type QuestionType = (typeof QUESTION_TYPES)[number]
