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
