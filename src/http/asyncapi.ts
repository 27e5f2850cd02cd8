import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { CLIENT_FRAMES, ServerFrame } from '../../schemas/events.ts'

/** The WebSocket's own description at `/asyncapi.json`: every frame that schemas/events.ts lists, by itself. */
export function registerAsyncApi(app: FastifyInstance): void {
  const document = describeFrames()
  app.get('/asyncapi.json', { schema: { hide: true } }, async () => document)
}

const CHANNEL = '#/channels/socket'

function describeFrames() {
  const fromServer = messagesOf('server', ServerFrame.anyOf)
  const fromClient = messagesOf('client', Object.values(CLIENT_FRAMES))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Exam Practice Service',
      version: '0.1.0',
      description:
        'Text frames, one JSON object each, at most 64 KiB from the client. The HTTP interface is described in /openapi.json.',
    },
    defaultContentType: 'application/json',
    channels: {
      socket: {
        address: '/api/v01/ws',
        description:
          'Opened with `Authorization: Bearer <access token>`, the subprotocols `exam-practice.v1, bearer.<access token>`, or the `session` cookie.',
        messages: { ...fromServer, ...fromClient },
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: {
      push: {
        action: 'send',
        channel: { $ref: CHANNEL },
        summary: 'What the service sends',
        messages: refsTo(fromServer),
      },
      command: {
        action: 'receive',
        channel: { $ref: CHANNEL },
        summary: 'What a client sends',
        messages: refsTo(fromClient),
      },
    },
  }
}

interface Message {
  name: string
  title: string
  summary: string
  payload: TSchema
}

/** By a name that tells the two directions of one `type` apart. */
function messagesOf(side: 'server' | 'client', frames: readonly TSchema[]): Record<string, Message> {
  return Object.fromEntries(
    frames.map((frame) => {
      const type = typeOf(frame)
      const summary = 'description' in frame ? String(frame.description) : type
      return [`${side}.${type}`, { name: type, title: type, summary, payload: frame }]
    }),
  )
}

function typeOf(frame: TSchema): string {
  const { properties } = frame as unknown as { properties: { type: { const: string } } }
  return properties.type.const
}

function refsTo(messages: Record<string, Message>): { $ref: string }[] {
  return Object.keys(messages).map((name) => ({ $ref: `${CHANNEL}/messages/${name}` }))
}
