import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { ModelStub } from '../../../scripts/model-stub.ts'
import { long } from '../show.ts'
import type { Node } from '../world.ts'
import { Imports } from './imports.ts'
import { Jobs } from './jobs.ts'

/** Long work whose node is killed meanwhile. */
export function workFaults(): void {
  long(
    'a node killed six times in turn during imports of 2,000 questions, three at a time, repeated with their keys',
    async ({ nodes }) => {
      for (let round = 0; round < 6; round++) {
        const node = nodes[round % 2] as Node
        await sleep(500 + Math.random() * 1_000)
        await node.end('SIGKILL')
        await node.start()
      }
      return performance.now()
    },
    () => ({ beside: (world) => Imports.start(world) }),
  )

  let jobs: Jobs
  long(
    'each node killed while the model writes questions for it, four jobs of 50 in five batches',
    async ({ nodes }) => {
      for (const node of nodes) {
        await jobs.begin(node)
        await node.end('SIGKILL')
        await jobs.untilTakenOver()
        await node.start()
      }
      return performance.now()
    },
    async () => {
      const model = new ModelStub()
      model.usual = { kind: 'answer', pace: 20 }
      const ANTHROPIC_BASE_URL = await model.listen()
      onTestFinished(() => model.close())
      return {
        env: { ANTHROPIC_BASE_URL },
        async beside(world) {
          jobs = await Jobs.prepare(world)
          return jobs
        },
      }
    },
  )
}
