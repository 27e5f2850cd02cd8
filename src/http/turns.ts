import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify'
import type { Core } from '../core.ts'
import { FairQueue } from '../fair-queue.ts'
import { perNode } from '../per-node.ts'
import { askerOf, whenClosed } from './requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What it reads can be large: such reads take turns. */
    heavy?: true
    /** Works for people who have not signed in, whose address stands for them. */
    turns?: 'by address'
  }
}

/** How many requests may wait in each line: more are refused, of whoever has the most. */
const MOST_WAITING = 2_000

/**
 * Of one person's requests and frames only a part of the database's connections is worked for at a time, though each
 * may wait there for the same row.
 */
export const personTurns = perNode(
  ({ config: { databasePool } }) => new FairQueue({ each: shareOf(databasePool), waiting: MOST_WAITING }),
)

/** As many of a pool's connections as one person, or all heavy reads together, may hold. */
function shareOf(databasePool: number): number {
  return Math.ceil(databasePool / 3)
}

/** Goes on when it is the asker's turn in that queue, which lasts until the answer is out. */
export function takeTurnIn(queue: FairQueue): preHandlerHookHandler {
  return (request, reply, done) => {
    const closed = whenClosed(reply)
    const work = () => {
      // Its deadline may have come before its turn.
      if (!reply.raw.closed) done()
      return closed
    }
    queue.run(askerOf(request), work).catch(done)
  }
}

/**
 * However much one person asks for at once, others' next request waits for none of it: of one person's requests only
 * a part of the database's connections is worked for at a time, though each may wait there for the same row. Where
 * what is read can be large, one person has one answer at a time, until it is out, and all together have a part of
 * the connections, until what they answer is made or begins to stream in small pieces. Those who hang up lose their
 * turn.
 */
export function registerTurns(app: FastifyInstance, core: Core): void {
  const readers = new FairQueue({ each: 1, waiting: MOST_WAITING })
  const reads = new FairQueue({ places: shareOf(core.config.databasePool), waiting: MOST_WAITING })
  /** Whose answers are being made, and how to say that they are. */
  const making = new WeakMap<FastifyRequest, () => void>()

  /** Resolves when the answer is made, or nobody waits for it any more. */
  const make = (request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> => {
    const closed = whenClosed(reply)
    // Its deadline may have come before its turn.
    if (reply.raw.closed) return Promise.resolve()
    const made = new Promise<void>((resolve) => making.set(request, resolve))
    done()
    return Promise.race([made, closed])
  }
  const takePersonsTurn = takeTurnIn(personTurns(core))
  const takeReadersTurn: preHandlerHookHandler = (request, reply, done) => {
    const closed = whenClosed(reply)
    const asker = askerOf(request)
    readers
      .run(asker, async () => {
        await reads.run(asker, () => make(request, reply, done))
        await closed
      })
      .catch(done)
  }

  app.addHook('onRoute', (route) => {
    const { heavy, turns, uploadTimeoutMs } = route.config ?? {}
    // What may take long waits for something else than the database, and sockets have an admission of their own.
    if (!heavy && (route.handlerTimeout || uploadTimeoutMs || route.websocket || route.wsHandler)) return
    const take = heavy ? takeReadersTurn : takePersonsTurn
    route.preHandler = [
      function (request, reply, done) {
        if (request.caller || turns) take.call(this, request, reply, done)
        else done()
      },
      ...[route.preHandler ?? []].flat(),
    ]
    if (!heavy) return
    route.onSend = [
      (request, _reply, _payload, done) => {
        making.get(request)?.()
        done()
      },
      ...[route.onSend ?? []].flat(),
    ]
  })
}
