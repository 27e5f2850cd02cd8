import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import { ModelStub } from '../scripts/model-stub.ts'
import { cpuSeconds, find, median, type Report, summarise, table } from './measure.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

/** Questions that one person may ask in a day. */
const QUESTIONS = 50
const TEXT = 'What is the hypotenuse of 3 and 4?'
/** Materials of the class, each a text of so many parts. */
const MATERIALS = 10
const PARTS = 500
const WORDS_A_PART = 140
const VOCABULARY = 5_000

/**
 * What the service adds to the time of an answer: questions one by one, in turn with the bare SDK, to the same stub.
 */
export async function benchAssistant(rounds: number): Promise<Report> {
  const world = await createWorld()
  const stub = new ModelStub()
  try {
    const baseURL = await stub.listen()
    const people = rounds + 1
    await populate(world.sql, people + rounds, 1)
    const service = await world.start('service', { ANTHROPIC_BASE_URL: baseURL })
    const bare = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0, logLevel: 'off' })

    const classId = await fillClass(world, service)
    // As many marks as an answer of some length has.
    const text = Array.from({ length: 8 }, (_, n) => `The hypotenuse is word${n}.【${n + 1}】`).join(' ')
    stub.usual = { kind: 'answer', text }

    const ask = async (person: number, class_id: number | null = null) => {
      const response = await fetch(`${service.url}/api/v01/assistant/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${world.tokenOf(person)}` },
        body: JSON.stringify({ message: TEXT, conversation_id: null, class_id }),
      })
      if (!response.ok) throw new Error(await response.text())
      await response.json()
    }
    const askBare = async () => {
      const messages = [{ role: 'user' as const, content: TEXT }]
      const stream = await bare.messages.create({ model: 'stub', max_tokens: 4_096, messages, stream: true })
      for await (const _ of stream);
    }

    const medians = { bare: [] as number[], service: [] as number[], passages: [] as number[] }
    const cpu = { service: [] as number[], passages: [] as number[] }
    for (let person = 1; person <= people; person++) {
      const times: typeof medians = { bare: [], service: [], passages: [] }
      for (let question = 0; question < QUESTIONS / 2; question++) {
        times.bare.push(await timed(askBare))
        times.service.push(await timed(() => ask(person)))
        times.passages.push(await timed(() => ask(person, classId)))
      }
      // The first person warms everything up.
      if (person === 1) continue
      medians.bare.push(median(times.bare))
      medians.service.push(median(times.service))
      medians.passages.push(median(times.passages))
    }
    // The processor's time is counted in hundredths of a second: over many questions of either kind.
    for (let person = people + 1; person <= people + rounds; person++)
      for (const [kind, of] of [
        ['service', null],
        ['passages', classId],
      ] as const) {
        const before = cpuSeconds(service.pid)
        for (let question = 0; question < QUESTIONS / 2; question++) await ask(person, of)
        cpu[kind].push((1_000 * (cpuSeconds(service.pid) - before)) / (QUESTIONS / 2))
      }
    const more = medians.passages.map((value, round) => value - (medians.service[round] as number))
    const moreCpu = cpu.passages.map((value, round) => value - (cpu.service[round] as number))
    const added = medians.service.map((value, round) => value - (medians.bare[round] as number))
    const report = `### An answer of the tutor\n\n${table(
      ['an answer of the model stub, ms (p50)', `median of ${rounds} rounds`],
      [
        ['bare SDK', summarise(medians.bare, 2)],
        ['through the service: quotas, history, storing', summarise(medians.service, 2)],
        ['added', summarise(added, 2)],
        [
          `the same in a class of ${(MATERIALS * PARTS).toLocaleString('en-US')} passages: six of them given and named`,
          summarise(medians.passages, 2),
        ],
        ['what the passages add', summarise(more, 2)],
        ['a node’s CPU without passages, mean', summarise(cpu.service, 2)],
        ['with passages, mean', summarise(cpu.passages, 2)],
      ],
    )}\n`
    const beside = `bare SDK ${median(medians.bare).toFixed(2)}`
    return {
      text: report,
      findings: [
        find('ms that the tutor adds, p50', median(added), beside, '≤', 4),
        find('ms that passages add to an answer, p50', median(more), 'without', '≤', 15),
        find('ms of a node’s CPU that they add', median(moreCpu), 'without', '≤', 15),
      ],
    }
  } finally {
    await world.close()
    await stub.close()
  }
}

/** Gives a class, in which everybody is, texts of many words; answers its id. */
async function fillClass({ sql, tokenOf }: World, { url }: Server): Promise<number> {
  const [row] = await sql<[{ id: number }]>`insert into classes (name) values ('Geometry') returning id`
  await sql`
    insert into class_members (class_id, user_id, role)
    select ${row.id}, id, case id when 1 then 'teacher' else 'student' end from users where id > 0`
  let seed = 1
  // Low words are frequent, as in a language.
  const word = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return `word${Math.floor(VOCABULARY * (seed / 2_147_483_647) ** 3)}`
  }
  for (let material = 0; material < MATERIALS; material++) {
    const parts = Array.from({ length: PARTS }, (_, part) => {
      const words = Array.from({ length: WORDS_A_PART }, word)
      return `# Part ${part}\nWhat is the ${part % 20 ? 'side' : 'hypotenuse'} of ${part % 7} and 4? ${words.join(' ')}.`
    })
    const body = new FormData()
    body.set('file', new Blob([parts.join('\n\n')]), 'script.markdown')
    const given = await fetch(`${url}/api/v01/classes/${row.id}/materials`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(1)}` },
      body,
    })
    if (!given.ok) throw new Error(await given.text())
  }
  while ((await sql`select from materials where status = 'reading'`).length > 0) await sleep(100)
  await sql`analyze`
  return row.id
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
