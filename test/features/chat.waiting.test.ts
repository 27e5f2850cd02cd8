import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Client } from '../support/client.ts'
import { connectedPair, type SharedService, sharedService, withService } from '../support/service.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

/** Two pairs of people whose conversations share a lane. */
async function neighbours() {
  const pairs = await Promise.all([1, 2, 3].map(() => connectedPair(service)))
  const [first, ...others] = pairs as [(typeof pairs)[0], ...typeof pairs]
  const second = others.find(({ conversationId }) => (conversationId - first.conversationId) % 2 === 0)
  const [one, other] = second ? [first, second] : others
  if (!one || !other) throw new Error('of three conversations two share a lane')
  return { one, other }
}

/** Holds rows for as long as `during` takes. */
async function holding(
  table: 'conversations' | 'conversation_members' | 'users',
  { alice, conversationId }: { alice: Client; conversationId: number },
  during: () => Promise<void>,
): Promise<void> {
  await service.sql.begin(async (tx) => {
    if (table === 'conversations') await tx`select from conversations where id = ${conversationId} for update`
    else if (table === 'users') await tx`select from users where id = ${alice.id} for update`
    else
      await tx`select from conversation_members where conversation_id = ${conversationId}
                  and user_id = ${alice.id} for update`
    await during()
  })
}

function times<T>(count: number, call: (index: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, (_, index) => call(index))
}

const countOf = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length

describe('while a transaction elsewhere', () => {
  test.each(['conversations', 'conversation_members', 'users'] as const)(
    "holds a sender's row of %s, only that sender waits",
    async (table) => {
      const { one, other } = await neighbours()
      let waiting: Promise<Answer> | undefined
      await holding(table, one, async () => {
        waiting = one.alice.send(one.conversationId, 'later')
        await other.bob.get('/api/v01/chat/unread', 200)
        for (const text of ['one', 'two', 'three'])
          await other.alice.send(other.conversationId, text, undefined, 201)
        const [stored] = await service.sql`
        select count(*)::int from messages where conversation_id = ${one.conversationId}`
        expect(stored?.count).toBe(0)
      })
      expect((await waiting)?.status).toBe(201)
    },
  )

  test('holds a conversation, strangers are answered', async () => {
    const { one, other } = await neighbours()
    await holding('conversations', one, async () => {
      await other.alice.send(one.conversationId, 'let me in', undefined, 404)
    })
  })

  test('holds a conversation, 100 sends with one new client_id wait as one; others go on', async () => {
    const { one, other } = await neighbours()
    const clientId = randomUUID()
    let waiting: Promise<Answer>[] = []
    await holding('conversations', one, async () => {
      waiting = times(100, () => one.alice.send(one.conversationId, 'once', clientId))
      await other.alice.send(other.conversationId, 'meanwhile', undefined, 201)
    })
    const answers = await Promise.all(waiting)
    expect([countOf(answers, 201), countOf(answers, 200)]).toEqual([1, 99])
    const rows = await service.sql`select seq from messages where conversation_id = ${one.conversationId}`
    expect(rows).toEqual([{ seq: 1 }])
  })

  test("holds a conversation, others go on however many of one person's sends wait for it", async () => {
    const { one, other } = await neighbours()
    let waiting: ReturnType<Client['send']>[] = []
    await holding('conversations', one, async () => {
      waiting = times(100, (index) => one.alice.send(one.conversationId, `message ${index}`))
      await other.alice.send(other.conversationId, 'meanwhile', undefined, 201)
    })
    const sent = await Promise.all(waiting)
    expect(countOf(sent, 201)).toBe(100)
    expect(sent.map(({ body }) => body.message.seq).sort((a, b) => a - b)).toEqual(
      sent.map((_, index) => index + 1),
    )
  })
})

describe('repeats of a known client_id', () => {
  test('are answered even while their conversation is locked', async () => {
    const slow = await withService({ config: { chat: { sendIntervalMs: 60_000 } } })
    const { alice, conversationId } = await connectedPair(slow)
    const clientId = randomUUID()
    const first = await alice.send(conversationId, 'first', clientId, 201)
    await slow.sql.begin(async (tx) => {
      await tx`select from conversations where id = ${conversationId} for update`
      const answers = await Promise.all(times(200, () => alice.send(conversationId, 'first', clientId, 200)))
      for (const { body } of answers) expect(body).toEqual(first.body)
    })
  })
})

describe('a repeat of an older client_id', () => {
  test('does not affect new messages in the same statement', async () => {
    const { one, other } = await neighbours()
    const clientId = randomUUID()
    const first = await one.alice.send(one.conversationId, 'first', clientId, 201)
    const [repeat, ...sent] = await Promise.all([
      one.alice.send(one.conversationId, 'again', clientId),
      ...times(20, (index) => other.alice.send(other.conversationId, `message ${index}`)),
    ])
    expect(repeat).toMatchObject({ status: 200, body: first.body })
    expect(countOf(sent, 201)).toBe(20)
    expect(new Set(sent.map(({ body }) => body.message.seq)).size).toBe(20)
  })
})
