import type { Core } from '../../core.ts'
import { perNode } from '../../per-node.ts'
import { giveUpReading, hasUnread, readMaterial } from './reading-materials.ts'

/** Materials that one node works on at once: one is read, another one is fetched or stored. */
const CONCURRENCY = 2

const workers = perNode(() => ({ starting: undefined as Promise<void> | undefined }))

/**
 * Has this node read materials. Not before there is one: the queue's connections and its looks at the database cost
 * every node something.
 */
export function startReading(core: Core): Promise<void> {
  const worker = workers(core)
  worker.starting ??= core.jobs
    .work('materials', {
      concurrency: CONCURRENCY,
      run: (id, signal) => readMaterial(core, Number(id), signal),
      giveUp: (id) => giveUpReading(core, Number(id)),
    })
    .catch((error: unknown) => {
      worker.starting = undefined
      throw error
    })
  return worker.starting
}

/** What another node took, before it died or while it is busy, is read here too. */
export async function helpReading(core: Core): Promise<void> {
  if (!workers(core).starting && (await hasUnread(core))) await startReading(core)
}
