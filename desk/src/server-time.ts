import { ServerClock } from '@exam-practice/client/exam'
import { client } from './client.ts'

let clock = new ServerClock(client.platform)

/** The service's time in milliseconds since the epoch: this device's clock may be wrong. */
export function serverNow(): number {
  return clock.now()
}

/**
 * Goes on from the last known difference to this device's clock, and corrects it by what the service says. Returns a
 * function that ends this.
 */
export function watchServerTime(): () => void {
  const { platform, storage } = client
  void ServerClock.open(platform, storage).then((kept) => {
    if (!clock.isDoubtful) kept.set(new Date(clock.now()).toISOString(), platform.now())
    clock = kept
  })
  // Answers say no part of the second, and may have been long on their way: they count until the socket tells.
  const dates = {
    onResponse({ response }: { response: Response }) {
      const date = Date.parse(response.headers.get('date') ?? '')
      if (clock.isDoubtful && !Number.isNaN(date))
        clock.set(new Date(date + 500).toISOString(), platform.now())
    },
  }
  client.use(dates)
  const end = client.live.listen((frame) => {
    if (frame.type === 'ready') clock.set(frame.server_time, platform.now())
  })
  return () => {
    client.eject(dates)
    end()
  }
}
