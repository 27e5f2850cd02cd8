import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Asker, FairQueue } from './fair-queue.ts'
import { ProviderQueue } from './provider-queue.ts'

/** Requests, and pieces of costly work, that may wait; with more, an answer would come too late anyway. */
const MOST_REQUESTS = 2_000
const MOST_PIECES = 200
/** Milliseconds between two statements for people who connect, while so many do that some wait for their turn. */
const GATHER_MS = 20
/** Milliseconds that blocking work may take before everything else has its turn. */
const SLICE_MS = 5

/** The budgets of one node: what may be under way at once, and how much of it for one asker. */
export interface Gate {
  /** Requests and frames that use the database. */
  light: FairQueue
  /** Large answers that are being made, and those of one person that are made or read. */
  heavy: FairQueue
  readers: FairQueue
  /** Searches in texts, which keep the process busy between their statements. */
  searches: FairQueue
  /** Long bodies that are read, held in memory or worked on. */
  uploads: FairQueue
  /** Files of questions, each of which keeps memory and database busy for as long as it takes. */
  imports: FairQueue
  /** Files of messages, which are in memory until they are stored. */
  files: FairQueue
  /** Sockets that are being set up: if thousands return at once, all of them at once would time out. */
  sockets: FairQueue
  /** How long the next statement for people who connect waits for more of them to share it, in milliseconds. */
  gatherMs(): number
  /** Conversations that sockets resume, each until its client has read it. */
  resumes: FairQueue
  /** Logins, from the look at the account until the session is stored. */
  logins: FairQueue
  /** Passwords that are hashed: more at once than cores would take threads from everything else. */
  passwords: FairQueue
  /** Images that are decoded, each by a process of its own. Few wait, since they are in memory. */
  decoding: FairQueue
  /** Sign-ins that ask the identity provider. */
  providers: ProviderQueue
  /** Accounts that are looked up for a mail, and mails that are being sent. */
  lookUps: FairQueue
  mails: FairQueue
  /** Work that blocks the process, such as parsing a long text: other work comes in between. */
  block<T>(asker: Asker, work: () => T): Promise<T>
}

export function createGate({ databasePool }: { databasePool: number }, clock: () => number): Gate {
  // Even if all work of one asker, or all large answers, wait for one row, the others have the rest of the database.
  const share = Math.ceil(databasePool / 3)
  const cores = availableParallelism()
  const sockets = new FairQueue({ places: 250, waiting: 5_000 })
  const blocking = new FairQueue({ places: 1, waiting: MOST_REQUESTS })
  let blockedMs = 0
  return {
    light: new FairQueue({ each: share, waiting: MOST_REQUESTS }),
    heavy: new FairQueue({ places: share, waiting: MOST_REQUESTS }),
    readers: new FairQueue({ each: 1, waiting: MOST_REQUESTS }),
    searches: new FairQueue({ places: share, each: 1, waiting: MOST_REQUESTS }),
    uploads: new FairQueue({ each: share, waiting: MOST_REQUESTS }),
    imports: new FairQueue({ places: 2, each: 1, waiting: MOST_PIECES }),
    files: new FairQueue({ places: 8, each: 2, waiting: MOST_PIECES }),
    sockets,
    gatherMs: () => (sockets.hasWaiting ? GATHER_MS : 0),
    resumes: new FairQueue({ each: 8, waiting: 20_000 }),
    logins: new FairQueue({ places: 4 * cores, each: share, waiting: MOST_PIECES }),
    passwords: new FairQueue({ places: cores, waiting: MOST_PIECES }),
    decoding: new FairQueue({ places: 2, each: 1, waiting: 30 }),
    providers: new ProviderQueue(clock),
    lookUps: new FairQueue({ each: 20, waiting: 0 }),
    mails: new FairQueue({ places: 300, each: 60, waiting: 0 }),
    block: (asker, work) =>
      blocking.run(asker, async () => {
        const began = performance.now()
        try {
          return work()
        } finally {
          blockedMs += performance.now() - began
          if (blockedMs >= SLICE_MS) {
            // Everything else has as long as this took.
            await sleep(blockedMs)
            blockedMs = 0
          }
        }
      }),
  }
}
