import { type Static, type TSchema, Type } from 'typebox'

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
  return Type.String({ minLength, maxLength, pattern: STORABLE, ...options })
}

export const Id = Type.Integer({ minimum: 1, maximum: MAX_INT })
/** A user id as it may be answered: the ghost account is -1. */
export const UserId = Type.Integer({ minimum: -1, maximum: MAX_INT })
export const IdParams = Type.Object({ id: Id })

/** ISO 8601 in UTC with milliseconds and `Z`. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-20T10:15:00.000Z'] })

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

export const Success = Type.Object({ success: Type.Literal(true) })
export const SuccessMessage = Type.Object({ success: Type.Literal(true), message: Type.String() })

/** One rejected field of a request; `path` is a JSON pointer into the body, query or path parameters. */
export const FieldError = Type.Object({ path: Type.String(), message: Type.String() })
export type FieldError = Static<typeof FieldError>

/**
 * Every failure's body. Success-flag endpoints set `success`, token endpoints `status`, and failed
 * authentication elsewhere sets both (contract §1). Some codes add fields of their own.
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
