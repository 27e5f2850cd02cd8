import { client } from './client.ts'

/** The service's time in milliseconds since the epoch: this device's clock may be wrong. */
export function serverNow(): number {
  return client.clock.now()
}
