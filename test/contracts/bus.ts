import { expect, test } from 'vitest'
import type { Bus } from '../../src/bus/bus.ts'
import type { UserEvent } from '../../src/bus/events.ts'

/** The guarantees of src/bus/bus.ts. `open` gives the buses of as many nodes as the implementation can connect. */
export function describeBus(open: () => Promise<Bus[]>): void {
  const joined = (conversationId: number): UserEvent => ({ kind: 'conversation', conversationId })
  const heardOn = (bus: Bus) => {
    const heard: UserEvent[] = []
    return { heard, subscription: bus.subscribe('user:1', (event) => heard.push(event)) }
  }

  test('has called the listeners of its own node when publish returns', async () => {
    const [bus] = (await open()) as [Bus]
    const one = heardOn(bus)
    const other = heardOn(bus)
    bus.publish('user:1', joined(1))
    expect([one.heard, other.heard]).toEqual([[joined(1)], [joined(1)]])
  })

  test('gives every node each event once and in order', async () => {
    const buses = await open()
    const listeners = buses.map(heardOn)
    await Promise.all(listeners.map(({ subscription }) => subscription.ready))
    const count = 200
    for (let n = 1; n <= count; n++) (buses[0] as Bus).publish('user:1', joined(n))
    const all = Array.from({ length: count }, (_, n) => joined(n + 1))
    for (const { heard } of listeners) await expect.poll(() => heard.length).toBeGreaterThanOrEqual(count)
    // When every node has answered, a repeated event would have arrived.
    for (const bus of buses) await bus.ping()
    for (const { heard } of listeners) expect(heard).toEqual(all)
  })

  test('a listener hears only its own topic, and only while subscribed', async () => {
    const buses = await open()
    const publisher = buses[0] as Bus
    const listener = buses.at(-1) as Bus
    const { heard, subscription } = heardOn(listener)
    const later = heardOn(listener)
    await Promise.all([subscription.ready, later.subscription.ready])
    publisher.publish('user:2', joined(1))
    publisher.publish('user:1', joined(2))
    await expect.poll(() => later.heard).toEqual([joined(2)])
    subscription.close()
    subscription.close()
    publisher.publish('user:1', joined(3))
    await expect.poll(() => later.heard).toEqual([joined(2), joined(3)])
    expect(heard).toEqual([joined(2)])

    later.subscription.close()
    const again = heardOn(listener)
    await again.subscription.ready
    publisher.publish('user:1', joined(4))
    await expect.poll(() => again.heard).toEqual([joined(4)])
    expect(later.heard).toEqual([joined(2), joined(3)])
  })

  test('a throwing listener harms neither the publisher nor another listener', async () => {
    const buses = await open()
    const listener = buses.at(-1) as Bus
    const faulty = listener.subscribe('user:1', () => {
      throw new Error('a listener failed')
    })
    const { heard, subscription } = heardOn(listener)
    await Promise.all([faulty.ready, subscription.ready])
    ;(buses[0] as Bus).publish('user:1', joined(1))
    await expect.poll(() => heard).toEqual([joined(1)])
  })

  test('all nodes that hear one another give what carries the events the same name', async () => {
    const names = await Promise.all((await open()).map((bus) => bus.identify()))
    expect(new Set(names)).toEqual(new Set([expect.any(String)]))
  })

  test('a listener may close its own subscription while it is being called', async () => {
    const [bus] = (await open()) as [Bus]
    let calls = 0
    const subscription = bus.subscribe('user:1', () => {
      calls += 1
      subscription.close()
    })
    const { heard } = heardOn(bus)
    bus.publish('user:1', joined(1))
    bus.publish('user:1', joined(2))
    expect(calls).toBe(1)
    expect(heard).toHaveLength(2)
  })
}
