import '../support/no-browser.ts'
import type { Channel, LifeEvent, Locks, Platform, Store } from '../../src/index.ts'
import { PROXIES, type ProxyAnswer, proxyPage } from './cluster.ts'
import { Line } from './line.ts'

/** Pseudo-random numbers in [0, 1), the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Timer {
  at: number
  run: () => void
}

/** A world whose time passes only when a test says so, and in which nothing else is left to chance. */
export class World {
  now = Date.UTC(2026, 10, 20)
  readonly random: () => number
  #timers: Timer[] = []
  #count = 0

  constructor(seed = 1) {
    this.random = random(seed)
  }

  /** How many wait. */
  get timers(): number {
    return this.#timers.length
  }

  id(): string {
    this.#count += 1
    return `id-${String(this.#count).padStart(6, '0')}`
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.now + Math.max(0, ms), run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  /** Lets time pass, and everything happen that happens in it. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    await settle()
    for (;;) {
      let next: Timer | undefined
      for (const timer of this.#timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer
      if (!next) break
      this.#timers.splice(this.#timers.indexOf(next), 1)
      this.now = Math.max(this.now, next.at)
      next.run()
      await settle()
    }
    this.now = until
  }

  /** Lets time pass until something holds. */
  async until(holds: () => unknown, mostMs = 120_000, stepMs = 50): Promise<void> {
    for (let passed = 0; !holds(); passed += stepMs) {
      if (passed > mostMs) throw new Error(`It never came about: ${holds}`)
      await this.pass(stepMs)
    }
  }
}

/** Lets all promises run that wait for nothing but each other. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round++) await new Promise((resolve) => setImmediate(resolve))
}

/** Answers a request; `form` is its body, where it is one. */
type Serve = (request: Request, form?: FormData) => Promise<Response>

export type StoreFault = 'fail' | 'tear' | 'hang'

/** A machine: what its tabs share. */
export class Machine {
  readonly world: World
  readonly entries = new Map<string, unknown>()
  readonly tabs = new Set<Tab>()
  readonly locks = new LockTable()
  /** What the next uses of the store do; `tear`: it is done, but fails. */
  readonly storeFaults: StoreFault[] = []
  /** Each use of the store fails. */
  isFull = false
  storeMs = 1
  /** Its pages may keep nothing, and know nothing of one another, as in a sandboxed frame. */
  deniesStorage = false
  /** How far its clock is off. */
  skewMs = 0
  network: Network = goodNetwork()
  serve: Serve
  /** Who takes its WebSockets; left out: nobody answers. */
  readonly #accept: (line: Line) => void
  readonly lines = new Set<Line>()

  constructor(world: World, serve: Serve, accept: (line: Line) => void = () => {}) {
    this.world = world
    this.serve = serve
    this.#accept = accept
  }

  open(line: Line): void {
    const { network, world } = this
    this.lines.add(line)
    world.after(network.ms * (0.5 + world.random()), () => {
      if (network.blocksSockets || !network.isUp) line.close(1006)
      else if (!network.isHalfOpen) this.#accept(line)
    })
  }

  /** Its WebSockets are cut. */
  cut(): void {
    for (const line of this.lines) line.close(1006)
    this.lines.clear()
  }

  /** The lines of a tab that is gone. */
  drop(tab: Tab): void {
    for (const line of this.lines)
      if (line.tab === tab) {
        this.lines.delete(line)
        line.socket.close()
      }
  }
}

export type NetworkFault = 'lose request' | 'lose answer' | 'hold' | 'cut short' | 'busy' | ProxyAnswer

export interface Network {
  isUp: boolean
  /** A proxy lets no WebSocket through. */
  blocksSockets: boolean
  /** Requests leave, and nothing ever comes back. */
  isHalfOpen: boolean
  ms: number
  /** A proxy lets no larger body through. */
  mostBytes: number
  /** What happens to the next requests. */
  next: NetworkFault[]
}

export function goodNetwork(): Network {
  return {
    isUp: true,
    blocksSockets: false,
    isHalfOpen: false,
    mostBytes: Number.POSITIVE_INFINITY,
    ms: 20,
    next: [],
  }
}

interface Held {
  tab: Tab
  end: () => void
  steal: (error: Error) => void
}

/** Web Locks of one machine. */
class LockTable {
  readonly held = new Map<string, Held>()
  readonly waiting: { name: string; tab: Tab; grant: () => void }[] = []

  request<T>(
    tab: Tab,
    name: string,
    { steal, ifAvailable, signal }: Parameters<Locks['request']>[1],
    work: (lock: unknown) => Promise<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const grant = () => {
        const held: Held = { tab, end: () => this.release(name, held), steal: reject }
        this.held.set(name, held)
        tab.hand(() => {
          if (this.held.get(name) !== held) return
          Promise.resolve(work({ name })).then(resolve, reject).finally(held.end)
        })
      }
      const holder = this.held.get(name)
      if (holder && steal) {
        this.held.delete(name)
        holder.tab.hand(() => holder.steal(new DOMException('stolen', 'AbortError')))
        return grant()
      }
      const isFirst = !holder && !this.waiting.some((each) => each.name === name)
      if (isFirst) return grant()
      if (ifAvailable) return tab.hand(() => work(null).then(resolve, reject))
      const entry = { name, tab, grant }
      this.waiting.push(entry)
      signal?.addEventListener('abort', () => {
        if (!this.waiting.includes(entry)) return
        this.waiting.splice(this.waiting.indexOf(entry), 1)
        tab.hand(() => reject(signal.reason))
      })
    })
  }

  release(name: string, held: Held): void {
    if (this.held.get(name) !== held) return
    this.held.delete(name)
    const at = this.waiting.findIndex((each) => each.name === name)
    if (at >= 0) this.waiting.splice(at, 1)[0]?.grant()
  }

  /** A tab is gone. */
  drop(tab: Tab): void {
    for (const each of this.waiting.filter((one) => one.tab === tab))
      this.waiting.splice(this.waiting.indexOf(each), 1)
    for (const held of [...this.held.values()]) if (held.tab === tab) held.end()
  }
}

/** A page. While it is frozen nothing reaches it; once it is dead nothing ever does. */
export class Tab {
  readonly machine: Machine
  isFrozen = false
  isDead = false
  isVisible = true
  /** It is in the back/forward cache. */
  #isAway = false
  #queue: (() => void)[] = []
  readonly #watchers = new Set<(event: LifeEvent) => void>()
  readonly #channels = new Set<{ name: string; take: (message: unknown) => void }>()

  constructor(machine: Machine) {
    this.machine = machine
    machine.tabs.add(this)
  }

  hand(run: () => void): void {
    if (this.isDead) return
    if (this.isFrozen) this.#queue.push(run)
    else run()
  }

  tell(event: LifeEvent): void {
    for (const each of [...this.#watchers]) each(event)
  }

  hide(): void {
    this.isVisible = false
    this.tell('hide')
  }

  show(): void {
    this.isVisible = true
    this.tell('wake')
  }

  /** The system stops it where it is; it keeps its locks. */
  freeze(): void {
    this.isFrozen = true
  }

  thaw(): void {
    this.isFrozen = false
    for (const run of this.#queue.splice(0)) this.hand(run)
  }

  /** Into the back/forward cache, which takes no page that holds a lock. */
  leave(): void {
    this.hide()
    this.tell('leave')
    this.#isAway = true
    this.freeze()
    this.machine.locks.drop(this)
  }

  comeBack(): void {
    this.thaw()
    if (this.#isAway) this.tell('return')
    this.#isAway = false
    this.show()
  }

  die(): void {
    this.isDead = true
    this.#queue = []
    this.#channels.clear()
    this.machine.tabs.delete(this)
    this.machine.locks.drop(this)
    this.machine.drop(this)
  }

  platform(): Platform {
    const { machine } = this
    const { world } = machine
    return {
      fetch: (request) => this.#fetch(request),
      openSocket: (_, protocols) => {
        const line = new Line(this, protocols)
        machine.open(line)
        return line.socket
      },
      upload: ({ url, method, headers }, _, form) => this.#fetch(new Request(url, { method, headers }), form),
      store: machine.deniesStorage ? DENIED_STORE : this.#store(),
      now: () => world.now + machine.skewMs,
      steady: () => world.now,
      random: world.random,
      uuid: () => world.id(),
      after: (ms, run) => world.after(ms, () => this.hand(run)),
      isVisible: () => this.isVisible,
      locks: {
        request: (name, options, work) =>
          machine.deniesStorage ? Promise.reject(denied()) : machine.locks.request(this, name, options, work),
      },
      openChannel: (name, take) => {
        if (machine.deniesStorage) throw denied()
        return this.#openChannel(name, take)
      },
      watch: (tell) => {
        this.#watchers.add(tell)
        return () => this.#watchers.delete(tell)
      },
    }
  }

  #openChannel(name: string, take: (message: unknown) => void): Channel {
    const channel = { name, take }
    this.#channels.add(channel)
    return {
      post: (message) => {
        const copy = structuredClone(message)
        for (const tab of this.machine.tabs)
          for (const each of tab.#channels)
            if (each !== channel && each.name === name)
              this.machine.world.after(1, () =>
                tab.hand(() => tab.#channels.has(each) && each.take(structuredClone(copy))),
              )
      },
      close: () => this.#channels.delete(channel),
    }
  }

  /** Each use is atomic, and takes a while before and after it. A tab that dies meanwhile may have made it. */
  #store(): Store {
    const { machine } = this
    const { entries, world } = machine
    const use = <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        const fault = machine.isFull ? 'fail' : machine.storeFaults.shift()
        world.after(machine.storeMs * world.random(), () => {
          if (this.isDead || fault === 'hang') return
          if (fault === 'fail') return this.hand(() => reject(new Error('The disk is full')))
          const result = work()
          const tell = () => (fault === 'tear' ? reject(new Error('Was it done?')) : resolve(result))
          world.after(machine.storeMs * world.random(), () => this.hand(tell))
        })
      })
    const read = (key: string) => structuredClone(entries.get(key))
    return {
      get: (key) => use(() => read(key)),
      set: (key, value) => use(() => void entries.set(key, structuredClone(value))),
      delete: (key) => use(() => void entries.delete(key)),
      update: (key, change) =>
        use(() => {
          const value = change(read(key))
          if (value === undefined) entries.delete(key)
          else entries.set(key, structuredClone(value))
        }),
      list: (prefix) =>
        use(() =>
          [...entries.keys()]
            .filter((key) => key.startsWith(prefix))
            .sort()
            .map((key) => [key, read(key)] as [string, unknown]),
        ),
    }
  }

  #fetch(request: Request, form?: FormData): Promise<Response> {
    const { network, world } = this.machine
    return new Promise((resolve, reject) => {
      const fault = network.next.shift()
      const pause = () => network.ms * (0.5 + world.random())
      const fail = () => this.hand(() => reject(new TypeError('fetch failed')))
      const answer = (response: Response | Promise<Response>) =>
        this.hand(() => Promise.resolve(response).then(resolve, reject))
      if (!network.isUp || fault === 'lose request') return void world.after(pause(), fail)
      const [kind = '', status] = fault?.split(' ') ?? []
      if (kind in PROXIES)
        return void world.after(pause(), () => answer(PROXIES[kind as keyof typeof PROXIES](Number(status))))
      if (fault === 'busy') return void world.after(pause(), () => answer(busy()))
      const held = fault === 'hold' ? 3_000 + world.random() * 20_000 : 0
      const isLost = network.isHalfOpen
      const copy = request.clone() as Request
      const isTooLarge = async () =>
        network.mostBytes < Number.POSITIVE_INFINITY &&
        ((await copy.clone().text()) as string).length > network.mostBytes
      const serve = async () => ((await isTooLarge()) ? proxyPage(413) : this.machine.serve(copy, form))
      world.after(pause() + held, () => {
        if (isLost) return
        const response = serve()
        world.after(pause(), () => {
          if (fault === 'lose answer') fail()
          else if (fault === 'cut short') answer(response.then(cutShort))
          else answer(response)
        })
      })
    })
  }
}

const denied = () => new DOMException('Storage is denied', 'SecurityError')
const deny = () => {
  throw denied()
}
const DENIED_STORE: Store = { get: deny, set: deny, delete: deny, list: deny, update: deny }

function busy(): Response {
  const body = { success: false, code: 'unavailable', message: '', retry_after: 1 }
  const headers = { 'content-type': 'application/json', 'x-request-id': 'busy', 'retry-after': '1' }
  return new Response(JSON.stringify(body), { status: 503, headers })
}

async function cutShort(response: Response): Promise<Response> {
  const text = await response.text()
  return new Response(text.slice(0, text.length / 2), { status: response.status, headers: response.headers })
}
