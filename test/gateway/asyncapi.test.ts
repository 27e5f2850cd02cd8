import { readFile } from 'node:fs/promises'
import { Parser } from '@asyncapi/parser'
import { Pointer } from 'typebox/value'
import { beforeAll, expect, test } from 'vitest'
import { CLIENT_FRAMES, ServerFrame } from '../../schemas/events.schemas.ts'
import { type SharedService, sharedService } from '../support/service.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

test('/asyncapi.json is a valid AsyncAPI 3.0 document of every frame', {
  meta: { costly: 'checks the document with AsyncAPI’s own parser' },
}, async () => {
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

test('frames and what they carry have names', async () => {
  const { body } = await service.guest().get('/asyncapi.json', 200)
  const { messages } = body.channels.socket
  expect(messages['server.message'].payload).toEqual({ $ref: '#/components/schemas/MessageCreated' })
  expect(messages['client.send'].payload).toEqual({ $ref: '#/components/schemas/SendFrame' })
  expect(body.components.schemas.MessageCreated.properties.message).toEqual({
    $ref: '#/components/schemas/Message',
  })
  const payloads = Object.values(messages as Record<string, { payload: { $ref: string } }>)
  expect(new Set(payloads.map(({ payload }) => payload.$ref)).size).toBe(payloads.length)
})

test('every reference leads to something, also for readers to whom an `$id` is a base of its own', async () => {
  const { body } = await service.guest().get('/asyncapi.json', 200)
  const text = JSON.stringify(body)
  expect(text).not.toContain('"$id"')
  const references = new Set([...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference))
  expect(references.size).toBeGreaterThan(50)
  for (const reference of references) {
    expect(reference).toMatch(/^#\//)
    expect(Pointer.Get(body, reference.slice(1)), reference).toBeDefined()
  }
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
