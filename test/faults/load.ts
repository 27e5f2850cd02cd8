import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { connect } from '../support/service.ts'
import type { Node, World } from './world.ts'

/** `npm run test:faults` runs every fault at full length and writes docs/faults.md; `npm test` runs one short one. */
export const isWhole = process.env.npm_lifecycle_event === 'test:faults'

const PEOPLE = 10
/**
 * Pause between the requests of one person: the machine also runs two nodes, PostgreSQL, Redis and perhaps other tests.
 */
const PAUSE_MS = isWhole ? 10 : 40
/** Codes of 503 that ask the client to try again. */
const RETRYABLE = new Set(['unavailable', 'draining'])

interface SentMessage {
  conversation: number
  clientId: string
  /** undefined: not acknowledged yet. */
  id: number | undefined
}

export interface Count {
  acknowledged: number
  lost: number
  doubled: number
}

/**
 * People who chat, answer an exam and hand in quizzes at the same time, on both nodes, and repeat each request until it
 * is answered. Records what was acknowledged to them, and compares it at the end with what is stored.
 */
export class Load {
  readonly #world: World
  /** One person per node who only probes it: the messages of a person must have pauses in between. */
  readonly #probers: Client[]
  readonly #probed: number
  readonly #exam: { examId: number; questionIds: number[] }
  /** One that is taken again and again. */
  readonly #quiz: number
  readonly #sent: SentMessage[] = []
  /** Failures other than a temporary refusal. */
  readonly failures = new Set<string>()
  /** The last answer that was acknowledged, by person. */
  readonly #saved = new Map<Client, number>()
  #saves = 0
  /** Attempts at the quiz whose hand-in was acknowledged. */
  readonly #handedIn: number[] = []
  #working: Promise<unknown> = Promise.resolve()
  #done = false

  private constructor(
    world: World,
    probers: Client[],
    probed: number,
    exam: { examId: number; questionIds: number[] },
    quiz: number,
  ) {
    this.#world = world
    this.#probers = probers
    this.#probed = probed
    this.#exam = exam
    this.#quiz = quiz
  }

  static async start(world: World): Promise<Load> {
    const { nodes, documented, sql } = world
    const register = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const person = new Client((nodes[index % 2] as Node).url, documented)
          await person.register(`p${randomUUID().slice(0, 12)}`)
          return person
        }),
      )
    const people = await register(PEOPLE)
    const probers = await register(2)
    const probed = await connect(probers[0] as Client, probers[1] as Client)
    const createNumeric = () =>
      createExam(sql, { questions: [{ question_type: 'NUMERIC', correct_answer: '0' }] })
    const exam = await createNumeric()
    const { examId: quiz } = await createNumeric()
    const load = new Load(world, probers, probed, exam, quiz)
    const conversations = await Promise.all(
      people.map((one, index) => connect(one, people[(index + 1) % PEOPLE] as Client)),
    )
    for (const person of people) await person.post(`/api/v01/exams/${exam.examId}/start`, {}, 201)
    load.#working = Promise.all(
      people.flatMap((person, index) => [
        load.#repeat((n) => load.#send(person, conversations[index] as number, n)),
        load.#repeat((n) => load.#save(person, n)),
        load.#repeat(() => load.#takeQuiz(person)),
      ]),
    )
    return load
  }

  /** Ends the load and counts. Submits every attempt on both nodes: both must answer the same attempt. */
  async end(): Promise<Count> {
    this.#done = true
    await this.#working
    const stored = await this.#world.sql<{ id: number; client_id: string }[]>`
      select id::int, client_id::text from messages where client_id is not null`
    const times = Map.groupBy(stored, ({ client_id }) => client_id)
    const acknowledged = this.#sent.filter(({ id }) => id !== undefined)
    let lost = acknowledged.filter(
      ({ clientId, id }) => !times.get(clientId)?.some((row) => row.id === id),
    ).length
    let doubled = times
      .values()
      .filter((rows) => rows.length > 1)
      .toArray().length
    const path = `/api/v01/exams/${this.#exam.examId}` as const
    const [question = 0] = this.#exam.questionIds
    for (const [person, value] of this.#saved) {
      const { answers } = (await person.get(`${path}/paper`, 200)).body
      if (Number(answers[question]) < value) lost += 1
      const results = await Promise.all(
        this.#world.nodes.map(async ({ url }) => (await person.at(url).post(`${path}/submit`, {}, 200)).body),
      )
      if (results.some(({ attempt_id }) => attempt_id !== results[0]?.attempt_id)) doubled += 1
    }
    const attempts = await this.#world.sql`
      select user_id from attempts where exam_id = ${this.#exam.examId} group by user_id having count(*) > 1`
    doubled += attempts.length
    const handedIn = new Set(this.#handedIn)
    const kept = await this.#world.sql`
      select from attempts where status = 'submitted' and id = any(${[...handedIn]}::int[])`
    lost += handedIn.size - kept.length
    doubled += this.#handedIn.length - handedIn.size
    return { acknowledged: acknowledged.length + this.#saves + this.#handedIn.length, lost, doubled }
  }

  /** Seconds from `began` until each node serves requests again; at most a minute. */
  async serving(began: number, nodes: readonly Node[] = this.#world.nodes): Promise<number> {
    const times = await Promise.all(
      nodes.map(async (node) => {
        const prober = (this.#probers[this.#world.nodes.indexOf(node)] as Client).at(node.url)
        for (;;) {
          const answer = await prober.send(this.#probed, 'still there?').catch(() => undefined)
          const seconds = (performance.now() - began) / 1_000
          if (answer?.status === 201) return seconds
          if (seconds > 60)
            throw new Error(`${node.url} does not serve again: ${JSON.stringify(answer?.body)}`)
          await sleep(20)
        }
      }),
    )
    return Math.max(...times)
  }

  async #repeat(work: (n: number) => Promise<void>): Promise<void> {
    for (let n = 1; !this.#done; n++) {
      await work(n)
      await sleep(PAUSE_MS)
    }
  }

  async #send(person: Client, conversation: number, n: number): Promise<void> {
    const sent: SentMessage = { conversation, clientId: randomUUID(), id: undefined }
    this.#sent.push(sent)
    const answer = await this.#ask(
      (client) => client.send(conversation, `message ${n}`, sent.clientId),
      person,
    )
    sent.id = answer?.body.message.id
  }

  async #save(person: Client, n: number): Promise<void> {
    const [question = 0] = this.#exam.questionIds
    const path = `/api/v01/exams/${this.#exam.examId}/answers` as const
    const answer = await this.#ask(
      (client) => client.put(path, { answers: { [question]: String(n) } }),
      person,
    )
    if (!answer) return
    this.#saved.set(person, n)
    this.#saves += 1
  }

  async #takeQuiz(person: Client): Promise<void> {
    const path = `/api/v01/exams/${this.#quiz}` as const
    if (!(await this.#ask((client) => client.post(`${path}/start`), person))) return
    const answer = await this.#ask((client) => client.post(`${path}/submit`), person)
    if (answer) this.#handedIn.push(answer.body.attempt_id)
  }

  /** Asks one node and then the other until there is an answer, or the load ends. */
  async #ask<A extends Answer<{ code: string }>>(ask: (client: Client) => Promise<A>, person: Client) {
    for (let tries = 0; ; tries++) {
      const { url } = this.#world.nodes[tries % 2] as Node
      const answer = await ask(person.at(tries === 0 ? person.url : url)).catch(() => undefined)
      if (answer && answer.status < 300) return answer
      if (answer && answer.status >= 500 && !RETRYABLE.has(answer.body.code))
        this.failures.add(`${answer.status} ${JSON.stringify(answer.body)}`)
      if (answer && answer.status < 500 && answer.status !== 429)
        throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`)
      if (this.#done && tries > 20) return undefined
      await sleep(50)
    }
  }
}
