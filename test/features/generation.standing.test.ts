import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startModel } from '../support/outside/model.ts'
import { withService } from '../support/service.ts'

test('a queue of jobs that stands still shows in /readyz and in metrics, until a node works again', async () => {
  const model = await startModel()
  const service = await withService({ nodes: 1, config: { ai: model.ai } })
  const guest = service.guest()
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await guest.get('/metrics', 200)).body)?.[1])
  expect((await guest.get('/readyz', 200)).body).toMatchObject({ jobs: 'up' })
  expect(await metric('generation_up')).toBe(1)

  // Workers leave a blocked job alone, as if none of them were there.
  const id = randomUUID()
  await service.sql`
    insert into pgboss.job (id, name, data, start_after, blocked)
    values (${id}, 'generation', ${service.sql.json({ id })}, now() - interval '5 minutes', true)`
  await expect
    .poll(async () => (await guest.get('/readyz', 200)).body, { timeout: 20_000 })
    .toMatchObject({ success: true, status: 'ready', jobs: 'down' })
  expect(await metric('generation_up')).toBe(0)
  expect(await metric('generation_waiting_seconds')).toBeGreaterThan(299)

  await service.sql`update pgboss.job set blocked = false where id = ${id}`
  await expect
    .poll(async () => (await guest.get('/readyz', 200)).body, { timeout: 20_000 })
    .toMatchObject({ jobs: 'up' })
  expect(await metric('generation_waiting_seconds')).toBe(0)
  await model.stub.close()
})
