import type { ClientFrames, ServerFrame } from '../../schemas/events.schemas.ts'
import type { FrameEvent, UserEvent } from '../bus/events.ts'
import type { Core } from '../core.ts'
import type { Connection } from './connection.ts'
import type { People, Person } from './person.ts'
import type { TopicKinds } from './topics.ts'

/**
 * The commands of clients, by the type of the frame. The result goes into the `ack`; undefined if there is none.
 * Throws an AppError.
 */
export type Commands = {
  [T in keyof ClientFrames]: (connection: Connection, frame: ClientFrames[T]) => Promise<object | undefined>
}

/** What a feature does on sockets, as its routes do over HTTP. It is all that the gateway knows of a feature. */
export interface Live {
  commands?: Partial<Commands>
  topics?: Partial<TopicKinds>
  /** Somebody's first socket on this node. Resolves once all events from now on reach them. */
  arrive?(person: Person): Promise<void>
  /** Fields of `ready` for a new socket; later features override earlier ones. */
  greet?(person: Person, connection: Connection): Promise<Greeting>
  /** Decides whether a command may run; called with undefined if it is not well formed. Throws an AppError. */
  admit?<T extends keyof ClientFrames>(
    connection: Connection,
    type: T,
    frame: ClientFrames[T] | undefined,
  ): Promise<void>
  /** Somebody's last socket on this node ended. */
  leave?(person: Person): void
  /** An event for this person that is not a frame yet. */
  receive?(person: Person, event: Exclude<UserEvent, FrameEvent>): void
  close?(): void
}

export interface Greeting {
  /** null: not shown at the moment. */
  unread?: number | null
  unread_all?: number | null
  mentions?: number | null
  requests?: number | null
  unread_notices?: number | null
  /** Frames that follow `ready`. */
  news?: ServerFrame[]
}

/** Makes a feature's part of one node's gateway. */
export type LivePlugin = (core: Core, people: People) => Live
