import { batched, type HELD } from '../../../db/batches.ts'
import type { Db } from '../../../db/database-client.ts'
import { violates } from '../../../db/database-errors.ts'
import { database as measured } from '../../../telemetry/metrics.ts'
import { nameSend } from './repeated-sends.ts'
import * as store from './sending.store.ts'

/** Most sends of one person that may wait. */
const MOST_OF_ONE = 64

/** undefined: the sender may not send there; `repeated`: a message with this `client_id` is stored. */
export type SendOutcome = store.SentRow | 'repeated' | undefined

/** Stores messages. Sends that wait for the database at the same time share one statement; senders take turns. */
export function createSender(db: Db): (send: store.Send) => Promise<SendOutcome> {
  let stored = 0

  async function insert(sends: store.Send[]): Promise<(SendOutcome | typeof HELD)[]> {
    // A plan that was made when the tables were small would scan whole tables, so there is a new plan each time the
    // number of messages has doubled.
    const plan = Math.floor(Math.log2(stored))
    try {
      return await store.insertMessages(db, sends, plan)
    } catch (error) {
      if (!violates(error, 'messages_sender_id_client_id_key')) throw error
      return insertNew(sends, error)
    }
  }

  /** Inserts the sends that are not stored yet: one stored `client_id` fails the whole statement. */
  async function insertNew(sends: store.Send[], violation: unknown): Promise<(SendOutcome | typeof HELD)[]> {
    const rows = await store.listMessagesByClientIds(db, sends.filter(isNamed))
    const known = new Set(rows.map(nameSend))
    // The conflicting row was deleted meanwhile: each send is tried alone.
    if (known.size === 0) throw violation
    const isKnown = (send: store.Send) => isNamed(send) && known.has(nameSend(send))
    const fresh = sends.filter((send) => !isKnown(send))
    const outcomes = fresh.length === 0 ? [] : await insert(fresh)
    return sends.map((send) => (isKnown(send) ? 'repeated' : outcomes.shift()))
  }

  return batched({
    lanes: 2,
    size: 64,
    key: ({ conversationId }) => conversationId,
    turns: { owner: ({ senderId }) => senderId, most: MOST_OF_ONE },
    run(sends) {
      stored += sends.length
      measured.sendBatches.observe(sends.length)
      return insert(sends)
    },
  })
}

function isNamed(send: store.Send): send is store.Send & store.NamedSend {
  return send.clientId !== null
}
