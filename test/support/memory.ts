import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Megabytes that this process holds, without what nobody refers to any more. */
export async function memoryInUse(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => Promise<void>
  await collect({ type: 'major', execution: 'async' })
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}
