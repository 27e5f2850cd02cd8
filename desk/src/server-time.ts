import { client } from './client.ts'
import { lookForUnderWay } from './under-way.ts'

/** How often it is looked whether this device's clocks still agree. */
const LOOK_EVERY_MS = 5_000

/** The service's time in milliseconds since the epoch: this device's clock may be wrong. */
export function serverNow(): number {
  return client.clock.now()
}

/** Asks the service whenever its time is in doubt: each answer says it. Returns a function that ends this. */
export function watchServerTime(): () => void {
  const timer = setInterval(() => {
    if (client.clock.isDoubtful) void lookForUnderWay()
  }, LOOK_EVERY_MS)
  return () => clearInterval(timer)
}
