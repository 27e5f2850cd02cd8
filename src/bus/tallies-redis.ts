import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { every } from '../scheduling/periodic.ts'
import type { Config } from '../settings/config.ts'
import { type SharedRedis, tryCommand } from './redis-connections.ts'
import type { Tallies } from './tallies.ts'

/** A tally that has not changed for this long counts as empty. */
const KEEP_SECONDS = 86_400

/**
 * Sets this node's share of a tally, a field of its hash, unless the limit would be exceeded. Shares of nodes whose
 * lease has run out are removed.
 */
const TAKE = `
  local tally, leases, self, own, limit = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
  local others = 0
  local entries = redis.call('HGETALL', tally)
  for i = 1, #entries, 2 do
    if entries[i] ~= self then
      if redis.call('EXISTS', leases .. entries[i]) == 1 then others = others + tonumber(entries[i + 1])
      else redis.call('HDEL', tally, entries[i]) end
    end
  end
  if others + own > limit then return 0 end
  redis.call('HSET', tally, self, own)
  redis.call('EXPIRE', tally, ${KEEP_SECONDS})
  return 1`

/** Tallies over all nodes. Each node writes only its own share, so the counts come back after Redis was flushed. */
export function createRedisTallies(
  { commands, scriptPrefix: prefix }: SharedRedis,
  { beatMs, leaseMs }: Config['presence'],
  log: FastifyBaseLogger,
): Tallies {
  const self = randomUUID()
  const leases = `${prefix}tally-lease:`
  const keyOf = (name: string) => `${prefix}tally:${name}`
  const held = new Map<string, number>()

  const renew = () => tryCommand(() => commands.set(leases + self, 1, 'PX', leaseMs))
  const leasing = every(beatMs, 'renewing the lease of tallies', renew, log)
  const leased = renew()

  function release(name: string): void {
    const left = (held.get(name) ?? 0) - 1
    if (left > 0) held.set(name, left)
    else held.delete(name)
    const key = keyOf(name)
    void tryCommand(() => (left > 0 ? commands.hset(key, self, left) : commands.hdel(key, self)))
  }

  return {
    async take(name, limit) {
      await leased
      const own = (held.get(name) ?? 0) + 1
      if (own > limit) return false
      held.set(name, own)
      try {
        if ((await commands.eval(TAKE, 1, keyOf(name), leases, self, own, limit)) === 1) return true
        // This node's share may have been written meanwhile, with what is refused here in it.
        release(name)
        return false
      } catch {
        return true
      }
    },
    release,
    async close() {
      await leasing.close()
      await tryCommand(() => commands.del(leases + self))
    },
  }
}
