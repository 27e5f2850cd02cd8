import { expect, test } from 'vitest'
import type { RateSlots } from '../../src/bus/rate-slots.ts'

export interface SlotsUnderTest {
  /** The slots of each node that shares them. */
  nodes: RateSlots[]
  /** Lets that many milliseconds pass. */
  pass(ms: number): Promise<void>
}

/** The guarantees of src/bus/rate-slots.ts. */
export function describeRateSlots(open: () => Promise<SlotsUnderTest>): void {
  const TTL_MS = 200

  test('of many takers at once, one gets the slot', async () => {
    const { nodes } = await open()
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        (nodes[n % nodes.length] as RateSlots).take('chat:1', `holder ${n}`, 60_000),
      ),
    )
    expect(results.filter(({ state }) => state === 'taken')).toHaveLength(1)
    expect(results.filter(({ state }) => state === 'refused')).toHaveLength(49)
  })

  test('says how long it stays taken, and recognises its holder', async () => {
    const { nodes } = await open()
    const [one, other] = [nodes[0] as RateSlots, nodes.at(-1) as RateSlots]
    expect(await one.take('chat:1', 'a', 60_000)).toEqual({ state: 'taken' })
    expect(await other.take('chat:1', 'a', 60_000)).toEqual({ state: 'held' })
    const refused = await other.take('chat:1', 'b', 60_000)
    expect(refused).toEqual({ state: 'refused', retryAfterMs: expect.any(Number) })
    const { retryAfterMs } = refused as { retryAfterMs: number }
    expect(retryAfterMs).toBeGreaterThan(50_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
    expect(await other.take('chat:2', 'b', 60_000)).toEqual({ state: 'taken' })
  })

  test('is released by its holder only', async () => {
    const { nodes } = await open()
    const [one, other] = [nodes[0] as RateSlots, nodes.at(-1) as RateSlots]
    await one.take('chat:1', 'a', 60_000)
    await other.release('chat:1', 'b')
    expect(await other.take('chat:1', 'b', 60_000)).toMatchObject({ state: 'refused' })
    await other.release('chat:1', 'a')
    expect(await other.take('chat:1', 'b', 60_000)).toEqual({ state: 'taken' })
  })

  test('is free again after its time, and its former holder can’t release the next holder’s', async () => {
    const { nodes, pass } = await open()
    const [one, other] = [nodes[0] as RateSlots, nodes.at(-1) as RateSlots]
    await one.take('chat:1', 'a', TTL_MS)
    await pass(TTL_MS + 1)
    // The clocks of this process and Redis differ by a millisecond or two.
    await expect.poll(() => other.take('chat:1', 'b', 60_000), { interval: 5 }).toEqual({ state: 'taken' })
    await one.release('chat:1', 'a')
    expect(await one.take('chat:1', 'c', 60_000)).toMatchObject({ state: 'refused' })
  })

  test('without an interval nobody waits', async () => {
    const { nodes } = await open()
    const [slots] = nodes as [RateSlots]
    expect(await slots.take('chat:1', 'a', 0)).toEqual({ state: 'taken' })
    expect(await slots.take('chat:1', 'b', 0)).toEqual({ state: 'taken' })
  })
}
