import { setTimeout as sleep } from 'node:timers/promises'
import { isWhole } from '../load.ts'
import { long, short } from '../show.ts'
import type { Node } from '../world.ts'

/** Nodes that end or freeze. */
export function nodeFaults(): void {
  short(`a node killed (kill -9), ${isWhole ? 'six times in turn' : 'once'}`, async ({ nodes }) => {
    for (let round = 0; round < (isWhole ? 6 : 1); round++) {
      const node = nodes[round % 2] as Node
      await node.end('SIGKILL')
      await sleep(500)
      await node.start()
    }
    return performance.now()
  })

  long('both nodes killed at once', async ({ nodes }) => {
    await Promise.all(nodes.map((node) => node.end('SIGKILL')))
    await Promise.all(nodes.map((node) => node.start()))
    return performance.now()
  })

  long('a node told to end (SIGTERM), each once', async ({ nodes }) => {
    for (const node of nodes) {
      await node.end('SIGTERM')
      await node.start()
    }
    return performance.now()
  })

  long('both nodes frozen for 20 s (SIGSTOP), thawed', async ({ nodes }) => {
    for (const node of nodes) node.signal('SIGSTOP')
    await sleep(20_000)
    for (const node of nodes) node.signal('SIGCONT')
    return performance.now()
  })
}
