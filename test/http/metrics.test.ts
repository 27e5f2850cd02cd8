import { expect, test } from 'vitest'
import { startModel } from '../support/model.ts'
import { withService } from '../support/service.ts'

test('metrics are for this machine alone, and not for whom a proxy here speaks for', async () => {
  const model = await startModel()
  const service = await withService({ config: { ai: model.ai } })
  const alice = await service.person()
  await alice.post('/api/v01/assistant/messages', { message: 'x', conversation_id: null }, 200)
  const { headers, body } = await service.guest().get('/metrics', 200)
  expect(headers.get('content-type')).toContain('text/plain')
  expect(body).toMatch(/ai_tokens_total\{kind="input"\} [1-9]/)
  expect(body).toContain('ai_tokens_total{kind="cached"} 7')
  expect(body).toMatch(
    /http_request_duration_seconds_count\{method="POST",route="\/api\/v01\/assistant\/messages",status_code="2xx"\} 1/,
  )
  await service.guest().request('GET', '/metrics', undefined, 404, { 'x-forwarded-for': '203.0.113.7' })
  await model.stub.close()
})

test('with a token they are for whoever presents it', async () => {
  const service = await withService({ config: { metricsToken: 'a-token-for-the-metrics' } })
  const guest = service.guest()
  await guest.get('/metrics', 401)
  await guest.request('GET', '/metrics', undefined, 401, { authorization: 'Bearer another-token' })
  await guest.request('GET', '/metrics', undefined, 200, { authorization: 'Bearer a-token-for-the-metrics' })
})
