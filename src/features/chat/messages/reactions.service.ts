import { MOST_REACTIONS, type Reaction } from '../../../../schemas/chat.schemas.ts'
import type { StoredReaction } from '../../../bus/events.ts'
import type { Core } from '../../../core.ts'
import { batched, HELD } from '../../../db/batches.ts'
import type { Executor } from '../../../db/database-client.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { perNode } from '../../../per-node.ts'
import { tryLockConversations } from '../conversations/conversations.store.ts'
import { toReactions, toTotal } from './message-mapping.ts'
import * as store from './reactions.store.ts'

const EMOJI = /^\p{RGI_Emoji}$/v
/** Most changes that share a transaction, and most of one person that may wait. */
const AT_ONCE = 64

export interface ReactionInput extends store.ReactionTarget {
  emoji: string
  /** Whether the emoji is added or removed. */
  added: boolean
}

interface ReactionResult {
  /** The message's version and reactions after this change. */
  version: number
  reactions: StoredReaction[]
  isChanged: boolean
}
type ReactionRefusal = 'not_found' | 'not_connected' | 'deleted' | 'too_many'

/**
 * Adds one's reaction to a message or removes it; if that changes nothing, there is no new version. 400 for what is no
 * emoji, 404, 403 `not_connected`, 409 `deleted`, `too_many`.
 */
export async function react(
  core: Core,
  input: ReactionInput,
): Promise<{ reactions: Reaction[]; version: number }> {
  if (!EMOJI.test(input.emoji)) throw invalidField('/emoji', 'must be one emoji')
  const reacted = await reactionsShared(core)(input)
  if (typeof reacted === 'string') throw new AppError(reacted)
  return { reactions: toReactions(input.userId, reacted.reactions), version: reacted.version }
}

/** Reactions that wait for the database at the same time share a transaction, as sends share a statement. */
const reactionsShared = perNode((core) =>
  batched({
    lanes: 2,
    size: AT_ONCE,
    key: ({ conversationId }: ReactionInput) => conversationId,
    turns: { owner: ({ userId }) => userId, most: AT_ONCE },
    async run(inputs): Promise<(ReactionResult | ReactionRefusal | typeof HELD)[]> {
      const outcomes = await core.db.transaction((tx) => change(tx, inputs))
      for (const [index, outcome] of outcomes.entries()) {
        const input = inputs[index]
        if (!input || typeof outcome !== 'object' || !outcome.isChanged) continue
        const { conversationId, messageId, userId, emoji, added } = input
        core.bus.publish(`conversation:${conversationId}`, {
          kind: 'reactions',
          version: outcome.version,
          messageId,
          reactions: outcome.reactions.map(toTotal),
          userId,
          emoji,
          added,
        })
      }
      return outcomes
    },
  }),
)

async function change(
  tx: Executor,
  inputs: ReactionInput[],
): Promise<(ReactionResult | ReactionRefusal | typeof HELD)[]> {
  const ids = [...new Set(inputs.map(({ conversationId }) => conversationId))]
  const versions = await tryLockConversations(tx, ids)
  const known = new Map(versions)
  // Read after the lock: nobody else changes these messages, or who is a member, until the transaction ends.
  const rows = await store.listReactable(tx, inputs)
  /** What each message becomes. */
  const messages = new Map<number, { id: number; version: number; reactions: StoredReaction[] }>()
  const outcomes = inputs.map((input, index): ReactionResult | ReactionRefusal | typeof HELD => {
    const { conversationId, messageId } = input
    const row = rows[index]
    if (!row) return 'not_found'
    const version = versions.get(conversationId)
    if (version === undefined) return HELD
    if (!row.canSend) return 'not_connected'
    if (row.isDeleted) return 'deleted'
    const before = messages.get(messageId) ?? { version: row.version, reactions: row.reactions }
    const reactions = applyTo(before.reactions, input)
    if (!reactions) return { ...before, isChanged: false }
    if (reactions.length > MOST_REACTIONS) return 'too_many'
    versions.set(conversationId, version + 1)
    messages.set(messageId, { id: messageId, version: version + 1, reactions })
    return { version: version + 1, reactions, isChanged: true }
  })
  const moved = new Map([...versions].filter(([id, version]) => version !== known.get(id)))
  if (moved.size > 0) await store.updateReactions(tx, [...messages.values()], moved)
  return outcomes
}

/** The reactions after a change; undefined if it changes nothing. */
function applyTo(
  reactions: StoredReaction[],
  { userId, emoji, added }: ReactionInput,
): StoredReaction[] | undefined {
  const user_ids = reactions.find((each) => each.emoji === emoji)?.user_ids ?? []
  if (user_ids.includes(userId) === added) return undefined
  if (user_ids.length === 0) return [...reactions, { emoji, user_ids: [userId] }]
  const others = added ? [...user_ids, userId] : user_ids.filter((id) => id !== userId)
  return reactions
    .map((each) => (each.emoji === emoji ? { emoji, user_ids: others } : each))
    .filter((each) => each.user_ids.length > 0)
}
