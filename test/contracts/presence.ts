import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Presence } from '../../src/bus/presence.ts'
import { PATIENCE_MS } from '../support/patience.ts'

/** Times that the implementations under test are made with, in milliseconds. */
export const TIMES = { graceMs: 100, beatMs: 50, leaseMs: 200, activeMs: 200 }

/** A node's presence, with what its listeners heard. */
export interface WatchedPresence {
  presence: Presence
  heard: number[]
}

export function listen(presence: Presence): WatchedPresence {
  const heard: number[] = []
  presence.onChange((userId) => heard.push(userId))
  return { presence, heard }
}

/** Waits until, of the users 1 to 9, this node sees exactly these online. */
export async function untilOnline({ presence }: WatchedPresence, ...userIds: number[]): Promise<void> {
  await expect.poll(async () => [...(await presence.online(EVERYBODY))].sort(), POLL).toEqual(userIds)
}

export const POLL = { interval: 5, timeout: PATIENCE_MS }
const EVERYBODY = [1, 2, 3, 4, 5, 6, 7, 8, 9]

/** The guarantees of src/bus/presence.ts. `open` gives the presence of one or more nodes that share it. */
export function describePresence(open: () => Promise<WatchedPresence[]>): void {
  test('somebody is online from arriving until the end of the grace period after leaving', async () => {
    const nodes = await open()
    const [here, there] = [nodes[0] as WatchedPresence, nodes.at(-1) as WatchedPresence]
    await untilOnline(there)
    here.presence.arrive(1)
    await untilOnline(there, 1)
    await expect.poll(() => here.heard, POLL).toEqual([1])

    here.presence.leave(1)
    const left = performance.now()
    expect(await here.presence.online([1, 2])).toEqual(new Set([1]))
    await expect.poll(() => here.heard, POLL).toEqual([1, 1])
    expect(performance.now() - left).toBeGreaterThan(TIMES.graceMs * 0.9)
    await untilOnline(there)
  })

  test('a return within the grace period is not announced', async () => {
    const nodes = await open()
    const [here, there] = [nodes[0] as WatchedPresence, nodes.at(-1) as WatchedPresence]
    here.presence.arrive(1)
    await expect.poll(() => here.heard, POLL).toEqual([1])
    here.presence.leave(1)
    there.presence.arrive(1)
    // Past the end of the grace period.
    await setTimeout(TIMES.graceMs * 2)
    expect(await here.presence.online([1])).toEqual(new Set([1]))
    expect(nodes.flatMap(({ heard }) => heard)).toEqual([1])
    there.presence.leave(1)
    await expect.poll(() => there.heard.at(-1), POLL).toBe(1)
    await untilOnline(here)
  })

  test('leaving twice, or without having arrived, has no effect', async () => {
    const [here] = (await open()) as [WatchedPresence]
    here.presence.leave(1)
    here.presence.arrive(2)
    here.presence.leave(2)
    here.presence.leave(2)
    await untilOnline(here)
    await expect.poll(() => here.heard, POLL).toEqual([2, 2])
  })

  test('answers for nobody and for many', async () => {
    const nodes = await open()
    const [here, there] = [nodes[0] as WatchedPresence, nodes.at(-1) as WatchedPresence]
    expect(await here.presence.online([])).toEqual(new Set())
    const many = Array.from({ length: 3_000 }, (_, n) => n + 1)
    for (const id of many) if (id % 2) here.presence.arrive(id)
    await expect.poll(async () => (await there.presence.online(many)).size, POLL).toBe(1_500)
  })

  test('somebody is seen after a touch on any node, while they are online', async () => {
    const nodes = await open()
    const [here, there] = [nodes[0] as WatchedPresence, nodes.at(-1) as WatchedPresence]
    there.presence.touch(1)
    expect(await here.presence.seen([1, 2])).toEqual(new Set())
    here.presence.arrive(1)
    here.presence.arrive(2)
    await expect.poll(() => here.presence.seen([1, 2]), POLL).toEqual(new Set([1]))
    await expect.poll(() => there.presence.seen([1, 2]), POLL).toEqual(new Set([1]))
    here.presence.leave(1)
    await expect.poll(() => there.presence.seen([1, 2]), POLL).toEqual(new Set())
    expect(await here.presence.seen([1, 2])).toEqual(new Set())
  })

  test('somebody is active for a while after each touch, online or not, on every node', async () => {
    const nodes = await open()
    const [here, there] = [nodes[0] as WatchedPresence, nodes.at(-1) as WatchedPresence]
    expect(await here.presence.active([])).toEqual(new Map())
    here.presence.touch(1)
    await expect.poll(async () => [...(await there.presence.active([1, 2])).keys()], POLL).toEqual([1])
    const [left = 0] = (await there.presence.active([1])).values()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(TIMES.activeMs)
    await expect.poll(async () => (await there.presence.active([1])).size, POLL).toBe(0)
    expect((await here.presence.active([1])).size).toBe(0)
    here.presence.touch(1)
    await expect.poll(async () => (await there.presence.active([1])).size, POLL).toBe(1)
  })
}
