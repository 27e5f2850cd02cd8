import type { FastifyBaseLogger } from 'fastify'
import type { Ai } from './adapters/ai.ts'
import type { Files } from './adapters/files.ts'
import type { Google } from './adapters/google.ts'
import type { Mail } from './adapters/mail.ts'
import type { Oidc } from './adapters/oidc.ts'
import type { Push } from './adapters/push.ts'
import type { Bus } from './bus/bus.ts'
import type { OtherNodes } from './bus/other-nodes.ts'
import type { Presence } from './bus/presence.ts'
import type { RateSlots } from './bus/rate-slots.ts'
import type { Tallies } from './bus/tallies.ts'
import type { Db } from './db/database-client.ts'
import type { JobQueue } from './db/job-queue.ts'
import type { ReadReplica } from './db/read-replica.ts'
import type { Gate } from './scheduling/gate.ts'
import type { Config } from './settings/config.ts'
import type { LiveSessions } from './tokens/live-sessions.ts'
import type { RefreshTokens } from './tokens/refresh-tokens.ts'
import type { DerivedKeys } from './tokens/secrets.ts'

/**
 * Everything outside of the features that a service may use: one per node, and the first argument of every service
 * function.
 */
export interface Core {
  config: Config
  log: FastifyBaseLogger
  /** Milliseconds since the epoch. */
  clock: () => number
  db: Db
  /** undefined: all reads are the primary's. */
  replica: ReadReplica | undefined
  bus: Bus
  presence: Presence
  rateSlots: RateSlots
  gate: Gate
  tallies: Tallies
  sessions: LiveSessions
  nodes: OtherNodes
  refreshTokens: RefreshTokens
  files: Files
  /** undefined: none is configured. */
  ai: Ai | undefined
  jobs: JobQueue
  mail: Mail
  /** undefined: this service sends none. */
  push: Push | undefined
  /** undefined: no identity provider is set up. */
  google: Google | undefined
  /** undefined: there is no OpenID Connect provider. */
  oidc: Oidc | undefined
  /** For tokens: the first one signs, all of them verify. */
  jwtSecrets: readonly string[]
  /** For the addresses of files: the first one signs, all of them verify. */
  fileKeys: DerivedKeys
  /**
   * Aborted when the node begins to shut down: it closes its sockets, and answers requests for `config.drainDelayMs`.
   */
  draining: AbortSignal
  /** Aborted after that time: nobody can connect any more, and no new work begins. */
  closing: AbortSignal
}
