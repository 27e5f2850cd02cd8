import { setTimeout } from 'node:timers/promises'
import { ModelStub } from '../scripts/model-stub.ts'
import { form } from '../test/support/content/forms.ts'
import { cpuSeconds, find, median, medianRatio, type Report, summarise, table } from './measure.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

const ADMINS = 200
const QUESTIONS = 100
/** Between two pieces of the model's answers: they take as long as they are. */
const PACE_MS = 10
/** How often a watched job changes. */
const CHANGES = 5
const BETWEEN_MS = 4_000

type Watching = (admin: number, signal: AbortSignal, told: (tag: string) => void) => Promise<void>

/**
 * How much longer a job takes whose questions are checked; and what it costs that many administrators watch one job at
 * two nodes: by requests that wait, in turn with polling each second.
 */
export async function benchGeneration(rounds: number): Promise<Report> {
  const world = await createWorld()
  const stub = new ModelStub()
  try {
    await populate(world.sql, ADMINS, 2)
    await world.sql`update users set role = 'user,admin'`
    await world.sql`insert into exams (name, published) values ('Generated', true)`
    const settings = { ANTHROPIC_BASE_URL: await stub.listen() }
    const nodes = [await world.start('service', settings), await world.start('service', settings)]
    const jobs = await compareJobs(world, nodes, stub, rounds)
    const watched = await compareWatching(world, nodes, stub, rounds)
    return { text: `${jobs.text}\n${watched.text}`, findings: [...jobs.findings, ...watched.findings] }
  } finally {
    await world.close()
    await stub.close()
  }
}

// --- checks

async function compareJobs(
  world: World,
  nodes: readonly Server[],
  stub: ModelStub,
  rounds: number,
): Promise<Report> {
  const [node] = nodes as [Server]
  const seconds = new Map<string, number[]>()
  stub.usual = { kind: 'answer', pace: PACE_MS }
  stub.usualCheck = { kind: 'answer', pace: PACE_MS }
  const kinds = [
    ['without checks', false, 0],
    ['checked', true, 0],
    ['checked, 30 % of the keys wrong', true, 3],
  ] as const
  for (let round = 0; round < rounds; round++)
    for (const [name, check, mistakes] of kinds) {
      stub.mistakes = mistakes
      const began = performance.now()
      const id = await startJob(world, node, { mcq_count: QUESTIONS, check: String(check) })
      const admin = world.tokenOf(1, 'user,admin')
      while ((await readStatus(node, id, admin)).body?.status === 'running') await setTimeout(20)
      seconds.set(name, [...(seconds.get(name) ?? []), (performance.now() - began) / 1_000])
    }
  stub.mistakes = 0
  const timesOf = (name: string) => seconds.get(name) as number[]
  const ratioOf = (name: string) => medianRatio(timesOf(name), timesOf('without checks'))
  return {
    text: `### Checks of generated questions

A job of ${QUESTIONS} questions; the model writes 24 characters in ${PACE_MS} ms, also when it checks.

${table(
  ['', 's', '÷ without'],
  kinds.map(([name]) => [name, summarise(timesOf(name), 1), ratioOf(name).toFixed(2)]),
)}
`,
    findings: kinds
      .slice(1)
      .map(([name]) => find(`a job, ${name}`, ratioOf(name), 'without checks', '≤', 1.3)),
  }
}

async function startJob(world: World, node: Server, fields: Record<string, string | number>) {
  const response = await fetch(`${node.url}/api/v01/admin/ai/generate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokenOf(1, 'user,admin')}` },
    body: form({ exam_id: 1, mode: 'pure', topic: 'x', ...fields }),
  })
  if (response.status !== 202) throw new Error(await response.text())
  return ((await response.json()) as { job_id: string }).job_id
}

async function readStatus(node: Server, id: string, token: string, more: object = {}, signal?: AbortSignal) {
  const response = await fetch(`${node.url}/api/v01/admin/ai/status/${id}`, {
    headers: { authorization: `Bearer ${token}`, ...more },
    ...(signal ? { signal } : {}),
  })
  if (response.status !== 200 && response.status !== 304) throw new Error(await response.text())
  const body = response.status === 200 ? ((await response.json()) as { status: string }) : undefined
  return { tag: response.headers.get('etag') ?? '', body }
}

// --- watching

async function compareWatching(
  world: World,
  nodes: readonly Server[],
  stub: ModelStub,
  rounds: number,
): Promise<Report> {
  const tokens = Array.from({ length: ADMINS }, (_, index) => world.tokenOf(index + 1, 'user,admin'))
  const measured: Record<'waiting' | 'polling', Watched[]> = { waiting: [], polling: [] }
  for (let round = 0; round < rounds; round++)
    for (const way of ['polling', 'waiting'] as const)
      measured[way].push(await watch(world, nodes, stub, tokens, way))
  const column = (way: 'waiting' | 'polling', of: (watched: Watched) => number) => measured[way].map(of)
  const ratio = (of: (watched: Watched) => number) =>
    medianRatio(column('waiting', of), column('polling', of))
  const rows: [string, (watched: Watched) => number, number][] = [
    ['CPU of both nodes, s', ({ cpu }) => cpu, 2],
    ['transactions', ({ transactions }) => transactions, 0],
    ['requests', ({ requests }) => requests, 0],
    ['told after a change, p50, ms', ({ lags }) => median(lags), 0],
    ['the last one told, ms', ({ lags }) => Math.max(...lags), 0],
  ]
  return {
    text: `### Administrators who watch a job

${ADMINS} at two nodes for ${(CHANGES * BETWEEN_MS) / 1_000} s, in which a job changes ${CHANGES} times: with requests that wait, beside polling once a second with \`If-None-Match\`.

${table(
  ['', 'polling', 'waiting', '÷'],
  rows.map(([name, of, digits]) => [
    name,
    summarise(column('polling', of), digits),
    summarise(column('waiting', of), digits),
    ratio(of).toFixed(2),
  ]),
)}
`,
    findings: [
      find(
        'watching a job: CPU',
        ratio(({ cpu }) => cpu),
        'polling',
        '≤',
        0.3,
      ),
      find(
        'watching a job: transactions',
        ratio(({ transactions }) => transactions),
        'polling',
        '≤',
        0.3,
      ),
      find(
        'watching a job: the last one is told, ms',
        median(column('waiting', ({ lags }) => Math.max(...lags))),
        '',
        '≤',
        1_000,
      ),
    ],
  }
}

interface Watched {
  cpu: number
  transactions: number
  requests: number
  /** From the change to the answer that has it, of each administrator and change. */
  lags: number[]
}

async function watch(
  world: World,
  nodes: readonly Server[],
  stub: ModelStub,
  tokens: readonly string[],
  way: 'waiting' | 'polling',
): Promise<Watched> {
  const gates = Array.from({ length: CHANGES + 1 }, () => Promise.withResolvers<void>())
  stub.script.push(...gates.map(({ promise }) => ({ kind: 'answer', hold: 0, until: promise }) as const))
  const [first] = nodes as [Server]
  const id = await startJob(world, first, { mcq_count: (CHANGES + 1) * 10, check: 'false' })
  const end = new AbortController()
  let requests = 0
  let changedAt = 0
  const lags: number[] = []
  const watching: Watching = async (admin, signal, told) => {
    const node = nodes[admin % nodes.length] as Server
    let tag = ''
    while (!signal.aborted) {
      if (way === 'polling') await setTimeout(tag === '' ? (admin / ADMINS) * 1_000 : 1_000)
      const more = { ...(tag && { 'if-none-match': tag }), ...(way === 'waiting' && { prefer: 'wait=25' }) }
      const answer = await readStatus(node, id, tokens[admin] as string, more, signal)
      requests += 1
      if (answer.body) told(answer.tag)
      tag = answer.tag || tag
    }
  }
  const watchers = tokens.map((_, admin) =>
    watching(admin, end.signal, () => changedAt > 0 && lags.push(performance.now() - changedAt)).catch(
      (error: unknown) => {
        if (!end.signal.aborted) throw error
      },
    ),
  )
  // Everybody has read it once.
  while (requests < ADMINS) await setTimeout(50)
  await setTimeout(1_500)
  const before = { cpu: cpuOf(nodes), transactions: await countTransactions(world), requests }
  for (const gate of gates.slice(0, CHANGES)) {
    changedAt = performance.now()
    gate.resolve()
    await setTimeout(BETWEEN_MS)
  }
  const watched = {
    cpu: cpuOf(nodes) - before.cpu,
    transactions: (await countTransactions(world)) - before.transactions,
    requests: requests - before.requests,
    lags,
  }
  end.abort()
  gates.at(-1)?.resolve()
  await Promise.all(watchers)
  while ((await readStatus(first, id, tokens[0] as string)).body?.status === 'running') await setTimeout(50)
  return watched
}

function cpuOf(nodes: readonly Server[]): number {
  return nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
}

async function countTransactions({ sql }: World): Promise<number> {
  // Backends tell what they did some time later.
  await setTimeout(1_100)
  const [row] = await sql<[{ count: number }]>`
    select xact_commit::int as count from pg_stat_database where datname = current_database()`
  return row.count
}
