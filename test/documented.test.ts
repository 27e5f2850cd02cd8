import { expect, test } from 'vitest'
import { Documented } from './support/promises/documented.ts'

const Comment = {
  type: 'object',
  required: ['id', 'replies'],
  properties: {
    id: { type: 'integer' },
    replies: { type: 'array', items: { $ref: '#/components/schemas/Comment' } },
  },
}
const documented = new Documented({
  components: { schemas: { Comment } },
  paths: {
    '/comments/{id}': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Comment' } } } },
        },
      },
    },
  },
})

test('an answer is held to its status and its body, to any depth', () => {
  const check = (status: number, body: unknown) => documented.check('GET', '/comments/3?page=1', status, body)
  check(200, { id: 3, replies: [{ id: 4, replies: [] }] })
  expect(() => check(418, {})).toThrow('a status it does not declare')
  expect(() => check(200, { id: 3, replies: [{ id: 'x', replies: [] }] })).toThrow('another body')
  expect(() => check(200, { id: 3 })).toThrow('another body')
})
