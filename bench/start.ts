import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import {
  cpuSeconds,
  find,
  interleave,
  medianRatio,
  type Report,
  residentMemory,
  summarise,
  table,
} from './measure.ts'
import { createWorld, type World } from './world.ts'

/**
 * What a node's start costs until it is ready, on a database that is up to date; `against`: a folder with another build,
 * whose starts take turns with those of this one.
 */
export async function benchStart(rounds: number, against: string | undefined): Promise<Report> {
  const world = await createWorld()
  const database = `exam_bench_start_${process.pid}`
  const builds = [{ name: 'this build', folder: process.cwd(), database }]
  if (against !== undefined)
    builds.push({ name: against, folder: path.resolve(against), database: `${database}_against` })
  try {
    // Each has a database of its own: a build doesn't start on one that is newer.
    for (const { database } of builds) await world.sql.unsafe(`create database ${database}`)
    const first = await interleave(builds, 1, (build) => start(world, build))
    const results = await interleave(builds, rounds, (build) => start(world, build))
    const column = (build: (typeof builds)[number], of: (each: Start) => number, from = results) =>
      (from.get(build) ?? []).map(of)
    const cpu = builds.map((build) => column(build, ({ seconds }) => seconds))
    const text = `### The start of a node

CPU until it answers \`/readyz\` with 200, of all its threads; the first start of each also migrates, and fills the cache of compiled code.

${table(
  ['', 'CPU s', 'of the first', 'seconds', 'resident MB'],
  builds.map((build, index) => {
    const [firstCpu = Number.NaN] = column(build, ({ seconds }) => seconds, first)
    const elapsed = column(build, (each) => each.elapsed)
    const megabytes = column(build, (each) => each.megabytes)
    return [
      build.name,
      summarise(cpu[index] as number[], 2),
      firstCpu.toFixed(2),
      summarise(elapsed, 2),
      summarise(megabytes),
    ]
  }),
)}
`
    const [own = [], other] = cpu
    if (!other) return { text, findings: [] }
    const ratios = own.map((seconds, round) => seconds / (other[round] as number))
    return {
      text: `${text}\nThis build ÷ the other: ${summarise(ratios, 2)}.\n`,
      findings: [find('CPU of a start ÷ other build', medianRatio(own, other), against as string, '≤', 0.6)],
    }
  } finally {
    for (const { database } of builds)
      await world.sql.unsafe(`drop database if exists ${database} with (force)`)
    await world.close()
  }
}

interface Start {
  /** Of CPU. */
  seconds: number
  elapsed: number
  megabytes: number
}

async function start(world: World, { folder, database }: { folder: string; database: string }) {
  const databaseUrl = new URL(world.databaseUrl)
  databaseUrl.pathname = `/${database}`
  const { PATH, REDIS_URL } = process.env
  const began = performance.now()
  const node = spawn(process.execPath, ['scripts/run.mjs', 'src/main.ts'], {
    cwd: folder,
    env: {
      PATH,
      ...(REDIS_URL && { REDIS_URL }),
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl.href,
      DATA_DIR: world.dataDir,
      JWT_SECRET: 'a secret of the benchmarks that is long enough',
      HOST: '127.0.0.1',
      PORT: '0',
      DRAIN_DELAY: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(node, 'exit')
  try {
    const url = await readAddress(node.stdout)
    const { status } = await fetch(`${url}/readyz`)
    if (status !== 200) throw new Error(`/readyz answered ${status}`)
    const pid = node.pid as number
    return {
      seconds: cpuSeconds(pid),
      elapsed: (performance.now() - began) / 1_000,
      megabytes: residentMemory(pid),
    }
  } finally {
    node.kill()
    await exited
  }
}

async function readAddress(output: NodeJS.ReadableStream): Promise<string> {
  let url: string | undefined
  for await (const line of createInterface(output)) {
    url = /ready at (http:[^"\s]+)/.exec(line)?.[1]
    if (url !== undefined) break
  }
  if (url === undefined) throw new Error('the service did not start')
  output.resume()
  return url
}
