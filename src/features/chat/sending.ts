import { batched } from '../../db/batches.ts'
import type { Db } from '../../db/client.ts'
import * as store from './messages-store.ts'

type Send = (send: store.Send) => Promise<store.SentRow | undefined>
const senders = new WeakMap<Db, Send>()

/**
 * Stores a message; undefined where this sender may not send it there. Sends that wait for the database
 * at the same time share one statement.
 */
export function storeMessage(db: Db, send: store.Send): Promise<store.SentRow | undefined> {
  let sender = senders.get(db)
  if (!sender) {
    let stored = 0
    sender = batched({
      lanes: 2,
      size: 64,
      key: ({ conversationId }) => conversationId,
      run(sends) {
        stored += sends.length
        // A plan from when the tables were small would read all of them: each doubling gets a new one.
        return store.insertMessages(db, sends, Math.floor(Math.log2(stored)))
      },
    })
    senders.set(db, sender)
  }
  return sender(send)
}
