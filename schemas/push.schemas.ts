import { type Static, Type } from 'typebox'
import { Id, Nullable, Text, Timestamp } from './common.ts'
import { LANGUAGES } from './languages.ts'
import { NoticeSettings } from './notices.schemas.ts'

export const PushSubscription = Type.Object(
  {
    id: Id,
    endpoint_host: Type.String({ description: "the push service's host" }),
    created_at: Timestamp,
    last_used_at: Nullable({ ...Timestamp, description: 'when it last took a push; null: never' }),
  },
  { $id: 'PushSubscription' },
)
export type PushSubscription = Static<typeof PushSubscription>

const settings = {
  messages: Type.Enum(['all', 'mentions', 'none'], {
    description: 'which messages of groups; those of single people always come',
  }),
  exams: Type.Boolean({ description: 'an exam opens soon, a result is out or has changed' }),
  practice: Type.Boolean({ description: 'practice is due, once a day' }),
  practice_hour: Type.Integer({ minimum: 0, maximum: 23, description: "in the person's time zone" }),
  preview: Type.Boolean({ description: 'whether a push says what was written, beside who wrote' }),
  language: Nullable(
    Type.Enum([...LANGUAGES], {
      description: 'of the desk, mails and pushes; null: as the browser or app asks for',
    }),
  ),
}
const timeZone = { maxLength: 64, description: "null: the service's", examples: ['Europe/Berlin'] }
export const PushSettings = Type.Object(
  { ...settings, time_zone: Nullable(Type.String(timeZone)), notices: NoticeSettings },
  { $id: 'PushSettings' },
)
export type PushSettings = Static<typeof PushSettings>

export const PushSettingsBody = Type.Partial(
  Type.Object({
    ...settings,
    time_zone: Nullable(Type.String({ ...timeZone, format: 'time-zone' })),
    notices: Type.Partial(Type.Object(NoticeSettings.properties), {
      description: 'kinds that are left out stay as they are',
    }),
  }),
  { $id: 'PushSettingsBody' },
)
export type PushSettingsBody = Static<typeof PushSettingsBody>

/** Longest address of a push service; it fits an index as well. */
const LONGEST_ENDPOINT = 2_048

export const PushSubscriptionBody = Type.Object(
  {
    endpoint: Text(1, LONGEST_ENDPOINT, { description: 'an https address' }),
    keys: Type.Object({
      p256dh: Text(0, 128, { description: 'an uncompressed point of P-256, base64url' }),
      auth: Text(0, 64, { description: '16 bytes, base64url' }),
    }),
  },
  { $id: 'PushSubscriptionBody' },
)
export type PushSubscriptionBody = Static<typeof PushSubscriptionBody>

export const PushAnswer = Type.Object(
  {
    success: Type.Literal(true),
    public_key: Nullable(
      Type.String({ description: '`applicationServerKey`, base64url; null: this service sends no pushes' }),
    ),
    subscriptions: Type.Array(PushSubscription),
    settings: PushSettings,
  },
  { $id: 'PushAnswer' },
)
export type PushAnswer = Static<typeof PushAnswer>

export const PushSubscriptionAnswer = Type.Object(
  { success: Type.Literal(true), subscription: PushSubscription },
  { $id: 'PushSubscriptionAnswer' },
)

export const PushSettingsAnswer = Type.Object(
  { success: Type.Literal(true), settings: PushSettings },
  { $id: 'PushSettingsAnswer' },
)
