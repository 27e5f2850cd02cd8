import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/client.ts'
import { createExam } from '../../support/content/exams.ts'
import { form } from '../../support/content/forms.ts'
import type { Count } from '../load.ts'
import type { Work } from '../show.ts'
import type { Node, World } from '../world.ts'

const AT_ONCE = 4
const QUESTIONS = 50
/** Longest time until all jobs have ended; a job of a dead node continues within 20 s. */
const TIMEOUT_MS = 150_000

interface Job {
  id: string
  texts: string[]
  percent: number
  isDone: boolean
}

/** Generation jobs that are read all the time: questions that were shown once must stay. */
export class Jobs implements Work {
  readonly #world: World
  readonly #admin: Client
  readonly #examId: number
  readonly #jobs: Job[] = []
  readonly #watching: Promise<void>[] = []
  #lost = 0

  private constructor(world: World, admin: Client, examId: number) {
    this.#world = world
    this.#admin = admin
    this.#examId = examId
  }

  static async prepare(world: World): Promise<Jobs> {
    const { examId } = await createExam(world.sql, { questions: [] })
    return new Jobs(world, await world.admin(), examId)
  }

  /** Starts jobs on this node; resolves when it is working on them. */
  async begin(node: Node): Promise<void> {
    const fields = { mode: 'pure', topic: 'x', exam_id: this.#examId, mcq_count: QUESTIONS }
    const begun = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const { body } = await this.#admin
          .at(node.url)
          .request('POST', '/api/v01/admin/ai/generate', form(fields), 202)
        return { id: body.job_id as string, texts: [], percent: 0, isDone: false }
      }),
    )
    this.#jobs.push(...begun)
    this.#watching.push(...begun.map((job) => this.#watch(job)))
    while (begun.some(({ texts }) => texts.length === 0)) await sleep(50)
  }

  /** Resolves when all have made progress from now on, or have ended. */
  async untilTakenOver(): Promise<void> {
    const before = this.#jobs.map(({ texts }) => texts.length)
    while (this.#jobs.some(({ isDone, texts }, at) => !isDone && texts.length === before[at]))
      await sleep(100)
  }

  async end(): Promise<Count> {
    await Promise.all(this.#watching)
    const doubled = this.#jobs.filter(({ texts }) => new Set(texts).size < texts.length)
    const short = this.#jobs.filter(({ isDone, texts }) => !isDone || texts.length < QUESTIONS)
    const stored = await this.#world.sql<{ count: number }[]>`
      select count(*)::int from generation_batches group by job_id, number having count(*) > 1`
    return {
      acknowledged: this.#jobs.length,
      lost: this.#lost + short.length,
      doubled: doubled.length + stored.length,
    }
  }

  async #watch(job: Job): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS
    for (let tries = 0; !job.isDone && performance.now() < deadline; tries++) {
      await sleep(200)
      const { url } = this.#world.nodes[tries % 2] as Node
      const answer = await this.#admin
        .at(url)
        .get(`/api/v01/admin/ai/status/${job.id}`)
        .catch(() => undefined)
      if (answer?.status !== 200) continue
      const { status, percent, questions } = answer.body
      const texts = questions.map((question) => question.question_text)
      if (percent < job.percent || job.texts.some((text, at) => texts[at] !== text)) this.#lost += 1
      Object.assign(job, { texts, percent, isDone: status === 'done' })
      if (status === 'failed') return
    }
  }
}
