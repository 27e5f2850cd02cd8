import { expect, test } from 'vitest'
import { PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startModel } from '../support/outside/model.ts'
import { connectedPair, withService } from '../support/service.ts'

test('a person sends one message in two seconds over both generations', async () => {
  let now = Date.now()
  const service = await withService({ clock: () => now, config: { chat: { sendIntervalMs: 2_000 } } })
  const { alice, conversationId } = await connectedPair(service)
  const newer = `/api/v01/chat/conversations/${conversationId}/messages` as const
  const older = `/api/chat/messages/${conversationId}`
  const send = (path: string, status: number) => alice.post(path, { message: 'x' }, status)
  await send(older, 201)
  const refused = await send(newer, 429)
  expect(refused.body).toMatchObject({ success: false, code: 'rate_limited' })
  expect((await send(older, 429)).headers.get('retry-after')).toBe('2')
  now += 2_000
  const together = await Promise.all(
    Array.from({ length: 10 }, (_, n) => alice.post(n % 2 ? newer : older, { message: 'x' })),
  )
  expect(together.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(together.filter(({ status }) => status === 429)).toHaveLength(9)
})

test('a person posts one comment in ten seconds over both generations', async () => {
  let now = Date.now()
  const service = await withService({ clock: () => now, config: { discussions: { postIntervalMs: 10_000 } } })
  const alice = await service.person()
  const { questionIds } = await createExam(service.sql)
  const post = (base: string, status: number) =>
    alice.post(`${base}/${questionIds[0]}`, { message: 'x' }, status)
  await post('/api/v01/discussions', 201)
  const { body, headers } = await post('/api/discussion', 429)
  expect(body).toMatchObject({ success: false, code: 'rate_limited', retry_after: 10 })
  expect(headers.get('retry-after')).toBe('10')
  now += 10_000
  const together = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      alice.post(`${n % 2 ? '/api/discussion' : '/api/v01/discussions'}/${questionIds[0]}`, { message: 'x' }),
    ),
  )
  expect(together.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(429)])
})

test('a person asks 50 questions a day over both generations, also when many are asked at once', async () => {
  const model = await startModel()
  const service = await withService({ config: { ai: model.ai } })
  const alice = await service.person()
  await service.sql`
    insert into assistant_questions (user_id, conversation_id, asked_at)
    select ${alice.id}, 0, now() from generate_series(1, 44)`
  const ask = (n: number) =>
    n % 2
      ? alice.post('/api/study-chat', { message: 'x' })
      : alice.post('/api/v01/assistant/messages', { message: 'x' })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(6)
  for (const refused of [await ask(0), await ask(1)]) {
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({
      success: false,
      message: 'Daily limit reached.',
      limit_reached: true,
    })
  }
  await alice.delete('/api/study-chat/history', 200)
  expect((await ask(1)).status).toBe(429)
  expect((await alice.get('/api/study-chat/history', 200)).body).toEqual({
    success: true,
    dailyLimit: 50,
    questionsUsed: 50,
    history: [],
  })
  await model.stub.close()
})

test('three failed logins by different routes lock all of them', async () => {
  const service = await withService()
  const { username } = await service.person()
  const tryAt = (path: string, password: string) => service.guest().post(path, { username, password })
  const routes = ['/api/auth/login', '/admin/login', '/api/v01/auth/login']
  for (const [index, route] of routes.entries()) {
    const { status, body } = await tryAt(route, 'wrong')
    expect(status).toBe(401)
    expect(body.message).toBe(`Invalid credentials. ${2 - index} attempts remaining.`)
  }
  for (const route of routes) {
    const { status, body } = await tryAt(route, PASSWORD)
    expect(status).toBe(429)
    expect(body).toMatchObject({ status: 'error', code: 'locked_out' })
  }
})
