import { type Static, Type } from 'typebox'
import { Confirm, GivenInstant, Id, Nullable, Timestamp, Uuid, Was, WasText } from './common.ts'

export const AccommodationParams = Type.Object({ exam_id: Id, user_id: Id })
export type AccommodationParams = Static<typeof AccommodationParams>

export const Accommodation = Type.Object(
  {
    user_id: Id,
    username: Type.String(),
    full_name: Type.String(),
    extra_time_percent: Type.Integer(),
    opens_at: Nullable({ ...Timestamp, description: "null: the exam's own" }),
    closes_at: Nullable({ ...Timestamp, description: "null: the exam's own" }),
  },
  { $id: 'Accommodation' },
)
export type Accommodation = Static<typeof Accommodation>

const givenTimes = {
  extra_time_percent: Nullable(
    Type.Integer({ minimum: 0, maximum: 300, description: "added to the exam's duration" }),
  ),
  opens_at: Nullable({ ...GivenInstant, description: "null: the exam's own" }),
  closes_at: Nullable({ ...GivenInstant, description: "null: the exam's own" }),
}
export const WasTimes = Was(givenTimes)
export type WasTimes = Static<typeof WasTimes>
export const AccommodationBody = Type.Object(
  { ...Type.Partial(Type.Object(givenTimes)).properties, confirm: Confirm, was: WasTimes },
  { $id: 'AccommodationBody' },
)
export type AccommodationBody = Static<typeof AccommodationBody>

export const RemovalQuery = Type.Object({ confirm: Confirm, was: WasText })

export const AccommodationsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    accommodations: Type.Array(Accommodation),
  },
  { $id: 'AccommodationsAnswer' },
)
export const AccommodationAnswer = Type.Object(
  { success: Type.Literal(true), accommodation: Accommodation },
  { $id: 'AccommodationAnswer' },
)

export const ClassAccommodationParams = Type.Object({ exam_id: Id, class_id: Id })
export type ClassAccommodationParams = Static<typeof ClassAccommodationParams>
export const ClassAccommodation = Type.Object(
  {
    class_id: Id,
    extra_time_percent: Type.Integer(),
    opens_at: Nullable({ ...Timestamp, description: "null: the exam's own" }),
    closes_at: Nullable({ ...Timestamp, description: "null: the exam's own" }),
  },
  { $id: 'ClassAccommodation' },
)
export type ClassAccommodation = Static<typeof ClassAccommodation>
export const ClassAccommodationAnswer = Type.Object(
  { success: Type.Literal(true), accommodation: ClassAccommodation },
  { $id: 'ClassAccommodationAnswer' },
)
export const ClassAccommodationsAnswer = Type.Object(
  {
    success: Type.Literal(true),
    accommodations: Type.Array(Accommodation),
    class_accommodation: Nullable(ClassAccommodation),
  },
  { $id: 'ClassAccommodationsAnswer' },
)

export const ExtendBody = Type.Object(
  {
    minutes: Type.Integer({ minimum: 1, maximum: 600 }),
    user_ids: Type.Optional(
      Nullable(Type.Array(Id, { maxItems: 10_000, description: 'only attempts of these people' })),
    ),
    key: Type.Optional(
      Nullable({ ...Uuid, description: 'a UUID: the same one again changes nothing and answers the same' }),
    ),
  },
  { $id: 'ExtendBody' },
)
export type ExtendBody = Static<typeof ExtendBody>

export const ExtendAnswer = Type.Object(
  {
    success: Type.Literal(true),
    extended: Type.Integer({ description: 'how many attempts under way got the minutes' }),
    reopened: Type.Integer({ description: 'how many attempts that were over were opened again' }),
  },
  { $id: 'ExtendAnswer' },
)
