import type postgres from 'postgres'
import { expect, onTestFinished } from 'vitest'
import type { Client } from './client.ts'
import { Follower, sendUntilAnswered } from './persistent.ts'
import { connect } from './service.ts'

/** Two people and their conversation. */
export interface Pair {
  conversationId: number
  people: [Client, Client]
}

/** Connects everybody to the next two people. */
export async function connectRing(people: Client[]): Promise<Pair[]> {
  return Promise.all(
    people.flatMap((one, index) =>
      [1, 2].map(async (step) => {
        const other = people[(index + step) % people.length] as Client
        return { people: [one, other] as [Client, Client], conversationId: await connect(one, other) }
      }),
    ),
  )
}

/**
 * Each person sends `count` messages, one after another; meanwhile each of `interferences` begins when so
 * many were acknowledged in all. Expects every acknowledged message to have a place of its own; the texts by
 * conversation in that order.
 */
export async function sendAll(
  people: Client[],
  pairs: Pair[],
  count: number,
  interferences: [number, () => Promise<void>][],
) {
  const acknowledged = new Map<number, string[]>(pairs.map(({ conversationId }) => [conversationId, []]))
  let interfering = Promise.resolve()
  let done = 0
  await Promise.all(
    people.map(async (person) => {
      const own = pairs.filter((pair) => pair.people.includes(person))
      for (let n = 0; n < count; n++) {
        const { conversationId } = own[n % own.length] as Pair
        const text = `message ${n} of ${person.username}`
        const { status, body } = await sendUntilAnswered(person, conversationId, text)
        expect([200, 201]).toContain(status)
        const texts = acknowledged.get(conversationId) as string[]
        expect(texts[body.message.seq - 1]).toBeUndefined()
        texts[body.message.seq - 1] = text
        done += 1
        for (const [at, interfere] of interferences)
          if (at === done) interfering = interfering.then(interfere)
      }
    }),
  )
  await interfering
  expect([...acknowledged.values()].flat()).toHaveLength(people.length * count)
  return acknowledged
}

/** The stored texts by conversation, in the order of `seq`, which has no gap. */
export async function storedTexts(sql: postgres.Sql): Promise<Map<number, string[]>> {
  const rows = await sql`select conversation_id, seq, message from messages order by conversation_id, seq`
  const byConversation = Map.groupBy(rows, ({ conversation_id }) => conversation_id as number)
  return new Map(
    [...byConversation].map(([id, messages]) => {
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
      return [id, messages.map(({ message }) => message)]
    }),
  )
}

/** A follower of each person's conversations, until the test ends. */
export async function followAll(people: Client[], pairs: Pair[]): Promise<Follower[]> {
  const followers = people.map((person) => {
    const own = pairs.filter((pair) => pair.people.includes(person))
    return new Follower(
      person,
      own.map(({ conversationId }) => conversationId),
    )
  })
  onTestFinished(() => {
    for (const follower of followers) follower.stop()
  })
  await Promise.all(followers.map((follower) => follower.start()))
  return followers
}

/** Waits until each follower has what was acknowledged in its conversations, once and in order. */
export async function expectAll(followers: Follower[], acknowledged: Map<number, string[]>): Promise<void> {
  for (const { client, texts } of followers) {
    const wanted = new Map([...texts.keys()].map((id) => [id, acknowledged.get(id)]))
    await expect.poll(() => texts, { message: client.username }).toEqual(wanted)
  }
}
