import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { sharedService, startService, type TestService } from '../support/service.ts'

const CHAT = '/api/study-chat'
let model: TestModel
let service: TestService
beforeAll(async () => {
  model = await startModel()
  service = await startService({ config: { ai: model.ai } })
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})
beforeEach(() => {
  model.stub.script.length = 0
})

test('there is one chat per person, and the model gets its history', async () => {
  const alice = await service.person()
  const first = await alice.post(CHAT, { message: ' What is the hypotenuse of 3 and 4? ' }, 200)
  expect(first.body).toEqual({
    success: true,
    response: expect.stringContaining('[FINAL ANSWER]'),
    questions_remaining: 49,
  })
  // Fields of the newer generation are ignored.
  const second = await alice.post(CHAT, { message: 'And of 5 and 12?', conversation_id: 999 }, 200)
  expect(second.body.questions_remaining).toBe(48)
  expect(model.stub.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])

  const { body } = await alice.get(`${CHAT}/history`, 200)
  expect(body).toMatchObject({ success: true, dailyLimit: 50, questionsUsed: 2 })
  const message = (text: unknown, isUser: boolean) => ({
    id: expect.any(Number),
    text,
    isUser,
    timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
  })
  expect(body.history).toEqual([
    message('What is the hypotenuse of 3 and 4?', true),
    message(first.body.response, false),
    message('And of 5 and 12?', true),
    message(second.body.response, false),
  ])
  const cleared = await alice.delete(`${CHAT}/history`, 200)
  expect(cleared.body).toEqual({ success: true, message: 'The chat was cleared' })
  expect((await alice.get(`${CHAT}/history`, 200)).body).toMatchObject({ questionsUsed: 2, history: [] })
})

test('two first questions at once begin one chat, which has no length limit and is never listed', async () => {
  const alice = await service.person()
  await Promise.all([alice.post(CHAT, { message: 'one' }, 200), alice.post(CHAT, { message: 'two' }, 200)])
  const chats = await service.sql`select id from assistant_conversations where user_id = ${alice.id}`
  expect(chats).toHaveLength(1)
  await service.sql`update assistant_conversations set message_count = 500 where user_id = ${alice.id}`
  await alice.post(CHAT, { message: 'three' }, 200)
  const listed = await alice.get('/api/v01/assistant/conversations', 200)
  expect(listed.body).toMatchObject({ questionsUsed: 3, conversations: [] })
  const id = chats[0]?.id
  await alice.post('/api/v01/assistant/messages', { message: 'x', conversation_id: id }, 404)
  await alice.get(`/api/v01/assistant/conversations/${id}/messages`, 404)
  const bob = await service.person()
  expect((await bob.get(`${CHAT}/history`, 200)).body.history).toEqual([])
})

test('a question that fails, or whose sender hangs up before the first word, does not count', async () => {
  const alice = await service.person()
  model.stub.script.push({ kind: 'cut' })
  expect((await alice.post(CHAT, { message: 'x' }, 502)).body.code).toBe('model_failed')
  model.stub.script.push({ kind: 'hang' })
  const { aborted, requests } = model.stub
  const before = requests.length
  const hangUp = new AbortController()
  const asking = alice.fetch('POST', CHAT, { body: { message: 'x' }, signal: hangUp.signal })
  await vi.waitUntil(() => requests.length > before, { timeout: PATIENCE_MS })
  hangUp.abort()
  await expect(asking).rejects.toThrow()
  await vi.waitUntil(() => model.stub.aborted > aborted, { timeout: PATIENCE_MS })
  await expect
    .poll(async () => (await alice.get(`${CHAT}/history`, 200)).body)
    .toMatchObject({ questionsUsed: 0, history: [] })
  for (const wrong of [{}, { message: ' ' }, { message: 'x'.repeat(8_001) }])
    await alice.post(CHAT, wrong, 400)
})

test('a session cookie works; without a model a question is 503', async () => {
  const plain = await sharedService()
  const alice = await plain.person()
  await alice.loginOnWeb(alice.username)
  await alice.get(`${CHAT}/history`, 200)
  expect((await alice.post(CHAT, { message: 'x' }, 503)).body.code).toBe('not_configured')
})
