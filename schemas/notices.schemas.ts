import { type Static, Type } from 'typebox'
import { Id, MAX_INT, Timestamp } from './common.ts'

/** Kinds that somebody may be told of by pushes and mails, too, as they choose. */
export const WISHED_KINDS = ['exam_published', 'exam_closing', 'class_news'] as const
export type WishedKind = (typeof WISHED_KINDS)[number]

const Wish = Type.Object({
  push: Type.Boolean(),
  mail: Type.Boolean({ description: 'only to a confirmed address, at most 10 a day' }),
})
export type Wish = Static<typeof Wish>

/** How to be told of each kind. */
export const NoticeSettings = Type.Object(
  {
    exam_published: { ...Wish, description: 'a new exam for oneself' },
    exam_closing: { ...Wish, description: 'an exam that one hasn’t taken closes in a day' },
    class_news: { ...Wish, description: 'news of one’s classes' },
  },
  { $id: 'NoticeSettings' },
)
export type NoticeSettings = Static<typeof NoticeSettings>

export type NoticeWishes = Partial<NoticeSettings>

export const NOTICE_KINDS = [
  'exam_published',
  'exam_closing',
  'result_released',
  'result_changed',
  'challenge_answered',
  'more_time',
  'class_news',
  'access_decided',
] as const

export const Notice = Type.Object(
  {
    id: Id,
    kind: Type.Enum([...NOTICE_KINDS], { description: 'there may be more later' }),
    at: Timestamp,
    read: Type.Boolean(),
    exam_id: Type.Optional(Id),
    class_id: Type.Optional(Id),
    title: Type.String({ description: 'the exam’s or the class’s name' }),
    body: Type.String({ description: 'in the person’s language' }),
  },
  { $id: 'Notice' },
)
export type Notice = Static<typeof Notice>

export const UnreadNotices = Type.Integer({ minimum: 0, description: 'notices that one hasn’t read' })

export const NoticesQuery = Type.Object({
  before: Type.Optional({ ...Id, description: 'older ones than this id' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 30 }),
})

export const NoticesAnswer = Type.Object(
  { success: Type.Literal(true), notices: Type.Array(Notice), unread: UnreadNotices },
  { $id: 'NoticesAnswer' },
)

export const NoticesReadBody = Type.Object(
  {
    up_to: Type.Integer({
      minimum: 0,
      maximum: MAX_INT,
      description: 'the id of the newest one that was seen',
    }),
  },
  { $id: 'NoticesReadBody' },
)

export const NoticesReadAnswer = Type.Object(
  { success: Type.Literal(true), unread: UnreadNotices },
  { $id: 'NoticesReadAnswer' },
)
