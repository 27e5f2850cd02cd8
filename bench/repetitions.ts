/**
 * Measures what it takes a node to see which of a batch's drafts repeat a question of an exam: the CPU time of a job's
 * first batch, which reads the exam, and of the next ones; and the longest that anything else waits meanwhile.
 *
 *   DATABASE_URL=postgres://… npx node bench/repetitions.ts [questions]
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { connectDatabase } from '../src/db/database-client.ts'
import { ExamTexts } from '../src/features/generation/duplicates.ts'
import { examReader } from '../src/features/generation/generation.store.ts'
import { median } from './measure.ts'
import { createWorld } from './world.ts'

const QUESTIONS = Number(process.argv[2] ?? 10_000)
const ROUNDS = 15
const LENGTHS = [100, 450]
/** Repeats itself from run to run. */
let seed = 1
function random(below: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
  return (seed >>> 8) % below
}

const SYLLABLES =
  'ac an be cel con de di en er fi for gen ic in ing ion le li ma men mo no or pa per pro re sec ta te ti tri tu um ver'.split(
    ' ',
  )
const WORDS = Array.from({ length: 2_000 }, () =>
  Array.from({ length: 1 + random(4) }, () => SYLLABLES[random(SYLLABLES.length)]).join(''),
)

function textOf(length: number): string {
  let text = ''
  while (text.length < length) text += `${WORDS[random(WORDS.length)]} `
  return `${text.trim()}?`
}

const world = await createWorld()
const db = connectDatabase({ url: world.databaseUrl, pool: 2 })
try {
  for (const [at, length] of LENGTHS.entries()) {
    const examId = at + 1
    const texts = Array.from({ length: QUESTIONS }, () => textOf(length))
    await world.sql`insert into exams (id, name) values (${examId}, 'Large')`
    await world.sql`
      insert into questions (exam_id, question_text, question_type, correct_answer)
      select ${examId}, text, 'NUMERIC', '1' from unnest(${texts}::text[]) text`
    const drafts = [...Array.from({ length: 9 }, () => textOf(length)), texts[QUESTIONS >> 1] as string]
    const first: number[] = []
    const next: number[] = []
    const delay = monitorEventLoopDelay({ resolution: 1 })
    for (let round = 0; round < ROUNDS; round++) {
      const exam = new ExamTexts(examReader(db, examId))
      for (const times of [first, next]) {
        const before = process.cpuUsage()
        if (round === ROUNDS >> 1) delay.enable()
        const repeated = await exam.findRepeated(drafts)
        delay.disable()
        const { user, system } = process.cpuUsage(before)
        times.push((user + system) / 1_000)
        if (repeated.size !== 1) throw new Error(`${repeated.size} were found`)
      }
    }
    const said = `first batch ${median(first).toFixed(1)} ms (${Math.min(...first).toFixed(1)}–${Math.max(...first).toFixed(1)}), a next one ${median(next).toFixed(1)} ms; longest turn ${(delay.max / 1e6).toFixed(1)} ms`
    process.stdout.write(`${QUESTIONS} questions of ${length} characters: ${said}\n`)
  }
} finally {
  await db.$client.end()
  await world.close()
}
