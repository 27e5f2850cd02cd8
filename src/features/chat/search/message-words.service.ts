import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { keysOf } from '../../../formats/words.ts'
import * as store from './message-words.store.ts'

/** Conversations and messages that are indexed together. */
const CONVERSATIONS = 200
const MESSAGES = 500
/** How much longer than its work the index rests: many messages must not wait because old ones are indexed. */
const REST = 9

/** What the index holds of a conversation's word, and of the sender of a message. */
export const inConversation = (conversation: number | string, word: string) => `${conversation}:${word}`
export const senderKey = (userId: number) => `@${userId}`

/**
 * Brings the words of messages into the index of searches. Sends don't wait for it: a search reads what the index has
 * not followed yet.
 */
export async function indexMessages(core: Core): Promise<void> {
  while (!core.closing.aborted) {
    const started = performance.now()
    const behind = await store.listBehind(core.db, CONVERSATIONS)
    if (behind.length === 0) return
    const count = await core.db.transaction((tx) => indexSome(tx, behind))
    if (behind.length < CONVERSATIONS && count < MESSAGES) return
    await pause((performance.now() - started) * REST)
  }
}

/** Answers how many messages were indexed: with `MESSAGES` there may be more. */
async function indexSome(tx: Executor, conversationIds: number[]): Promise<number> {
  const marks = await store.tryLockMarks(tx, conversationIds)
  if (marks.length === 0) return 0
  const changed = await store.listChanged(tx, marks, MESSAGES)
  await store.replaceWords(
    tx,
    changed.map((row) => ({ id: row.id, conversationId: row.conversationId, words: wordsIn(row) })),
  )
  const last = changed.length === MESSAGES ? changed.at(-1) : undefined
  const reached = marks.findIndex(({ conversationId }) => conversationId === last?.conversationId)
  const done = reached < 0 ? marks : marks.slice(0, reached)
  await store.moveMarks(tx, last ? [...done, last] : done)
  return changed.length
}

function wordsIn({ conversationId, senderId, isDeleted, message, files }: store.ChangedRow): string[] {
  if (isDeleted) return []
  const words = [...keysOf([message, ...files].join('\n')), senderKey(senderId)]
  return words.map((word) => inConversation(conversationId, word))
}
