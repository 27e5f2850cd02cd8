import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { slicesOf } from '../formats/slices.ts'
import { every } from '../scheduling/periodic.ts'
import type { Config } from '../settings/config.ts'
import { LocalActivity, SEEN_MS } from './activity-local.ts'
import type { Presence } from './presence.ts'
import { LocalPresence } from './presence-local.ts'
import { type SharedRedis, tryCommand } from './redis-connections.ts'

/** How long the list of a dead node's people is kept, so that a living node can announce that they are offline. */
const KEEP_SECONDS = 600

/** Few enough for one script: Redis does nothing else while it runs. */
const PEOPLE_A_SCRIPT = 500

/**
 * The beginning of each script: `live` are the nodes whose lease is valid by Redis's clock; `elsewhere(id)` is whether
 * somebody is on one of them other than `self`.
 */
const PRELUDE = `
  local prefix, self = KEYS[1], ARGV[1]
  local nodes = prefix .. 'nodes'
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local live = redis.call('ZRANGEBYSCORE', nodes, '(' .. now, '+inf')
  local function elsewhere(id)
    for _, node in ipairs(live) do
      if node ~= self and redis.call('SISMEMBER', prefix .. node, id) == 1 then return 1 end
    end
    return 0
  end`

/** Adds somebody to this node; 1 if they were online elsewhere already. */
const ARRIVE = `${PRELUDE}
  redis.call('SADD', prefix .. self, ARGV[2])
  return elsewhere(ARGV[2])`

/** Removes somebody from this node; 1 if they are still online elsewhere. */
const LEAVE = `${PRELUDE}
  redis.call('SREM', prefix .. self, ARGV[2])
  return elsewhere(ARGV[2])`

/** For each of these people, 1 if they are online elsewhere. */
const ELSEWHERE = `${PRELUDE}
  local answer = {}
  for i = 2, #ARGV do answer[i - 1] = elsewhere(ARGV[i]) end
  return answer`

/**
 * Renews this node's lease. Answers first 1, or 0 if Redis has lost its people or the lease had run out, so that others
 * were told that they are offline; then the nodes that have died.
 */
const BEAT = `${PRELUDE}
  local ranUntil = redis.call('ZSCORE', nodes, self)
  redis.call('ZADD', nodes, now + ARGV[2], self)
  local answer = { redis.call('EXPIRE', prefix .. self, ${KEEP_SECONDS}) }
  if ranUntil and tonumber(ranUntil) <= now then answer[1] = 0 end
  for _, node in ipairs(redis.call('ZRANGEBYSCORE', nodes, '-inf', now)) do
    if node ~= self then answer[#answer + 1] = node end
  end
  return answer`

/**
 * Presence over all nodes: a set of people per node, which counts as long as that node renews its lease; and a key for
 * each active person, which expires.
 */
export function createRedisPresence(
  { commands, prefix: servicePrefix, scriptPrefix }: SharedRedis,
  { graceMs, beatMs, leaseMs, activeMs }: Config['presence'],
  log: FastifyBaseLogger,
): Presence {
  const prefix = `${scriptPrefix}presence:`
  const self = randomUUID()
  const listeners: ((userId: number) => void)[] = []
  /** True while Redis may not know the people of this node, because it was away. */
  let stale = false
  /** People who came or went during that time. */
  const unannounced = new Set<number>()
  /** People whom this node has called offline without asking Redis. */
  const guessed = new Set<number>()

  const activity = new LocalActivity(activeMs)
  const KEPT_MS = Math.max(SEEN_MS, activeMs)
  const activeKey = (userId: number) => `${servicePrefix}active:${userId}`

  const run = (script: string, ...args: (string | number)[]) =>
    commands.eval(script, 1, prefix, self, ...args)
  const tell = (userId: number) => {
    for (const listener of listeners) listener(userId)
  }

  async function tellUnlessElsewhere(script: string, userId: number): Promise<void> {
    try {
      if ((await run(script, userId)) === 0) tell(userId)
    } catch {
      stale = true
      unannounced.add(userId)
      tell(userId)
    }
  }

  const local = new LocalPresence(graceMs, {
    began: (userId) => void tellUnlessElsewhere(ARRIVE, userId),
    ended: (userId) => void tellUnlessElsewhere(LEAVE, userId),
  })

  async function renew(): Promise<void> {
    const hasPeople = local.userIds().length > 0
    let answer: [known: number, ...dead: string[]]
    try {
      answer = (await run(BEAT, leaseMs)) as typeof answer
    } catch {
      // redis-connections.ts has logged that Redis is away.
      stale = true
      return
    }
    const [known, ...dead] = answer
    const wasAway = stale
    if (stale || (hasPeople && known === 0)) await announceAll()
    await correctGuesses()
    // While Redis was away no node could renew its lease: all get the time to do so before any of them counts as dead.
    if (!wasAway) for (const node of dead) await removeDeadNode(node)
  }

  /**
   * Writes all people of this node to Redis again, and announces them: other nodes may have announced that they left.
   */
  async function announceAll(): Promise<void> {
    stale = false
    const userIds = local.userIds()
    try {
      const writing = commands.multi().del(prefix + self)
      if (userIds.length > 0) writing.sadd(prefix + self, ...userIds).expire(prefix + self, KEEP_SECONDS)
      await writing.exec()
    } catch {
      stale = true
      return
    }
    for (const userId of new Set([...userIds, ...unannounced])) tell(userId)
    unannounced.clear()
  }

  /** Announces those of the people called offline who are online: whoever has asked for them still believes it. */
  async function correctGuesses(): Promise<void> {
    const userIds = [...guessed]
    guessed.clear()
    for (const some of slicesOf(userIds, PEOPLE_A_SCRIPT)) {
      for (const userId of await online(some)) tell(userId)
    }
  }

  /**
   * Announces that a dead node's people are offline, and then removes the node: if this node dies in between, another
   * one repeats it.
   */
  async function removeDeadNode(node: string): Promise<void> {
    for (const userId of await commands.smembers(prefix + node)) tell(Number(userId))
    await commands
      .multi()
      .zrem(`${prefix}nodes`, node)
      .del(prefix + node)
      .exec()
  }

  async function online(userIds: number[]): Promise<Set<number>> {
    const found = new Set(userIds.filter((id) => local.has(id)))
    const others = userIds.filter((id) => !found.has(id))
    if (others.length === 0) return found
    try {
      const elsewhere = (await run(ELSEWHERE, ...others)) as number[]
      for (const [index, id] of others.entries()) if (elsewhere[index] === 1) found.add(id)
    } catch {
      for (const id of others) guessed.add(id)
    }
    return found
  }

  function touch(userId: number): void {
    activity.touch(userId)
    void tryCommand(() => commands.set(activeKey(userId), 1, 'PX', KEPT_MS))
  }

  /** How many milliseconds ago each of these people did something; undefined: so long ago that nobody knows. */
  async function readAges(userIds: number[]): Promise<Map<number, number>> {
    try {
      const left = await Promise.all(userIds.map((id) => commands.pttl(activeKey(id))))
      return new Map(userIds.map((id, index) => [id, KEPT_MS - (left[index] as number)]))
    } catch {
      // This node's own people are known.
      return new Map()
    }
  }

  async function active(userIds: number[]): Promise<Map<number, number>> {
    const found = activity.of(userIds)
    for (const [id, age] of await readAges(userIds))
      if (activeMs - age > (found.get(id) ?? 0)) found.set(id, activeMs - age)
    return found
  }

  async function seen(userIds: number[]): Promise<Set<number>> {
    const here = [...(await online(userIds))]
    const found = activity.seen(here)
    const ages = await readAges(here.filter((id) => !found.has(id)))
    for (const [id, age] of ages) if (age < SEEN_MS) found.add(id)
    return found
  }

  const beating = every(beatMs, 'telling who is here', renew, log)
  beating.soon()

  return {
    arrive: (userId) => local.arrive(userId),
    leave: (userId) => local.leave(userId),
    online,
    touch,
    active,
    seen,
    onChange: (listener) => void listeners.push(listener),
    async close() {
      await beating.close()
      local.close()
      // After that, another node announces the people who have not come back.
      await tryCommand(() => run(BEAT, graceMs))
    },
  }
}
