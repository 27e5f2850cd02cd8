import { expect, test } from 'vitest'
import { withService } from '../../test/support/service.ts'
import { printFrames, printOperations } from '../scripts/print-types.ts'

test('the types are those of the documents that a service answers', async () => {
  const guest = (await withService()).guest()
  const { body: openapi } = await guest.get('/openapi.json', 200)
  const { body: asyncapi } = await guest.get('/asyncapi.json', 200)
  const hint = 'the interface has changed: npm run generate -w client'
  await expect(printOperations(openapi), hint).toMatchFileSnapshot('../src/generated/openapi.ts')
  await expect(printFrames(asyncapi, openapi), hint).toMatchFileSnapshot('../src/generated/frames.ts')
})
