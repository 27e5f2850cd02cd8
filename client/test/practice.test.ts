import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { PASSWORD, type Client as Person } from '../../test/support/client.ts'
import {
  expectedMemory,
  openExam,
  PRACTICE,
  readMemory,
  type SentReview,
} from '../../test/support/practice.ts'
import { startService, type TestService } from '../../test/support/service.ts'
import type { Client, Store } from '../src/index.ts'
import { type CardsAhead, type Practice, practice, type Wanted } from '../src/practice/practice.ts'
import { memoryStore } from '../src/storage/memory.ts'
import { newApp, openApp, until } from './support/app.ts'
import { Network } from './support/network.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

interface App {
  client: Client
  practised: Practice
  ahead: CardsAhead
  close(): void
}

/** An app that practises, closed when the test ends. */
async function begin(client: Client, wanted: Wanted = {}): Promise<App> {
  const practised = await practice(client)
  const ahead = practised.cards(wanted)
  const close = () => {
    ahead.close()
    practised.close()
    client.close()
  }
  onTestFinished(close)
  return { client, practised, ahead, close }
}

/** Somebody who may practise these questions, all of them today. */
async function learner(count: number) {
  const exam = await openExam(service.sql, count)
  const person = await service.person()
  await person.put(`${PRACTICE}/settings`, { new_per_day: 500 }, 200)
  return { ...exam, person }
}

async function networkOf(person: Person) {
  const network = await Network.start(person.url)
  onTestFinished(() => network.close())
  return network
}

const idsOf = (ahead: CardsAhead) => ahead.$cards.get().map(({ card }) => card.question_id)

test('a card is judged at once, and comes back when its review is taken back', async () => {
  const { person, examId } = await learner(3)
  const { practised, ahead } = await begin(await openApp(person), { examId })
  const [first, second] = await until(ahead.$cards, (cards) => cards.length === 3)
  const questionId = first?.card.question_id as number
  const { id, storage } = await practised.review({
    question_id: questionId,
    answer: 'B',
    sure: true,
    question_version: first?.question.question_version as number,
  })
  expect(storage).toBe('memory')
  expect(idsOf(ahead)[0]).toBe(second?.card.question_id)
  const [given] = await until(practised.$reviews, ([one]) => one?.result !== undefined)
  expect(given).toMatchObject({ id, state: 'sent', result: { outcome: 'wrong', correct: 'A', rating: 1 } })
  await practised.undo(id)
  expect(practised.$reviews.get()).toEqual([])
  expect(idsOf(ahead)[0]).toBe(questionId)
  await expect.poll(() => readMemory(service.sql, person, questionId)).toMatchObject({ state: 'new' })
})

test('cards are those of the exam, the tag or the questions that are asked for', async () => {
  const { person, questionIds, examId } = await learner(3)
  const [one, two] = questionIds as [number, number]
  await openExam(service.sql, 1)
  await service.sql`update questions set tags = ${service.sql.json(['Kinetics'])}, tag_keys = ${service.sql.json(['kinetics'])} where id = ${two}`
  const client = await openApp(person)
  for (const [wanted, expected] of [
    [{ examId }, questionIds],
    [{ tag: 'kinetics' }, [two]],
    [{ examId, questionIds: [one] }, [one]],
  ] as [Wanted, number[]][]) {
    const { ahead } = await begin(client, wanted)
    await ahead.refresh()
    expect(idsOf(ahead).sort()).toEqual(expected)
  }
})

test('what is refused says why and can be discarded; nobody’s practice is none', async () => {
  const { person } = await learner(1)
  const { practised } = await begin(await openApp(person))
  await practised.review({ question_id: 999_999_999, answer: 'A', sure: true })
  const [given] = await until(practised.$reviews, ([one]) => one?.result !== undefined)
  expect(given?.result).toMatchObject({ error: { code: 'not_found' } })
  await practised.review({ question_id: 0, answer: 'A', sure: true })
  const failed = await until(practised.$reviews, ([, two]) => two?.state === 'failed')
  expect(failed[1]).toMatchObject({ error: 'validation_failed' })
  await practised.discard(failed[1]?.id as string)
  expect(practised.$reviews.get()).toHaveLength(1)
  await expect(practice(newApp(person.url))).rejects.toThrow('Nobody')
})

test('200 cards can be answered without the service on two devices that are killed, each once', {
  meta: { costly: 'answers 200 cards on two devices' },
}, async () => {
  const { person, questionIds } = await learner(200)
  const devices = await Promise.all(
    [0, 1].map(async () => ({ network: await networkOf(person), store: memoryStore() })),
  )
  const restart = async ({ network, store }: { network: Network; store: Store }) => {
    const client = newApp(network.url, { store })
    if ((await client.session.ready) === null)
      await client.session.login({ username: person.username, password: PASSWORD })
    return begin(client)
  }
  const countWaiting = async ({ store }: { store: Store }) =>
    (await store.list('cache/')).filter(([key]) => key.includes('/reviews/')).length
  const sent: SentReview[] = []
  for (const [at, device] of devices.entries()) {
    const online = await restart(device)
    await until(online.ahead.$cards, (cards) => cards.length === 200)
    online.close()
    device.network.down()
    // 100 reviews of each, with a restart after every ten; half of the questions are answered on both.
    for (let round = 0; round < 10; round += 1) {
      const { practised, ahead, close } = await restart(device)
      const cards = await until(ahead.$cards, (left) => left.length === 200 - 10 * round)
      for (const { card, question } of at === 0 ? cards.slice(0, 10) : cards.slice(-90, -80)) {
        const review = {
          question_id: card.question_id,
          answer: randomInt(4) > 0 ? 'A' : 'B',
          sure: randomInt(2) > 0,
          answered_at: new Date(Date.now() - randomInt(20 * 86_400_000)).toISOString(),
        }
        const { question_version } = question
        const { id } = await practised.review({ ...review, question_version })
        sent.push({ ...review, client_id: id })
      }
      close()
    }
  }
  // Requests and answers are lost, and the devices killed, until all have arrived.
  await Promise.all(
    devices.map(async (device) => {
      const { network } = device
      network.heal()
      for (let left = await countWaiting(device); left > 0; left = await countWaiting(device)) {
        const { close } = await restart(device)
        network.spoil('loseRequests', randomInt(3))
        network.spoil('loseAnswers', randomInt(3))
        await expect.poll(() => countWaiting(device)).toBeLessThanOrEqual(Math.max(0, left - 30))
        network.heal()
        close()
      }
    }),
  )
  const stored = await service.sql`
    select client_id from practice_reviews where user_id = ${person.id} and attempt_id is null`
  expect(stored.map(({ client_id }) => client_id).sort()).toEqual(
    sent.map(({ client_id }) => client_id).sort(),
  )
  const ofCards = Map.groupBy(sent, ({ question_id }) => question_id)
  for (const questionId of questionIds)
    expect(await readMemory(service.sql, person, questionId)).toEqual(
      ofCards.has(questionId) ? expectedMemory(ofCards.get(questionId) ?? [], []) : undefined,
    )
})
