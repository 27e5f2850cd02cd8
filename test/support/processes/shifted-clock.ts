/**
 * Shifts the clock of this process by the milliseconds that a message of its parent says. Loaded before everything
 * else. Timers and `performance.now()` don't change, as on a machine whose clock is set.
 */
const System = Date
let shift = 0

class ShiftedDate extends System {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(System.now() + shift)
    else super(...(given as [number]))
  }

  static override now(): number {
    return System.now() + shift
  }
}
globalThis.Date = ShiftedDate as DateConstructor

process.on('message', (milliseconds: number) => {
  shift = milliseconds
  process.send?.(milliseconds)
})
process.channel?.unref()

export {}
