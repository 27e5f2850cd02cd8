import Anthropic from '@anthropic-ai/sdk'
import { ModelStub } from '../scripts/model-stub.ts'
import { find, median, type Report, summarise, table } from './measure.ts'
import { createWorld, populate } from './world.ts'

/** Questions that one person may ask in a day. */
const QUESTIONS = 50
const TEXT = 'What is the hypotenuse of 3 and 4?'

/**
 * What the service adds to the time of an answer: questions one by one, in turn with the bare SDK, to the same stub.
 */
export async function benchAssistant(rounds: number): Promise<Report> {
  const world = await createWorld()
  const stub = new ModelStub()
  try {
    const baseURL = await stub.listen()
    const people = rounds + 1
    await populate(world.sql, people, 1)
    const service = await world.start('service', { ANTHROPIC_BASE_URL: baseURL })
    const bare = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0, logLevel: 'off' })

    const ask = async (person: number) => {
      const response = await fetch(`${service.url}/api/v01/assistant/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${world.tokenOf(person)}` },
        body: JSON.stringify({ message: TEXT, conversation_id: null }),
      })
      if (!response.ok) throw new Error(await response.text())
      await response.json()
    }
    const askBare = async () => {
      const messages = [{ role: 'user' as const, content: TEXT }]
      const stream = await bare.messages.create({ model: 'stub', max_tokens: 4_096, messages, stream: true })
      for await (const _ of stream);
    }

    const medians: { bare: number[]; service: number[] } = { bare: [], service: [] }
    for (let person = 1; person <= people; person++) {
      const times: typeof medians = { bare: [], service: [] }
      for (let question = 0; question < QUESTIONS; question++) {
        times.bare.push(await timed(askBare))
        times.service.push(await timed(() => ask(person)))
      }
      // The first person warms everything up.
      if (person === 1) continue
      medians.bare.push(median(times.bare))
      medians.service.push(median(times.service))
    }
    const added = medians.service.map((value, round) => value - (medians.bare[round] as number))
    const text = `### An answer of the tutor\n\n${table(
      ['an answer of the model stub, ms (p50)', `median of ${rounds} rounds`],
      [
        ['bare SDK', summarise(medians.bare, 2)],
        ['through the service: quotas, history, storing', summarise(medians.service, 2)],
        ['added', summarise(added, 2)],
      ],
    )}\n`
    const beside = `bare SDK ${median(medians.bare).toFixed(2)}`
    return { text, findings: [find('ms that the tutor adds, p50', median(added), beside, '≤', 4)] }
  } finally {
    await world.close()
    await stub.close()
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
