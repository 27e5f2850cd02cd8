import { setTimeout as sleep } from 'node:timers/promises'
import { long } from '../show.ts'

export function redisFaults(): void {
  long('Redis flushed twenty times in 5 s (FLUSHALL)', async ({ redis }) => {
    for (let round = 0; round < 20; round++) {
      redis.flush()
      await sleep(250)
    }
    return performance.now()
  })

  long('Redis killed for 30 s, back empty', async ({ redis }) => {
    await redis.stop()
    await sleep(30_000)
    await redis.start()
    return performance.now()
  })

  long('Redis frozen for 10 s (half-open)', async ({ redis }) => {
    redis.freeze()
    await sleep(10_000)
    redis.thaw()
    return performance.now()
  })

  long('Redis restarted empty, five times', async ({ redis }) => {
    for (let round = 0; round < 5; round++) {
      await redis.stop()
      await redis.start()
      await sleep(500)
    }
    return performance.now()
  })
}
