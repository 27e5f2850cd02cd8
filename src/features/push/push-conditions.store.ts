import { sql } from 'drizzle-orm'
import { areBlocked, isMuted } from '../../db/tables/chat.tables.ts'
import { helpLockedText } from '../help-lock/help-lock.sql.ts'

// `message`, `conversation`, `member`, `subscription` and `settings` name rows of their tables; there may be no
// settings.

/**
 * Whether a member is told of a message: it is new to them and to their subscription, they haven't muted the
 * conversation, neither has blocked the other, and in a group they want to hear of it.
 */
export const IS_WANTED = sql`(
  message.sender_id <> member.user_id and message.seq > member.last_read_seq and message.deleted_at is null
  and message.created_at >= subscription.created_at and message.created_at > now() - interval '1 day'
  and not ${isMuted(sql`member`)}
  and (not conversation.is_group or settings.messages = 'all'
       or (coalesce(settings.messages, 'mentions') = 'mentions' and member.user_id = any(message.mentions)))
  and not ${areBlocked(sql`member.user_id`, sql`message.sender_id`)})`

/** Whether somebody wants to hear of exams. */
export const WANTS_EXAMS = sql`coalesce(settings.exams, true)`

/** Whether a `card` of practice is to be asked. */
export const isCardDue = (now: Date) =>
  sql`(card.paper_id is not null and card.due <= ${now.toISOString()}::timestamptz)`

/** Whether an exam that locks help is under way for whoever owns the subscription. */
export const IS_LOCKED = sql.raw(helpLockedText('subscription.user_id'))
