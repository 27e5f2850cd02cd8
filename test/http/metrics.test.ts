import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { register } from '@prometheus-io/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../src/version.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { startModel } from '../support/outside/model.ts'
import { connectedPair, startService, type TestService, withService } from '../support/service.ts'

type Model = Awaited<ReturnType<typeof startModel>>

let model: Model
let service: TestService
let alice: Client
let bob: Client
let conversationId: number
beforeAll(async () => {
  model = await startModel()
  service = await startService({ nodes: 2, config: { ai: model.ai } })
  ;({ alice, bob, conversationId } = await connectedPair(service, [0, 1]))
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})

/** The names of the service's own metrics. */
const OWN = register
  .getMetricsAsArray()
  .map(({ name }) => name)
  .filter((name) => !/^(nodejs|process)_/.test(name))

/** Every value of `/metrics` by its name and labels. */
async function read(): Promise<Map<string, number>> {
  const { body } = await service.guest().get('/metrics', 200)
  const lines = [...(body as string).matchAll(/^([a-z_]+(?:\{[^}]*\})?) (\S+)$/gm)]
  return new Map(lines.map(([, name = '', value]) => [name, Number(value)]))
}

/** How much each value rises while `act` runs. */
async function rises(act: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await read()
  await act()
  const after = await read()
  return (name) => (after.get(name) ?? Number.NaN) - (before.get(name) ?? 0)
}

describe('metrics', () => {
  test('count sockets, frames, deliveries, messages and events of the bus', async () => {
    // Other files of this worker may have sockets that are open still.
    const others = (await read()).get('gateway_sockets') ?? 0
    const rose = await rises(async () => {
      const [one, other] = [await alice.socket(), await bob.socket()]
      await one.ask({ type: 'send', conversation_id: conversationId, message: 'hello' })
      await other.until(() => other.of('message').length > 0)
      expect((await read()).get('gateway_sockets')).toBe(others + 2)
      one.send('nonsense')
      await one.until(() => one.of('error').length > 0)
      await Promise.all([one.close(), other.close()])
      await expect.poll(async () => (await read()).get('gateway_sockets')).toBe(others)
    })
    expect(rose('gateway_sockets_opened_total')).toBe(2)
    expect(rose('gateway_frames_received_total{type="send"}')).toBe(1)
    expect(rose('gateway_frames_received_total{type="unreadable"}')).toBe(1)
    expect(rose('gateway_frames_sent_total')).toBeGreaterThan(4)
    expect(rose('gateway_sent_bytes_total')).toBeGreaterThan(400)
    expect(rose('chat_messages_total')).toBe(1)
    expect(rose('chat_deliveries_total')).toBe(2)
    expect(rose('bus_published_total')).toBeGreaterThan(0)
    expect(rose('bus_received_total')).toBeGreaterThan(0)
    expect((await read()).get('bus_lag_seconds')).toBeLessThan(1)
    expect((await read()).get('db_up')).toBe(1)
    const { body } = await service.guest().get('/metrics', 200)
    expect(body).toContain(`exam_practice_build_info{version="${VERSION}"} 1\n`)
  })

  test('count attempts, answers and batches of answers', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const rose = await rises(async () => {
      await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
      await alice.put(`/api/v01/exams/${examId}/answers`, { answers: { [String(questionIds[0])]: 'A' } }, 200)
      await alice.post(`/api/v01/exams/${examId}/start`, {}, 200)
      await alice.post(`/api/v01/exams/${examId}/submit`, {}, 200)
    })
    expect(rose('exams_attempts_started_total')).toBe(1)
    expect(rose('exams_answers_saved_total')).toBe(1)
    expect(rose('exams_attempts_closed_total{how="submitted"}')).toBe(1)
    expect(rose('db_answer_batch_size_count')).toBe(1)
    expect(rose('db_answer_batch_size_bucket{le="+Inf"}')).toBe(1)
  })

  test('count calls of the model, mails and refused logins', async () => {
    // Services that were in this process before have counted theirs.
    const sent = async () => (await read()).get('mails_total{outcome="sent"}') ?? 0
    const before = await sent()
    const rose = await rises(async () => {
      await bob.post('/api/v01/assistant/messages', { message: 'x', conversation_id: null }, 200)
      await service.guest().post('/api/v01/auth/login', { username: alice.username, password: 'wrong' }, 401)
      const email = `${bob.username}@example.org`
      await service.guest().post('/api/v01/account/password-reset', { email }, 200)
      await expect.poll(sent).toBeGreaterThan(before)
    })
    expect(rose('ai_calls_total{outcome="answered"}')).toBe(1)
    expect(rose('ai_call_seconds_count')).toBe(1)
    expect(rose('ai_tokens_total{kind="cached"}')).toBe(7)
    expect(rose('logins_refused_total{code="invalid_credentials"}')).toBe(1)
    expect(rose('mails_total{outcome="sent"}')).toBe(1)
    const name =
      'http_request_duration_seconds_count{method="POST",route="/api/v01/assistant/messages",status_code="2xx"}'
    expect(rose(name)).toBe(1)
  })

  test('count the tokens of failed answers too', async () => {
    const rose = await rises(async () => {
      model.stub.script.push({ kind: 'stop', reason: 'refusal' })
      await alice.post('/api/v01/assistant/messages', { message: 'x', conversation_id: null }, 502)
    })
    expect(rose('ai_calls_total{outcome="failed"}')).toBe(1)
    expect(rose('ai_tokens_total{kind="cached"}')).toBe(7)
    expect(rose('ai_tokens_total{kind="output"}')).toBeGreaterThan(0)
  })

  test('show the work that waits for a database connection', async () => {
    const { examId } = await createExam(service.sql)
    // Several people, since only a few requests of one person are handled at a time.
    const people = await Promise.all(Array.from({ length: 8 }, () => service.person()))
    const rose = await rises(async () => {
      const asked = await service.sql.begin(async (tx) => {
        await tx`lock table exams in access exclusive mode`
        const asked = people.map((person) => person.get(`/api/v01/exams/${examId}/attempt-status`, 200))
        await expect.poll(async () => (await read()).get('db_work_waiting')).toBeGreaterThan(0)
        return asked.map((answer) => [answer])
      })
      await Promise.all(asked.flat())
    })
    expect(rose('db_waits_total')).toBeGreaterThan(0)
    const now = await read()
    expect(now.get('db_connections_max')).toBe(5)
    // All of it has ended; only background work may be running.
    await expect.poll(async () => (await read()).get('db_work_under_way')).toBeLessThan(2)
    expect(now.get('db_work_waiting')).toBe(0)
  })

  test('have a help text, and few combinations of labels', async () => {
    const { body } = await service.guest().get('/metrics', 200)
    expect(OWN.length).toBeGreaterThan(30)
    for (const name of OWN.filter((each) => !/^(http|deprecated)_/.test(each))) {
      expect(body, name).toContain(`# HELP ${name} `)
      expect(body.match(new RegExp(`^# TYPE ${name} `, 'gm')), name).toHaveLength(1)
      expect(body.match(new RegExp(`^${name}\\{`, 'gm'))?.length ?? 0, name).toBeLessThan(20)
    }
    expect(body).toContain('# HELP nodejs_eventloop_lag_p99_seconds ')
  })
})

describe('the board and the alerts in deploy/', () => {
  const shown = ['grafana-board.json', 'alerts.yml']
  test.each(shown)('%s names only metrics that exist', async (file) => {
    const text = await readFile(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
    const expressions =
      file === 'alerts.yml'
        ? [...text.matchAll(/^\s+expr: (.*)$/gm)].map(([, expression = '']) => expression)
        : (JSON.parse(text).panels as { targets?: { expr: string }[] }[]).flatMap(({ targets = [] }) =>
            targets.map(({ expr }) => expr),
          )
    expect(expressions.length).toBeGreaterThan(8)
    const { body } = await service.guest().get('/metrics', 200)
    const known = new Set([...body.matchAll(/^([a-z]\w*)[{ ]/gm)].map(([, name]) => name))
    for (const expression of expressions) {
      const names = expression
        // Braces, brackets and `by (…)` hold labels and times, not names of metrics.
        .replaceAll(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, '')
        .matchAll(/\b[a-z]\w*\b(?!\s*\()/g)
      for (const [name] of names)
        if (name !== 'up' && name !== 'by') expect(known, expression).toContain(name)
    }
  })

  test('the board shows every metric', async () => {
    const board = await readFile(new URL('../../deploy/grafana-board.json', import.meta.url), 'utf8')
    for (const name of OWN) expect(board).toContain(name)
  })
})

describe('/metrics', () => {
  /** Sends a request from this machine with these headers alone; answers the status. */
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const asked = request(`${service.urls[0]}/metrics`, { headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode as number)
      })
      asked.on('error', reject).end()
    })

  test('is for this machine only, not for requests that come through a proxy on it', async () => {
    expect(await ask({})).toBe(200)
    expect(await ask({ host: 'localhost:3000' })).toBe(200)
    const proxied = [
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-real-ip': '203.0.113.7' },
      { 'x-forwarded-proto': 'https' },
      { forwarded: 'for=203.0.113.7' },
      { via: '1.1 proxy' },
      { host: 'exam.example.org' },
      { host: 'localhost.example.org' },
    ]
    const { port, hostname } = new URL(service.urls[0] as string)
    const old = connect(Number(port), hostname, () =>
      old.write('GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n'),
    )
    const [answer] = await once(old, 'data')
    expect(String(answer)).toContain(' 404 ')
    old.destroy()
    for (const headers of proxied) expect(await ask(headers as never), JSON.stringify(headers)).toBe(404)
  })

  test('is for everybody with the token, if one is set', async () => {
    const guarded = await withService({ config: { metricsToken: 'a-token-for-the-metrics' } })
    const guest = guarded.guest()
    await guest.get('/metrics', 401)
    await guest.request('GET', '/metrics', undefined, 401, { authorization: 'Bearer another-token' })
    const headers = { authorization: 'Bearer a-token-for-the-metrics', 'x-forwarded-for': '203.0.113.7' }
    await guest.request('GET', '/metrics', undefined, 200, headers)
  })
})
