import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { OtherNodes } from '../../bus/other-nodes.ts'
import type { Core } from '../../core.ts'
import { every } from '../../scheduling/periodic.ts'
import { deriveKeys } from '../../tokens/secrets.ts'
import { VERSION } from '../../version.ts'
import * as store from './nodes.store.ts'

/** Enough to tell secrets apart, and no help in guessing one. */
const FINGERPRINT_BYTES = 8

/**
 * Reports in the database that this node is alive, and looks for the others
 * (docs/protocol/operations.md#several-nodes). The log names those that don’t fit together with this one, once each.
 */
export async function watchNodes(core: Omit<Core, 'sessions' | 'nodes'>): Promise<OtherNodes> {
  const { config, db, log } = core
  const secrets = deriveKeys(core.jwtSecrets, 'fingerprints').map((key) =>
    key.toString('hex', 0, FINGERPRINT_BYTES),
  )
  const own = { id: randomUUID(), name: `${hostname()}:${config.port}`, version: VERSION, secrets }
  const said = new Set<string>()
  let bus: string | undefined
  let apart = new Set<string>()
  /** When those were last seen that named another bus. */
  let doubtful = new Map<string, number>()

  async function look(): Promise<void> {
    // While Redis is away, what is known of it still holds.
    bus = (await core.bus.identify()) ?? bus
    const others = await store.reportAlive(db, { ...own, bus })
    const elsewhere = others.filter((other) => bus !== undefined && other.bus !== null && other.bus !== bus)
    // Not at once: after Redis has lost everything, the other one may not have looked at it yet.
    apart = new Set(
      elsewhere
        .filter(({ id, seenAt }) => apart.has(id) || seenAt > (doubtful.get(id) ?? Number.POSITIVE_INFINITY))
        .map(({ id }) => id),
    )
    doubtful = new Map(elsewhere.map(({ id, seenAt }) => [id, doubtful.get(id) ?? seenAt]))
    for (const other of others) {
      if (apart.has(other.id))
        warn(
          other,
          'shares the database with this node, but no Redis: what happens there is seen here seconds later. ' +
            'Set the same REDIS_URL on both',
        )
      if (!knowOneAnother(secrets, other.secrets))
        warn(
          other,
          'and this node do not know the JWT_SECRET by which the other one signs: a proxy that sends somebody from ' +
            'one to the other signs them out. Set the same list on both',
        )
    }
  }

  function warn({ id, name, version }: store.OtherNode, problem: string): void {
    const key = `${id} ${problem}`
    if (said.has(key)) return
    said.add(key)
    log.warn({ node: name, version }, `the node ${name} ${problem}`)
  }

  await look()
  const looking = every(config.nodes.beatMs, 'looking at the other nodes', look, log)
  return {
    get areApart() {
      return apart.size > 0
    },
    async close() {
      await looking.close()
      // Without the database it is gone in a minute.
      await store.leave(db, own.id).catch(() => {})
    },
  }
}

const knowOneAnother = (one: readonly string[], other: readonly string[]) =>
  one.includes(other[0] ?? '') && other.includes(one[0] ?? '')
