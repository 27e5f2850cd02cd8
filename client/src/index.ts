import type { ReadableAtom } from 'nanostores'
import { ServerClock } from './clock.ts'
import { Diagnostics } from './diagnostics.ts'
import { authorized } from './http/authorized.ts'
import { createOperations, type Operations } from './http/operations.ts'
import { Unreachable } from './http/request.ts'
import { type Lifetime, limit } from './lifetime.ts'
import type { Platform } from './platform.ts'
import { type Owner, Session } from './session/session.ts'
import { SharedSocket } from './socket/shared-socket.ts'
import { Storage, type StorageState } from './storage/storage.ts'

export type { ServerClock } from './clock.ts'
export type { Diagnostics, Noted } from './diagnostics.ts'
export type { ClientFrame, ClientFrames, ServerFrame, ServerFrames } from './generated/frames.ts'
export type { Comment, Failure, paths } from './generated/openapi.ts'
export { Unreachable } from './http/request.ts'
export type { Lifetime } from './lifetime.ts'
export type { Channel, LifeEvent, Locks, Platform, PlatformSocket, Store, Upload } from './platform.ts'
export type { User } from './session/grant.ts'
export type { Owner, Session, SignedIn } from './session/session.ts'
export { storedOwner } from './session/session.ts'
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
  /** The platform as it was passed in, except for what ends with the client. */
  readonly platform: Lifetime
  /** The service's time. */
  readonly clock: ServerClock
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
  /**
   * Ends everything that runs: chats, exams, practice and outboxes of this client, its socket, timers, locks, requests
   * and store. A program that has nothing else to do ends by itself then. The session stays, and so does what is stored.
   */
  close(): void
}

export function createClient({ baseUrl, platform: given }: ClientOptions): Client {
  const base = baseUrl.replace(/\/+$/, '')
  const { platform, end } = limit(given)
  const diagnostics = new Diagnostics(platform.now)
  const storage = new Storage(platform)
  const clock = new ServerClock(platform, storage)
  const session = new Session(platform, storage, base, diagnostics.note)
  const live = new SharedSocket(platform, base, session, clock, diagnostics.note)
  const fetch = (request: Request, owner?: Owner) =>
    new Promise<Response>((resolve, reject) => {
      const forget = platform.atEnd(() => reject(new Unreachable('The client is closed')))
      authorized(platform, session, diagnostics.note, request, owner)
        .then((response) => {
          clock.hear(response)
          resolve(response)
        }, reject)
        .finally(forget)
    })
  return {
    ...createOperations(base, (request) => fetch(request)),
    baseUrl: base,
    platform,
    clock,
    session,
    storage,
    $storage: storage.$state,
    live,
    diagnostics,
    fetch,
    close() {
      end()
      live.close()
      session.close()
      storage.close()
    },
  }
}
