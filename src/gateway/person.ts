import type { Connection } from './connection.ts'

/** Somebody with at least one socket on this node. */
export interface Person {
  readonly userId: number
  readonly connections: Set<Connection>
}
