import type { Asker } from './scheduling/fair-queue.ts'

/** Who changes something, and from where. */
export interface Actor {
  /** null: somebody at the command line. */
  id: number | null
  ip: string | null
}

export const COMMAND_LINE: Actor = { id: null, ip: null }

/** Where a login comes from; its owner sees address and program in the list of sessions. */
export interface Device extends Asker {
  ip: string
  /** What failed logins are counted by. */
  network: string
  userAgent: string | undefined
}
