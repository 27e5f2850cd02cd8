import type { Language } from '../../../schemas/languages.ts'
import {
  type NoticeSettings,
  WISHED_KINDS,
  type Wish,
  type WishedKind,
} from '../../../schemas/notices.schemas.ts'
import type {
  PushSettings,
  PushSettingsBody,
  PushSubscription,
  PushSubscriptionBody,
} from '../../../schemas/push.schemas.ts'
import type { Push } from '../../adapters/push.ts'
import { areReceiverKeys, createKeyPair, type KeyPair } from '../../adapters/push-encryption.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError, invalidFields } from '../../errors.ts'
import { retryFor } from '../../scheduling/retry.ts'
import type { SessionClaims } from '../../tokens/tokens.ts'
import * as store from './push.store.ts'
import { queueNotices } from './push-finding.store.ts'

/** Subscriptions of one person. */
const MOST_SUBSCRIPTIONS = 20
/** How long to try again while somebody else registers the same endpoint at the same time. */
const PATIENCE_MS = 2_000

const NO_ENDPOINT = {
  path: '/endpoint',
  message: 'must be the https address of a push service on the internet',
}
const NO_KEYS = { path: '/keys', message: 'must be a point of P-256 and a secret of 16 bytes, as base64url' }

const NOTICE_DEFAULT: Wish = { push: true, mail: false }

const DEFAULTS: PushSettings = {
  messages: 'mentions',
  exams: true,
  practice: false,
  practice_hour: 18,
  preview: false,
  language: null,
  time_zone: null,
  notices: toNoticeSettings({}),
}

/** The public key, and what somebody has registered and set. */
export async function getPush(core: Core, userId: number) {
  const [key, subscriptions, settings] = await Promise.all([
    core.push && getKey(core.db),
    store.listSubscriptions(core.db, userId),
    store.findSettings(core.db, userId),
  ])
  return {
    public_key: key?.publicKey ?? null,
    subscriptions: subscriptions.map(toSubscription),
    settings: settings ? toSettings(settings) : DEFAULTS,
  }
}

/** The language that somebody has set; null: as the browser or app asks for. */
export async function findLanguage(db: Executor, userId: number): Promise<Language | null> {
  return (await store.findSettings(db, userId))?.language ?? null
}

/** The service's key, one for all nodes and for good: browsers subscribe for this key alone. */
export async function getKey(db: Executor): Promise<KeyPair> {
  const known = await store.findKey(db)
  if (known) return known
  await store.insertKey(db, createKeyPair())
  return getKey(db)
}

/**
 * Registers a browser for the caller's session; an endpoint belongs to whoever registered it last. 503
 * `not_configured`, 400 for what is no endpoint or no key, 409 `too_many`.
 */
export async function subscribe(
  core: Core,
  { userId, sessionId }: SessionClaims,
  { endpoint: given, keys }: PushSubscriptionBody,
  language: Language,
): Promise<PushSubscription> {
  const wrong = [
    ...(requirePush(core).admits(given) ? [] : [NO_ENDPOINT]),
    ...(areReceiverKeys(keys) ? [] : [NO_KEYS]),
  ]
  if (wrong.length > 0) throw invalidFields(wrong)
  const endpoint = new URL(given).href
  const row = await retryFor(PATIENCE_MS, () =>
    core.db.transaction(async (tx) => {
      await lockPerson(tx, userId)
      if (!(await store.holdSession(tx, sessionId))) throw new AppError('token_expired_or_invalid')
      const own = await store.listSubscriptions(tx, userId)
      if (own.length >= MOST_SUBSCRIPTIONS && !own.some((each) => each.endpoint === endpoint))
        throw new AppError('too_many', { message: `At most ${MOST_SUBSCRIPTIONS} devices` })
      await store.deleteOthers(tx, { endpoint, userId })
      await store.beginCursor(tx)
      const { p256dh, auth } = keys
      return store.upsertSubscription(tx, { userId, sessionId, endpoint, p256dh, auth, language })
    }),
  )
  return toSubscription(row)
}

/** 404 if it is not theirs. */
export async function unsubscribe(core: Core, userId: number, id: number): Promise<void> {
  if (!(await store.deleteSubscription(core.db, id, userId))) throw new AppError('not_found')
}

export async function changeSettings(
  core: Core,
  userId: number,
  body: PushSettingsBody,
): Promise<PushSettings> {
  if (Object.keys(body).length === 0) throw new AppError('nothing_to_update')
  const { practice_hour: practiceHour, time_zone: timeZone, ...others } = body
  return toSettings(
    await store.upsertSettings(core.db, userId, {
      ...others,
      ...(practiceHour === undefined ? {} : { practiceHour }),
      ...(timeZone === undefined ? {} : { timeZone }),
    }),
  )
}

/**
 * Something that people are to be told of. It is part of the transaction that makes it so, and told after its commit.
 */
export interface PushCause {
  kind: 'connection_request' | 'released' | 'changed'
  /** The connection or the exam. */
  subjectId: number
  /** Left out: everybody whom it concerns. */
  userIds?: number[]
}

export async function causePushes(tx: Executor, cause: PushCause): Promise<void> {
  await store.insertCauses(tx, [cause])
}

/** Notices that were written: their readers are told of them on their devices, if they want that. */
export async function queueNoticePushes(
  tx: Executor,
  { kind, ...told }: { kind: string; subjectId: number; userIds: number[]; now: Date },
): Promise<void> {
  const wished = WISHED_KINDS.find((each) => each === kind)
  if (wished) await queueNotices(tx, { kind: wished, ...told })
}

/** Sends somebody no more mails about a kind of notices. */
export async function turnMailsOff(core: Core, userId: number, kind: WishedKind): Promise<void> {
  await store.turnMailsOff(core.db, userId, kind, NOTICE_DEFAULT)
}

function requirePush({ push }: Core): Push {
  if (push) return push
  throw new AppError('not_configured', { message: 'Pushes need the setting VAPID_SUBJECT' })
}

function toSubscription(row: store.SubscriptionRow): PushSubscription {
  return {
    id: row.id,
    endpoint_host: new URL(row.endpoint).host,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  }
}

function toSettings(row: store.PushSettingsRow): PushSettings {
  return {
    messages: row.messages,
    exams: row.exams,
    practice: row.practice,
    practice_hour: row.practiceHour,
    preview: row.preview,
    language: row.language,
    time_zone: row.timeZone,
    notices: toNoticeSettings(row.notices),
  }
}

function toNoticeSettings(wishes: store.PushSettingsRow['notices']): NoticeSettings {
  return {
    exam_published: NOTICE_DEFAULT,
    exam_closing: NOTICE_DEFAULT,
    class_news: NOTICE_DEFAULT,
    ...wishes,
  }
}
