import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Static } from 'typebox'
import type { World } from '../../bench/world.ts'
import type { JobStatus } from '../../schemas/generation.schemas.ts'

type Job = Static<typeof JobStatus>

/** The 95th percentile of chi-square by degrees of freedom: beyond it keys are hardly there by chance. */
const CHI_SQUARE_95 = 7.81

export interface GenerationOptions {
  pdf: string | undefined
  topic: string
  questions: number
}

/** Has the model write questions, and says how many are valid, agreed and disputed, and where their keys are. */
export async function evaluateGeneration(
  world: World,
  service: string,
  options: GenerationOptions,
): Promise<string> {
  const began = performance.now()
  const job = await runJob(world, service, options)
  return describe(job, options, (performance.now() - began) / 1_000)
}

async function runJob(
  world: World,
  service: string,
  { pdf, topic, questions }: GenerationOptions,
): Promise<Job> {
  await world.sql`insert into users (id, username, email, full_name, role) values (1, 'eval', 'eval@example.org', '', 'user,admin')`
  const [exam] = await world.sql`insert into exams (name) values ('Evaluation') returning id`
  const headers = { authorization: `Bearer ${world.tokenOf(1, 'user,admin')}` }
  const body = new FormData()
  body.set('exam_id', String(exam?.id))
  body.set('mcq_count', String(questions))
  if (pdf) {
    body.set('mode', 'mine')
    body.set('pdf_file', new Blob([new Uint8Array(await readFile(pdf))]), path.basename(pdf))
  } else {
    body.set('mode', 'pure')
    body.set('topic', topic)
  }
  const ai = `${service}/api/v01/admin/ai`
  const started = await fetch(`${ai}/generate`, { method: 'POST', headers, body })
  if (!started.ok) throw new Error(await started.text())
  const { job_id } = (await started.json()) as { job_id: string }
  for (let tag = ''; ; ) {
    const waits = { prefer: 'wait=25', 'if-none-match': tag || '"none"' }
    const answer = await fetch(`${ai}/status/${job_id}`, { headers: { ...headers, ...waits } })
    if (answer.status === 304) continue
    if (!answer.ok) throw new Error(await answer.text())
    tag = answer.headers.get('etag') ?? ''
    const job = (await answer.json()) as Job
    process.stderr.write(`${job.percent} % · ${job.error ?? job.message}\n`)
    if (job.status !== 'running') return job
  }
}

function describe(
  { questions, usage, error }: Job,
  { pdf, topic, questions: wanted }: GenerationOptions,
  seconds: number,
): string {
  const share = (count: number) =>
    questions.length === 0 ? '–' : `${count} (${Math.round((100 * count) / questions.length)} %)`
  const having = (verdict: string) => share(questions.filter(({ check }) => check.verdict === verdict).length)
  const named = questions.filter(({ source }) => source)
  const keys = ['A', 'B', 'C', 'D'].map((letter) => ({
    letter,
    count: questions.filter(({ correct_answer }) => correct_answer === letter).length,
  }))
  const expected = questions.length / keys.length
  const chiSquare = keys.reduce((sum, { count }) => sum + (count - expected) ** 2 / (expected || 1), 0)
  const evenly = chiSquare <= CHI_SQUARE_95 ? 'as by chance' : 'not by chance'
  const rows = [
    [
      'model',
      `${process.env.AI_MODEL ?? 'the default'}, checked by ${process.env.AI_CHECK_MODEL ?? 'the same'}`,
    ],
    ['from', pdf ? path.basename(pdf) : topic],
    ...(error === null ? [] : [['failed', error]]),
    ['valid', `${questions.length} of ${wanted}`],
    ['agreed', having('agreed')],
    ['disputed', having('disputed')],
    ['unchecked', having('unchecked')],
    [
      'sources found',
      `${named.filter(({ source }) => source?.found).length} of ${named.length} that were named`,
    ],
    [
      'keys',
      `${keys.map(({ letter, count }) => `${letter} ${count}`).join(', ')}; chi-square ${chiSquare.toFixed(1)}, ${evenly}`,
    ],
    ['tokens', `${usage.input} in, ${usage.cached} cached, ${usage.output} out`],
    [
      'tokens of checks',
      `${usage.checks.input} in, ${usage.checks.cached} cached, ${usage.checks.output} out`,
    ],
    ['seconds', String(Math.round(seconds))],
  ]
  return ['| generation | |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`), ''].join('\n')
}
