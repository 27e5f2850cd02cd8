import type { ServerFrame } from '../../schemas/events.schemas.ts'
import type { Connection } from './connection.ts'
import { encodeFrame } from './frame.ts'

/** Somebody with at least one socket on this node. */
export interface Person {
  readonly userId: number
  readonly connections: ReadonlySet<Connection>
}

/** Everybody who has a socket on this node. */
export interface People {
  all(): Person[]
  find(userId: number): Person | undefined
}

/** Sends a frame to all of somebody's sockets. */
export function sendTo({ connections }: Person, frame: ServerFrame): void {
  const encoded = encodeFrame(frame)
  for (const connection of connections) connection.write(encoded)
}
