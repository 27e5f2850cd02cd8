import type { FastifyBaseLogger } from 'fastify'
import type { Ai } from './adapters/ai.ts'
import type { Files } from './adapters/files.ts'
import type { Google } from './adapters/google.ts'
import type { Mail } from './adapters/mail.ts'
import type { Bus } from './bus/bus.ts'
import type { Presence } from './bus/presence.ts'
import type { RateSlots } from './bus/rate-slots.ts'
import type { Config } from './config.ts'
import type { Db } from './db/client.ts'
import type { JobQueue } from './db/job-queue.ts'
import type { Tokens } from './tokens.ts'

/** All that a service may use of the world around it; one per node, made in main.ts, given to every service first. */
export interface Core {
  config: Config
  log: FastifyBaseLogger
  /** Milliseconds since the epoch. */
  clock: () => number
  db: Db
  bus: Bus
  presence: Presence
  rateSlots: RateSlots
  tokens: Tokens
  files: Files
  /** undefined: none is configured. */
  ai: Ai | undefined
  jobs: JobQueue
  mail: Mail
  /** undefined: no identity provider is set up. */
  google: Google | undefined
  /** Signs the addresses of files. */
  fileSecret: string
  /** Aborted when the node begins to shut down: no new work from then on. */
  draining: AbortSignal
}
