import { atom, type ReadableAtom } from 'nanostores'
import type { Note } from '../diagnostics.ts'
import type { Failure, paths } from '../generated/openapi.ts'
import { type JsonAnswer, jsonRequest, send, toJsonAnswer, Unreachable } from '../http/request.ts'
import type { Channel, Platform } from '../platform.ts'
import { createMutex, openChannel } from '../tabs.ts'
import { expiryOf, type Grant, isFresh, toGrant, type User } from './grant.ts'

const KEY = 'session'
/** A logout deletes the entries below this key, by account. */
export const CACHES = 'cache/'
const TIMEOUT_MS = 15_000
const DAY_MS = 24 * 60 * 60 * 1_000

type Way = 'login' | 'register' | 'google' | 'exchange'
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
 * Owns the tokens, for HTTP and the socket, in all tabs. The tab that first needs a new access token gets it under a
 * lock, and the others find it in the store.
 *
 * The refresh token is exchanged for a new one only once a day. If the answer to an exchange is lost, it can be
 * repeated within 30 seconds; without a network for longer than that, the person would be signed out, perhaps in an
 * exam. A refresh that keeps the refresh token has no such risk.
 */
export class Session {
  /** undefined until the store has been read; null: nobody is signed in. */
  readonly $user: ReadableAtom<User | null | undefined>
  readonly #user = atom<User | null | undefined>(undefined)
  readonly #platform: Platform
  readonly #base: string
  readonly #note: Note
  readonly #alone: <T>(work: () => Promise<T>) => Promise<T>
  readonly #tabs: Channel
  #grant: Grant | undefined
  #refreshing: Promise<string | undefined> | undefined
  readonly #restored: Promise<void>

  constructor(platform: Platform, baseUrl: string, note: Note) {
    this.$user = this.#user
    this.#platform = platform
    this.#base = `${baseUrl}/api/v01/auth`
    this.#note = note
    const name = `exam-practice:${baseUrl}:session`
    this.#alone = createMutex(platform.locks, name)
    const look = () => void this.#lookUp()
    this.#tabs = openChannel(platform, name, (message) => this.#hear(message), look)
    this.#restored = this.#lookUp()
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

  /** Signs in as the person of the browser's session cookie, after a sign-in by form. */
  exchange(): Promise<SignedIn<'/api/v01/auth/exchange'>> {
    return this.#signIn('exchange', {})
  }

  /**
   * Signs out in all tabs, and deletes the tokens and everything stored of the account except undelivered answers of
   * exams. False: the service could not be reached, so the session stays valid there until it expires.
   */
  async logout(): Promise<boolean> {
    await this.#restored
    const ended = this.#grant
    this.#end('logout')
    this.#tabs.post('logout')
    return this.#alone(async () => {
      const kept = ((await this.#kept()) ?? ended) as Grant | undefined
      await this.#platform.store.delete(KEY)
      await this.#wipe()
      if (!kept) return true
      const answer = await this.#post('logout', { refresh_token: kept.refreshToken }).catch(() => undefined)
      return answer?.status === 200
    })
  }

  /**
   * A valid access token; undefined: nobody is signed in. `refused`: a token that the service refused. Throws
   * `Unreachable` if a new token is needed and the service can't be reached.
   */
  async token(refused?: string): Promise<string | undefined> {
    await this.#restored
    const grant = this.#grant
    if (!grant) return undefined
    if (grant.accessToken !== refused && isFresh(grant, this.#platform.now())) return grant.accessToken
    this.#refreshing ??= this.#refresh(grant).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** The access token if it is still valid, without waiting: for a page that is about to close. */
  tokenNow(): string | undefined {
    return this.#grant && isFresh(this.#grant, this.#platform.now()) ? this.#grant.accessToken : undefined
  }

  close(): void {
    this.#tabs.close()
  }

  async #signIn<W extends Way>(way: W, body: object): Promise<SignedIn<AuthPath<W>>> {
    await this.#restored
    const answer = await this.#post(way, body)
    if (answer.status >= 300) return { error: answer.body }
    const grant = toGrant(answer.body.data, this.#platform.now())
    await this.#alone(async () => {
      if (this.#grant?.user.id !== grant.user.id) await this.#wipe(`${CACHES}${grant.user.id}/`)
      await this.#keep(grant)
    })
    return { user: grant.user }
  }

  #refresh(used: Grant): Promise<string | undefined> {
    return this.#alone(async () => {
      const kept = await this.#kept()
      const grant = kept ?? this.#grant
      // Signed out meanwhile, here or in another tab.
      if (!this.#grant || !grant) return undefined
      // Refreshed by another tab. The token itself doesn't show that: two of the same second are the same text.
      if (grant.expiresAt !== used.expiresAt && isFresh(grant, this.#platform.now())) {
        this.#adopt(grant)
        return grant.accessToken
      }
      const now = this.#platform.now()
      const rotate = Math.abs(now - grant.rotatedAt) > DAY_MS
      const answer = await this.#post('refresh', { refresh_token: grant.refreshToken, rotate })
      this.#note('session.refresh', answer.status)
      if (!this.#grant) return undefined
      if (answer.status === 401) {
        await this.#platform.store.delete(KEY)
        this.#end('refused')
        this.#tabs.post('changed')
        return undefined
      }
      if (answer.status !== 200)
        throw new Unreachable(`The session could not be refreshed (${answer.status})`)
      const { access_token, expires_in, refresh_token } = answer.body.data
      await this.#keep({
        ...grant,
        accessToken: access_token,
        ...expiryOf({ expires_in }, this.#platform.now()),
        ...(refresh_token ? { refreshToken: refresh_token, rotatedAt: now } : {}),
      })
      return access_token
    })
  }

  #post(path: string, body: object): Promise<JsonAnswer> {
    const request = jsonRequest('POST', `${this.#base}/${path}`, body)
    return send(this.#platform, request, TIMEOUT_MS).then(toJsonAnswer)
  }

  /** Stores new tokens before they are used: a crash in between would lose a new refresh token. */
  async #keep(grant: Grant): Promise<void> {
    await this.#platform.store.set(KEY, grant).catch(() => this.#note('session.not_kept'))
    this.#adopt(grant)
    this.#tabs.post('changed')
  }

  #adopt(grant: Grant): void {
    const previous = this.#grant
    this.#grant = grant
    if (previous?.user.id !== grant.user.id || !this.#user.get()) this.#user.set(grant.user)
  }

  #end(why: string): void {
    if (this.#grant) this.#note('session.end', why)
    this.#grant = undefined
    this.#user.set(null)
  }

  #hear(message: unknown): void {
    if (message === 'logout') {
      this.#end('logout elsewhere')
      // Entries that this tab has written after the other one had deleted them.
      void this.#wipe().catch(() => {})
    } else void this.#lookUp()
  }

  async #lookUp(): Promise<void> {
    const kept = await this.#kept()
    if (kept) this.#adopt(kept)
    else this.#end('elsewhere')
  }

  async #kept(): Promise<Grant | undefined> {
    try {
      return (await this.#platform.store.get(KEY)) as Grant | undefined
    } catch {
      return this.#grant
    }
  }

  async #wipe(except?: string): Promise<void> {
    const { store } = this.#platform
    for (const [key] of await store.list(CACHES))
      if (except === undefined || !key.startsWith(except)) await store.delete(key)
  }
}
