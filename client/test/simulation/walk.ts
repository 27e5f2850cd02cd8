import type { App } from './app.ts'
import { Cluster, PROXY_ANSWERS } from './cluster.ts'
import type { Service } from './service.ts'
import { goodNetwork, Machine, type NetworkFault, random, type StoreFault, World } from './world.ts'

/** What somebody does, or what happens; `dice` decides to whom and how. */
export interface Step {
  name: string
  dice: number[]
}

/** A kind of step, with its weight in the random choice. */
export type Kind<W> = [weight: number, name: string, act: (walk: W, dice: number[]) => void]

const NETWORK_FAULTS: NetworkFault[] = ['lose request', 'lose answer', 'hold', 'cut short', 'busy']
const STORE_FAULTS: StoreFault[] = ['fail', 'tear', 'hang']

/** The machine whose pages may store nothing. */
const DENIED = 2
/** The longest body that the service takes. */
const LONGEST = 3_000

/** Makes a few texts so long that the service, or a proxy, takes them only alone, or not at all. */
export function lengthen(text: string, count: number): string {
  return text.padEnd(count % 23 === 0 ? LONGEST : count % 5 === 0 ? LONGEST / 10 : 0, '-')
}

export function isTooLong(text: string | null): boolean {
  return (text?.length ?? 0) >= LONGEST
}

/** One walk: people with their machines on a service of two nodes, and what has to hold whatever happens. */
export abstract class Walk<P extends App = App, S extends Service = Service> {
  readonly world: World
  readonly service: S
  readonly cluster: Cluster
  readonly machines: Machine[]
  readonly pages: P[] = []
  readonly violations: string[] = []

  constructor(seed: number, start: (world: World) => S) {
    this.world = new World(seed)
    this.service = start(this.world)
    this.cluster = new Cluster(this.world, this.service)
    this.service.longest = LONGEST
    this.machines = [0, 1, 2].map(() => new Machine(this.world, this.cluster.serve, this.cluster.accept))
    Object.assign(this.machines[DENIED] as Machine, { deniesStorage: true })
  }

  /** What people do here. */
  protected abstract kinds(): Kind<this>[]
  protected abstract open(machine: number, person: number): void
  /** What has to hold at every moment. */
  protected abstract check(): void
  /** What has to come about once the networks work, though stores still fail. */
  protected async checkHealed(): Promise<void> {}
  /** What has to hold once all faults have ended. */
  protected abstract checkEnd(): Promise<void>
  /** How much was done, of which kinds. */
  abstract summary(): Record<string, number>

  steps(seed: number, count: number): Step[] {
    const next = random(seed)
    const kinds = this.#allKinds()
    const total = kinds.reduce((sum, [weight]) => sum + weight, 0)
    return Array.from({ length: count }, () => {
      let at = next() * total
      const found = kinds.find(([weight]) => {
        at -= weight
        return at < 0
      })
      return { name: found?.[1] ?? '', dice: [next(), next(), next()] }
    })
  }

  /** What was violated; empty if all went well. */
  async run(steps: Step[]): Promise<string[]> {
    const kinds = new Map(this.#allKinds().map(([, name, act]) => [name, act]))
    for (const number of [0, 1]) this.open(number, 1)
    await this.world.pass(3_000)
    for (const { name, dice } of steps) {
      const [first = 0, , third = 0] = dice
      kinds.get(name)?.(this, dice)
      await this.world.pass(third * 120 + first * (PAUSES[name] ?? 0))
      this.check()
      if (this.violations.length > 0) return this.violations
    }
    this.#healNetworks()
    await this.checkHealed()
    this.#healStores()
    await this.checkEnd()
    return this.violations
  }

  signOut({ client }: P): void {
    void client.session.logout().catch(() => {})
  }

  /** A page that is not closed. */
  page(dice: number): P | undefined {
    const alive = this.pages.filter(({ tab }) => !tab.isDead)
    return alive[Math.floor(dice * alive.length)]
  }

  machine(dice: number): Machine {
    return this.machines[Math.floor(dice * this.machines.length)] as Machine
  }

  openTab(dice: number, person: number): void {
    const number = Math.floor(dice * this.machines.length)
    // Where storage is denied, tabs know nothing of one another: they would be machines of their own.
    const most = number === DENIED ? 1 : 3
    if ((this.machines[number]?.tabs.size ?? 0) < most) this.open(number, number === 0 ? person : 1)
  }

  #healNetworks(): void {
    for (const machine of this.machines) machine.network = goodNetwork()
    this.cluster.start()
  }

  #healStores(): void {
    for (const machine of this.machines) {
      Object.assign(machine, { isFull: false, storeMs: 1, skewMs: 0 })
      machine.storeFaults.length = 0
    }
  }

  #allKinds(): Kind<this>[] {
    return [...this.kinds(), ...FATE]
  }
}

/** What fate needs of a walk. */
interface Fated {
  pages: App[]
  cluster: Cluster
  page(dice: number): App | undefined
  machine(dice: number): Machine
  openTab(dice: number, person: number): void
  signOut(page: App): void
}
type Act = Kind<Fated>[2]

/** Does something in a page that isn't frozen. */
export function inPage<P extends App>(
  act: (page: P, dice: number) => void,
): Kind<{ page(dice: number): P | undefined }>[2] {
  return (walk, [which = 0, dice = 0]) => {
    const page = walk.page(which)
    if (page && !page.tab.isFrozen) act(page, dice)
  }
}

const onMachine =
  (act: (machine: Machine, dice: number) => void): Act =>
  (walk, [which = 0, dice = 0]) =>
    act(walk.machine(which), dice)

export const pick = <T>(items: readonly T[], dice: number): T => items[Math.floor(dice * items.length)] as T

/** What happens to pages, machines and the service. */
const FATE: Kind<Fated>[] = [
  [4, 'new tab', (walk, [which = 0, dice = 0]) => walk.openTab(which, dice < 0.8 ? 1 : 2)],
  [3, 'crash', (walk, [which = 0]) => walk.page(which)?.tab.die()],
  [8, 'hide', inPage(({ tab }) => tab.hide())],
  [8, 'show', inPage(({ tab }) => tab.show())],
  [4, 'suspend', inPage(({ tab }) => tab.freeze())],
  [4, 'leave', inPage(({ tab }) => tab.leave())],
  [
    10,
    'come back',
    ({ pages }, [which = 0]) => {
      const frozen = pages.filter(({ tab }) => tab.isFrozen && !tab.isDead)
      pick(frozen, which)?.tab.comeBack()
    },
  ],
  [
    1,
    'sign out',
    (walk, [which = 0]) => {
      const page = walk.page(which)
      if (page && !page.tab.isFrozen) walk.signOut(page)
    },
  ],
  [
    7,
    'fault of the network',
    onMachine(({ network }, dice) => network.next.push(pick(NETWORK_FAULTS, dice))),
  ],
  [7, 'a proxy answers', onMachine(({ network }, dice) => network.next.push(pick(PROXY_ANSWERS, dice)))],
  [2, 'a proxy refuses large bodies', onMachine(({ network }) => Object.assign(network, { mostBytes: 600 }))],
  [
    3,
    'a proxy takes large bodies',
    onMachine(({ network }) => Object.assign(network, { mostBytes: Number.POSITIVE_INFINITY })),
  ],
  [4, 'offline', onMachine(({ network }) => Object.assign(network, { isUp: false }))],
  [2, 'half open', onMachine(({ network }) => Object.assign(network, { isHalfOpen: true }))],
  [3, 'cut', onMachine((machine) => machine.cut())],
  [
    2,
    'no sockets',
    onMachine((machine) => {
      machine.network.blocksSockets = true
      machine.cut()
    }),
  ],
  [
    8,
    'online',
    onMachine(({ network }) =>
      Object.assign(network, { isUp: true, isHalfOpen: false, blocksSockets: false }),
    ),
  ],
  [
    4,
    'speed of the network',
    onMachine(({ network }, dice) => Object.assign(network, { ms: pick([5, 50, 400, 2_000], dice) })),
  ],
  [6, 'fault of the store', onMachine(({ storeFaults }, dice) => storeFaults.push(pick(STORE_FAULTS, dice)))],
  [2, 'full disk', onMachine((machine) => Object.assign(machine, { isFull: true }))],
  [5, 'room on the disk', onMachine((machine) => Object.assign(machine, { isFull: false }))],
  [
    3,
    'speed of the store',
    onMachine((machine, dice) => Object.assign(machine, { storeMs: pick([1, 30, 300], dice) })),
  ],
  [
    2,
    'clock',
    onMachine((machine, dice) => Object.assign(machine, { skewMs: (dice - 0.5) * 4 * 3_600_000 })),
  ],
  [3, 'a node is killed', ({ cluster }, [which = 0]) => cluster.kill(which < 0.5 ? 0 : 1)],
  [4, 'nodes start', ({ cluster }) => cluster.start()],
  [14, 'a moment', () => {}],
  [4, 'a while', () => {}],
  [1, 'a long time', () => {}],
]
/** How long, at most, nothing else happens then. */
const PAUSES: Record<string, number> = { 'a moment': 2_000, 'a while': 20_000, 'a long time': 15 * 60_000 }
