/**
 * The system's clock as this process sees it, which a message of the process that started it sets off by so many
 * milliseconds. Loaded before everything else: timers and `performance.now()` go on, as they do on a machine whose
 * clock is set.
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
