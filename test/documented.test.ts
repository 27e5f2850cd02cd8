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
const Failure = { type: 'object', required: ['code'], properties: { code: { type: 'string' } } }
const Word = { type: 'object', required: ['event'], properties: { event: { const: 'word' } } }
const documented = new Documented({
  components: { schemas: { Comment, Failure } },
  paths: {
    '/comments/{id}': {
      get: {
        responses: {
          200: {
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Comment' } },
              'text/event-stream': { schema: { contentSchema: Word } },
            },
          },
        },
      },
    },
  },
})

test('an answer must have a declared status, and a body that fits its schema at any depth', () => {
  const check = (status: number, body: unknown) =>
    documented.check('GET', '/comments/3?page=1', status, 'application/json', body)
  check(200, { id: 3, replies: [{ id: 4, replies: [] }] })
  expect(() => check(418, {})).toThrow('a status it does not declare')
  expect(() => check(200, { id: 3, replies: [{ id: 'x', replies: [] }] })).toThrow('another body')
  expect(() => check(200, { id: 3 })).toThrow('another body')
})

test('an answer must have a media type that its route declares', () => {
  const check = (type: string) => documented.check('GET', '/comments/3', 200, type, undefined)
  check('text/event-stream')
  expect(() => check('text/csv')).toThrow('in a form it does not declare')
})

test('an event must fit the schema of its stream', () => {
  documented.checkEvent('GET', '/comments/3', { event: 'word', data: {} })
  expect(() => documented.checkEvent('GET', '/comments/3', { event: 'sound', data: {} })).toThrow(
    'another event',
  )
  expect(() => documented.checkEvent('GET', '/elsewhere', { event: 'word', data: {} })).toThrow(
    'declares no events',
  )
})

test('a failure at an address that is not documented must have the usual body', () => {
  const check = (body: unknown) => documented.check('GET', '/elsewhere', 404, 'application/json', body)
  check({ code: 'not_found' })
  expect(() => check({ error: 'Not Found' })).toThrow('no failure')
})
