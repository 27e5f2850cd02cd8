import type { ReadableAtom } from 'nanostores'
import { Diagnostics } from './diagnostics.ts'
import { authorized } from './http/authorized.ts'
import { createOperations, type Operations } from './http/operations.ts'
import type { Platform } from './platform.ts'
import { type Owner, Session } from './session/session.ts'
import { SharedSocket } from './socket/shared-socket.ts'
import { Storage, type StorageState } from './storage/storage.ts'

export type { Diagnostics, Noted } from './diagnostics.ts'
export type { ClientFrame, ClientFrames, ServerFrame, ServerFrames } from './generated/frames.ts'
export type { Comment, Failure, paths } from './generated/openapi.ts'
export { Unreachable } from './http/request.ts'
export type { Channel, LifeEvent, Locks, Platform, PlatformSocket, Store, Upload } from './platform.ts'
export type { User } from './session/grant.ts'
export type { Owner, Session, SignedIn } from './session/session.ts'
export { isSignedIn } from './session/session.ts'
export { Disconnected, Refused } from './socket/errors.ts'
export type { SharedSocket } from './socket/shared-socket.ts'
export type { SocketStatus } from './socket/socket.ts'
export type { Storage, StorageState } from './storage/storage.ts'

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
  /** What this machine keeps. */
  readonly storage: Storage
  /** Whether it keeps it. */
  readonly $storage: ReadableAtom<StorageState>
  /** The socket, shared by all tabs; it is opened when something listens. */
  readonly live: SharedSocket
  readonly diagnostics: Diagnostics
  /**
   * A request for addresses that are no operations, as its owner: left out, whoever is signed in now. It never goes out
   * as somebody else, however late it is repeated; that is done only if it is harmless.
   */
  fetch(request: Request, owner?: Owner): Promise<Response>
  /** Ends everything that runs; the session stays. */
  close(): void
}

export function createClient({ baseUrl, platform }: ClientOptions): Client {
  const base = baseUrl.replace(/\/+$/, '')
  const diagnostics = new Diagnostics(platform.now)
  const storage = new Storage(platform)
  const session = new Session(platform, storage, base, diagnostics.note)
  const live = new SharedSocket(platform, base, session, diagnostics.note)
  const fetch = (request: Request, owner?: Owner) =>
    authorized(platform, session, diagnostics.note, request, owner)
  return {
    ...createOperations(base, (request) => fetch(request)),
    baseUrl: base,
    platform,
    session,
    storage,
    $storage: storage.$state,
    live,
    diagnostics,
    fetch,
    close() {
      live.close()
      session.close()
    },
  }
}
