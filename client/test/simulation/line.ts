import type { PlatformSocket } from '../../src/index.ts'
import type { Tab } from './world.ts'

/** A WebSocket with the network between its ends: what one end sends arrives late, in order, or never. */
export class Line {
  readonly tab: Tab
  readonly token: string
  /** The page's end. */
  readonly socket: PlatformSocket
  /** The service's end: what it does with a text, and when it learns that the line is gone. */
  take: (text: string) => void = () => {}
  ended: () => void = () => {}
  /** Nothing passes any more, and nobody is told. */
  #isDead = false
  #isOver = false
  #arrival = 0

  constructor(tab: Tab, protocols: string[]) {
    this.tab = tab
    this.token = (protocols[1] ?? '').replace('bearer.', '')
    this.socket = {
      onmessage: null,
      onclose: null,
      onerror: null,
      send: (text) => this.#pass(() => this.take(text)),
      close: () => this.#end(),
    }
  }

  /** The service sends something. */
  tell(frame: object): void {
    const data = JSON.stringify(frame)
    this.#pass(() => this.tab.hand(() => this.socket.onmessage?.({ data })))
  }

  /** The service, its node's end, or the network closes it. */
  close(code: number): void {
    if (this.#isDead) return
    const { socket, tab } = this
    this.#pass(() => tab.hand(() => socket.onclose?.({ code })))
    this.#end()
  }

  /** The service learns that the page's end is gone. */
  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#after(() => this.ended())
  }

  #pass(arrive: () => void): void {
    const { network } = this.tab.machine
    // Whoever was connected to a network that is gone finds out by themselves, if at all.
    this.#isDead ||= network.isHalfOpen || !network.isUp
    if (!this.#isDead && !this.#isOver) this.#after(arrive)
  }

  #after(run: () => void): void {
    const { world, network } = this.tab.machine
    this.#arrival = Math.max(this.#arrival, world.now + network.ms * (0.5 + world.random()))
    world.after(this.#arrival - world.now, run)
  }
}
