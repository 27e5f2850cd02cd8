import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/client.ts'
import { createExam } from '../../support/content/exams.ts'
import { form } from '../../support/content/forms.ts'
import type { Count } from '../load.ts'
import type { Work } from '../show.ts'
import type { Node, World } from '../world.ts'

const AT_ONCE = 3
const QUESTIONS = 2_000
const HEADER =
  'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'

/**
 * Administrators who import files of questions one after another, and repeat those without an answer with the same key.
 */
export class Imports implements Work {
  readonly #world: World
  readonly #admin: Client
  readonly #examId: number
  readonly #acknowledged: string[] = []
  #working: Promise<unknown> = Promise.resolve()
  #done = false

  private constructor(world: World, admin: Client, examId: number) {
    this.#world = world
    this.#admin = admin
    this.#examId = examId
  }

  static async start(world: World): Promise<Imports> {
    const { examId } = await createExam(world.sql, { questions: [] })
    const imports = new Imports(world, await world.admin(), examId)
    imports.#working = Promise.all(Array.from({ length: AT_ONCE }, (_, n) => imports.#repeat(n)))
    return imports
  }

  async end(): Promise<Count> {
    this.#done = true
    await this.#working
    const stored = await this.#world.sql<{ key: string; count: number }[]>`
      select left(question_text, 36) as key, count(*)::int from questions where exam_id = ${this.#examId} group by 1`
    const counts = new Map(stored.map(({ key, count }) => [key, count]))
    const missing = this.#acknowledged.filter((key) => !counts.has(key))
    const torn = stored.filter(({ count }) => count % QUESTIONS !== 0)
    return {
      acknowledged: this.#acknowledged.length,
      lost: missing.length + torn.length,
      doubled: stored.filter(({ count }) => count > QUESTIONS).length,
    }
  }

  async #repeat(first: number): Promise<void> {
    while (!this.#done) {
      const key = randomUUID()
      const rows = Array.from({ length: QUESTIONS }, (_, n) => `${this.#examId},${key} ${n},,,,,A,MCQ,,4,1,0`)
      const csv = [HEADER, ...rows].join('\n')
      for (let tries = first; ; tries++) {
        const { url } = this.#world.nodes[tries % 2] as Node
        const file = { field: 'csv_file', name: 'questions.csv', bytes: csv }
        const answer = await this.#admin
          .at(url)
          .request('POST', `/api/v01/admin/questions/import-csv?key=${key}`, form({}, file))
          .catch(() => undefined)
        if (answer?.status === 200) break
        await sleep(50)
      }
      this.#acknowledged.push(key)
    }
  }
}
