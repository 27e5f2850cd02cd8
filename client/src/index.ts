import { Diagnostics } from './diagnostics.ts'
import { authorized } from './http/authorized.ts'
import { createOperations, type Operations } from './http/operations.ts'
import type { Platform } from './platform.ts'
import { Session } from './session/session.ts'
import { SharedSocket } from './socket/shared-socket.ts'

export type { Diagnostics, Noted } from './diagnostics.ts'
export type { ClientFrame, ClientFrames, ServerFrame, ServerFrames } from './generated/frames.ts'
export type { Comment, Failure, paths } from './generated/openapi.ts'
export { Unreachable } from './http/request.ts'
export type { Channel, LifeEvent, Locks, Platform, PlatformSocket, Store } from './platform.ts'
export type { User } from './session/grant.ts'
export type { Session, SignedIn } from './session/session.ts'
export { Disconnected, Refused } from './socket/errors.ts'
export type { SharedSocket } from './socket/shared-socket.ts'
export type { SocketStatus } from './socket/socket.ts'

export interface ClientOptions {
  /** The service's address without a path: `https://exams.example.org`, or `location.origin`. */
  baseUrl: string
  platform: Platform
}

/** Every operation of the service, in the form of openapi-fetch, as the signed-in person; and the session. */
export interface Client extends Operations {
  readonly baseUrl: string
  readonly platform: Platform
  readonly session: Session
  /** The socket, shared by all tabs; it is opened when something listens. */
  readonly live: SharedSocket
  readonly diagnostics: Diagnostics
  /** A request as the signed-in person, for addresses that are no operations. Retried only if that is harmless. */
  fetch(request: Request): Promise<Response>
  /** Ends everything that runs; the session stays. */
  close(): void
}

export function createClient({ baseUrl, platform }: ClientOptions): Client {
  const base = baseUrl.replace(/\/+$/, '')
  const diagnostics = new Diagnostics(platform.now)
  const session = new Session(platform, base, diagnostics.note)
  const live = new SharedSocket(platform, base, session, diagnostics.note)
  const fetch = (request: Request) => authorized(platform, session, diagnostics.note, request)
  return {
    ...createOperations(base, fetch),
    baseUrl: base,
    platform,
    session,
    live,
    diagnostics,
    fetch,
    close() {
      live.close()
      session.close()
    },
  }
}
