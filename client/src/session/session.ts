import { atom, type ReadableAtom } from 'nanostores'
import type { Note } from '../diagnostics.ts'
import type { Failure, paths } from '../generated/openapi.ts'
import { foreign, type JsonAnswer, jsonRequest, send, toJsonAnswer, Unreachable } from '../http/request.ts'
import type { Channel, Platform, Store } from '../platform.ts'
import type { Storage } from '../storage/storage.ts'
import { createMutex, openChannel } from '../tabs.ts'
import { expiryOf, type Grant, isFresh, toGrant, type User } from './grant.ts'

const KEY = 'session'
/** Below this key is what a logout deletes. */
const CACHES = 'cache/'
const TIMEOUT_MS = 15_000
/** The service's word for a token that is no good any more, and of a refresh for a session that has ended. */
export const EXPIRED = 'token_expired_or_invalid'
/** How often a store that fails is tried. */
const TRIES = 3
const DAY_MS = 24 * 60 * 60 * 1_000

type Way = 'login' | 'register' | 'google' | 'oidc' | 'exchange'
type AuthPath<W extends Way = Way> = `/api/v01/auth/${W}`
type Post<P extends AuthPath> = paths[P]['post']
type Body<P extends Exclude<AuthPath, '/api/v01/auth/exchange'>> =
  Post<P>['requestBody']['content']['application/json']
type Codes<P extends AuthPath> = {
  [S in keyof Post<P>['responses']]: Post<P>['responses'][S] extends {
    content: { 'application/json': Failure<infer Code> }
  }
    ? Code
    : never
}[keyof Post<P>['responses']]
export type SignedIn<P extends AuthPath> =
  | { user: User; error?: never }
  | { user?: never; error: Failure<Codes<P>> }

/**
 * The owner of something that is stored or sent: an account, and its stay on this machine from a sign-in to the logout.
 */
export interface Owner {
  readonly userId: number
  readonly stay: string
}

/** Where the data of a stay is stored that its logout deletes. */
export function cachesOf({ userId, stay }: Owner): string {
  return `${CACHES}${userId}/${stay}/`
}

/** What is stored in place of a session that the service has ended: the same account may go on with its data. */
interface ParkedOwner {
  parked: Owner
}

type StoredSession = Grant | ParkedOwner | undefined

/** What tabs tell each other: that something else is stored, or that a stay has ended. */
type SessionMessage = 'changed' | { ended: Owner }

/**
 * Owns the tokens, for HTTP and the socket, in all tabs. The tab that first needs a new access token gets it under a
 * lock, and the others find it in the store.
 *
 * The refresh token is exchanged for a new one only once a day. If the answer to an exchange is lost, it can be
 * repeated within 30 seconds; without a network for longer than that, the person would be signed out, perhaps in an
 * exam. A refresh that keeps the refresh token has no such risk.
 */
export class Session {
  readonly #user = atom<User | null | undefined>(undefined)
  /** undefined until the store has been read; null: nobody is signed in. */
  readonly $user: ReadableAtom<User | null | undefined> = this.#user
  /** Resolves once it is known who is signed in, which is null for nobody. */
  readonly ready: Promise<User | null>
  readonly #platform: Platform
  readonly #storage: Storage
  readonly #base: string
  readonly #note: Note
  readonly #alone: <T>(work: () => Promise<T>) => Promise<T>
  readonly #tabs: Channel
  #grant: Grant | undefined
  /** Whether `#grant` is in the store: then its absence there means a logout. */
  #isStored = false
  #refreshing: Promise<string | undefined> | undefined

  constructor(platform: Platform, storage: Storage, baseUrl: string, note: Note) {
    this.#platform = platform
    this.#storage = storage
    this.#base = `${baseUrl}/api/v01/auth`
    this.#note = note
    const name = `exam-practice:${baseUrl}:session`
    this.#alone = createMutex(platform, name)
    const look = () => void this.#lookUp()
    this.#tabs = openChannel(platform, name, (message) => this.#hear(message as SessionMessage), look)
    this.ready = this.#lookUp().then(() => this.#user.get() ?? null)
  }

  login(body: Body<'/api/v01/auth/login'>): Promise<SignedIn<'/api/v01/auth/login'>> {
    return this.#signIn('login', body)
  }

  register(body: Body<'/api/v01/auth/register'>): Promise<SignedIn<'/api/v01/auth/register'>> {
    return this.#signIn('register', body)
  }

  google(body: Body<'/api/v01/auth/google'>): Promise<SignedIn<'/api/v01/auth/google'>> {
    return this.#signIn('google', body)
  }

  /** Signs in with a code of the OpenID Connect provider, which the app has asked itself. */
  oidc(body: Body<'/api/v01/auth/oidc'>): Promise<SignedIn<'/api/v01/auth/oidc'>> {
    return this.#signIn('oidc', body)
  }

  /** Signs in as the person of the browser's session cookie, after a sign-in by form. */
  exchange(): Promise<SignedIn<'/api/v01/auth/exchange'>> {
    return this.#signIn('exchange', {})
  }

  /**
   * Signs out in all tabs, and deletes the tokens and everything stored of the account except undelivered answers of
   * exams. False: the service could not be reached, so the session stays valid there until it expires.
   */
  async logout(): Promise<boolean> {
    await this.ready
    const owner = this.owner()
    if (!owner) return true
    let last = this.#grant as Grant
    this.#end('logout')
    this.#tabs.post({ ended: owner } satisfies SessionMessage)
    return this.#alone(async () => {
      await this.#update((stored) => {
        // Somebody may have signed in since, and another tab may have renewed the tokens.
        if (!isGrant(stored) || stored.stay !== owner.stay) return stored
        last = stored
        return undefined
      })
      await this.#wipe(cachesOf(owner))
      const answer = await this.#post('logout', { refresh_token: last.refreshToken }).catch(() => undefined)
      return answer?.status === 200
    })
  }

  /** The owner of a write that is made now; undefined if nobody is signed in, or if that isn't known yet. */
  owner(): Owner | undefined {
    return this.#grant && { userId: this.#grant.user.id, stay: this.#grant.stay }
  }

  /**
   * A valid access token of this owner; undefined if they are not signed in any more. `refused`: a token that the
   * service refused. Throws `Unreachable` if a new token is needed and the service can't be reached.
   */
  async token(owner: Owner, refused?: string): Promise<string | undefined> {
    await this.ready
    const grant = this.#grant
    if (!grant || grant.stay !== owner.stay) return undefined
    if (grant.accessToken !== refused && isFresh(grant, this.#platform.now())) return grant.accessToken
    this.#refreshing ??= this.#refresh(grant).finally(() => {
      this.#refreshing = undefined
    })
    const token = await this.#refreshing
    return this.#grant?.stay === owner.stay ? token : undefined
  }

  /** The access token if it is still valid, without waiting: for a page that is about to close. */
  tokenNow({ stay }: Owner): string | undefined {
    const grant = this.#grant
    return grant?.stay === stay && isFresh(grant, this.#platform.now()) ? grant.accessToken : undefined
  }

  close(): void {
    this.#tabs.close()
  }

  async #signIn<W extends Way>(way: W, body: object): Promise<SignedIn<AuthPath<W>>> {
    await this.ready
    const { status, body: answer } = await this.#getTokens(way, body)
    if (status >= 300) return { error: answer }
    const { data } = answer
    return this.#alone(async () => {
      const stored = await this.#stored()
      const before = isGrant(stored) ? ownerOf(stored) : (stored?.parked ?? this.owner())
      const stay = before && before.userId === data.user.id ? before.stay : this.#platform.uuid()
      const grant = toGrant(data, stay, this.#platform.now())
      await this.#keep(grant, () => true)
      await this.#wipe(CACHES, cachesOf(ownerOf(grant)))
      return { user: grant.user }
    })
  }

  #refresh(used: Grant): Promise<string | undefined> {
    return this.#alone(async () => {
      const stored = await this.#stored()
      if (!isGrant(stored) && this.#isStored) this.#end('elsewhere')
      // Signed out meanwhile, here or in another tab.
      if (!this.#grant) return undefined
      const grant = isGrant(stored) ? stored : this.#grant
      // Refreshed by another tab. The token itself doesn't show that: two of the same second are the same text.
      if (grant.expiresAt !== used.expiresAt && isFresh(grant, this.#platform.now())) {
        this.#adopt(grant)
        return grant.accessToken
      }
      const now = this.#platform.now()
      const rotate = Math.abs(now - grant.rotatedAt) > DAY_MS
      const answer = await this.#getTokens('refresh', { refresh_token: grant.refreshToken, rotate })
      this.#note('session.refresh', answer.status)
      if (this.#grant?.stay !== grant.stay) return undefined
      // While this tab was suspended, another one may have got new tokens, or somebody may have signed out or in.
      const isCurrent = (by: StoredSession) =>
        isGrant(by) ? by.refreshToken === grant.refreshToken : !by && !this.#isStored
      const { code, data } = answer.body
      if (code === EXPIRED) await this.#keep({ parked: ownerOf(grant) }, isCurrent)
      else if (!data) throw new Unreachable(`The session could not be refreshed (${answer.status})`)
      else {
        const { access_token, expires_in, refresh_token } = data
        const next: Grant = {
          ...grant,
          accessToken: access_token,
          ...expiryOf({ expires_in }, this.#platform.now()),
          ...(refresh_token ? { refreshToken: refresh_token, rotatedAt: now } : {}),
        }
        await this.#keep(next, isCurrent)
      }
      return this.#grant?.accessToken
    })
  }

  /** A success has tokens: anything else isn't the service's own. */
  async #getTokens(path: string, body: object): Promise<JsonAnswer> {
    const answer = await this.#post(path, body)
    if (answer.status < 300 && !answer.body.data?.access_token) throw foreign(answer.status)
    return answer
  }

  #post(path: string, body: object): Promise<JsonAnswer> {
    const request = jsonRequest('POST', `${this.#base}/${path}`, body)
    return send(this.#platform, request, TIMEOUT_MS).then(toJsonAnswer)
  }

  /**
   * Stores new tokens before they are used: a crash in between would lose a new refresh token. If something else is
   * stored by then, and `mayReplace` says so, that counts.
   */
  async #keep(next: Grant | ParkedOwner, mayReplace: (stored: StoredSession) => boolean): Promise<void> {
    let kept: StoredSession = next
    this.#isStored = await this.#update((stored) => {
      kept = mayReplace(stored) ? next : stored
      return kept
    })
    this.#take(kept)
    this.#tabs.post('changed' satisfies SessionMessage)
  }

  /** False if it failed; that is noted. */
  async #update(change: (stored: StoredSession) => StoredSession): Promise<boolean> {
    for (let tries = 1; tries <= TRIES; tries++)
      try {
        await this.#storage.update(KEY, (stored) => change(stored as StoredSession))
        return true
      } catch {}
    this.#note('session.not_kept')
    return false
  }

  #take(stored: StoredSession): void {
    if (isGrant(stored)) this.#adopt(stored)
    else this.#end(stored ? 'refused' : 'elsewhere')
  }

  #adopt(grant: Grant): void {
    const previous = this.#grant
    this.#grant = grant
    if (previous?.stay !== grant.stay || !this.#user.get()) this.#user.set(grant.user)
  }

  #end(why: string): void {
    if (this.#grant) this.#note('session.end', why)
    this.#grant = undefined
    this.#user.set(null)
  }

  #hear(message: SessionMessage): void {
    if (message === 'changed') return void this.#lookUp()
    if (this.#grant?.stay === message.ended.stay) this.#end('logout elsewhere')
    // Entries that this tab has written after the other one had deleted them.
    void this.#wipe(cachesOf(message.ended))
  }

  async #lookUp(): Promise<void> {
    const stored = await this.#stored()
    if (isGrant(stored) || this.#isStored || !this.#grant) {
      this.#isStored = isGrant(stored)
      this.#take(stored)
    }
  }

  /** What is stored; if that can't be read, what this tab has. */
  async #stored(): Promise<StoredSession> {
    for (let tries = 1; tries <= TRIES; tries++)
      try {
        return (await this.#storage.get(KEY)) as StoredSession
      } catch {}
    return this.#grant
  }

  async #wipe(prefix: string, except?: string): Promise<void> {
    try {
      for (const [key] of await this.#storage.list(prefix))
        if (except === undefined || !key.startsWith(except)) await this.#storage.delete(key)
    } catch {
      // Nobody else is shown them: each stay has its own keys.
      this.#note('session.not_wiped')
    }
  }
}

/** Who is signed in on this machine, if anybody: for a service worker, which works without a client. */
export async function storedOwner(store: Pick<Store, 'get'>): Promise<Owner | undefined> {
  const stored = (await store.get(KEY)) as StoredSession
  return isGrant(stored) ? ownerOf(stored) : undefined
}

function isGrant(stored: StoredSession): stored is Grant {
  return stored !== undefined && 'accessToken' in stored
}

function ownerOf({ user, stay }: Grant): Owner {
  return { userId: user.id, stay }
}
