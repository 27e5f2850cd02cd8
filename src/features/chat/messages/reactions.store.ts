import { sql } from 'drizzle-orm'
import type { StoredReaction } from '../../../bus/events.ts'
import type { Executor } from '../../../db/database-client.ts'
import { query } from '../../../db/query.ts'
import { given, rowOf } from '../../../db/rows.ts'
import { messages } from '../../../db/tables/chat.tables.ts'

export interface ReactionTarget {
  conversationId: number
  messageId: number
  userId: number
}

export interface ReactableRow {
  messageId: number
  version: number
  isDeleted: boolean
  /** Whether this person may send there. */
  canSend: boolean
  reactions: StoredReaction[]
}

/** The messages that these people want to react to, each as this person sees it; undefined where they can't see it. */
export async function listReactable(
  tx: Executor,
  targets: ReactionTarget[],
): Promise<(ReactableRow | undefined)[]> {
  const rows = await query<ReactableRow & { ord: number }>(
    tx,
    {
      ord: 'integer',
      messageId: 'integer',
      version: 'integer',
      isDeleted: 'boolean',
      canSend: 'boolean',
      reactions: 'jsonb',
    },
    sql`
    select target.ord::int, message.id as "messageId", message.version, message.deleted_at is not null as "isDeleted",
           member.can_send as "canSend", coalesce(message.reactions, '[]') as reactions
      from ${given({ conversationId: 'integer', messageId: 'integer', userId: 'integer' }, targets, 'target')}
      join messages message on message.id = target.message_id and message.conversation_id = target.conversation_id
      join conversation_members member
        on member.conversation_id = target.conversation_id and member.user_id = target.user_id`,
  )
  const reactable: (ReactableRow | undefined)[] = targets.map(() => undefined)
  for (const { ord, ...row } of rows) reactable[ord - 1] = row
  return reactable
}

const REACTED = rowOf(messages, ['id', 'version', 'reactions'])

/** Stores the reactions of these messages and their versions, and the new versions of their conversations. */
export async function updateReactions(
  tx: Executor,
  changed: { id: number; version: number; reactions: StoredReaction[] }[],
  versions: ReadonlyMap<number, number>,
): Promise<void> {
  const moved = [...versions].map(([id, version]) => ({ id, version }))
  await tx.execute(sql`
    with moved as (
      update conversations set version = moved.version
        from ${given({ id: 'integer', version: 'integer' }, moved, 'moved')}
       where conversations.id = moved.id)
    update messages set ${REACTED.set('changed', { except: ['id'] })}
      from ${REACTED.given(changed, 'changed')}
     where messages.id = changed.id`)
}
