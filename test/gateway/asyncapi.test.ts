import { readFile } from 'node:fs/promises'
import { Parser } from '@asyncapi/parser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT_FRAMES, ServerFrame } from '../../schemas/events.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

test('/asyncapi.json is a valid AsyncAPI 3.0 document of every frame', async () => {
  const { body } = await service.guest().get('/asyncapi.json', 200)
  const { document, diagnostics } = await new Parser().parse(body)
  expect(diagnostics.filter(({ severity }) => severity === 0)).toEqual([])

  const [push, command] = [document?.operations().get('push'), document?.operations().get('command')]
  const namesOf = (operation: typeof push) =>
    operation
      ?.messages()
      .all()
      .map((message) => message.name())
      .sort()
  expect(document?.version()).toBe('3.0.0')
  expect(namesOf(command)).toEqual(Object.keys(CLIENT_FRAMES).sort())
  expect(namesOf(push)).toEqual(ServerFrame.anyOf.map(({ properties }) => properties.type.const).sort())
  expect(namesOf(push)).toContain('auth_expiring')
})

test('frames and what they carry have names, as `$id`s', async () => {
  const { body } = await service.guest().get('/asyncapi.json', 200)
  const { messages } = body.channels.socket
  expect(messages['server.message'].payload).toMatchObject({
    $id: 'MessageCreated',
    properties: { message: { $ref: '#/components/schemas/Message' } },
  })
  expect(messages['client.send'].payload.$id).toBe('SendFrame')
  const payloads = Object.values(messages as Record<string, { payload: { $id: string } }>)
  const ids = payloads.map(({ payload }) => payload.$id)
  const names = Object.keys(body.components.schemas)
  for (const name of names) expect(body.components.schemas[name].$id).toBe(name)
  expect(new Set([...ids, ...names]).size).toBe(ids.length + names.length)
})

test('the document lists every close code, and all documents name the version of package.json', async () => {
  const { body } = await service.guest().get('/asyncapi.json', 200)
  expect(body.channels.socket['x-close-codes'].map(({ code }: { code: number }) => code).sort()).toEqual([
    1009, 1011, 1012, 4001, 4002, 4008, 4029,
  ])
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(body.info.version).toBe(version)
  expect((await service.guest().get('/openapi.json', 200)).body.info.version).toBe(version)
  expect((await service.guest().get('/healthz', 200)).body.version).toBe(version)
})
