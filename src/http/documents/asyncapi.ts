import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { CLOSE } from '../../../schemas/close-codes.ts'
import { CLIENT_FRAMES, ServerFrame } from '../../../schemas/events.schemas.ts'
import type { Config } from '../../settings/config.ts'
import { VERSION } from '../../version.ts'
import { serveFixed } from './fixed-documents.ts'
import { Components, type Schema } from './named-schemas.ts'

/** Describes the WebSocket at `/asyncapi.json`: every frame that schemas/events.schemas.ts lists. */
export function registerAsyncApi(app: FastifyInstance, config: Config): void {
  serveFixed(app, '/asyncapi.json', () => describeFrames(config))
}

const CHANNEL = '#/channels/socket'

function describeFrames({ publicUrl, host, port }: Config) {
  const components = new Components()
  const fromServer = messagesOf(components, 'server', ServerFrame.anyOf)
  const fromClient = messagesOf(components, 'client', Object.values(CLIENT_FRAMES))
  const {
    protocol,
    host: authority,
    pathname,
  } = new URL(publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Exam Practice Service',
      version: VERSION,
      description:
        'Text frames, one JSON object each, at most 64 KiB from the client. The HTTP interface is described in /openapi.json.',
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      tags: [{ name: 'real time', description: 'What HTTP would otherwise be polled for.' }],
    },
    servers: {
      service: {
        host: authority,
        pathname,
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        description: 'This service',
        security: [{ $ref: '#/components/securitySchemes/bearer' }],
      },
    },
    defaultContentType: 'application/json',
    channels: {
      socket: {
        address: '/api/v01/ws',
        description:
          'Opened with `Authorization: Bearer <access token>`, the subprotocols `exam-practice.v1, bearer.<access token>`, or the `session` cookie. `x-close-codes` says why a socket was closed and what to do then; after every reconnect, and upon `resync`, send `resume`.',
        'x-close-codes': Object.values(CLOSE).map(([code, reason, advice]) => ({ code, reason, advice })),
        messages: { ...fromServer, ...fromClient },
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: {
      push: {
        action: 'send',
        channel: { $ref: CHANNEL },
        summary: 'What the service sends',
        description: 'Ignore types and fields that are not known.',
        messages: refsTo(fromServer),
      },
      command: {
        action: 'receive',
        channel: { $ref: CHANNEL },
        summary: 'What a client sends',
        description: 'With a `ref` each is answered by an `ack` or an `error` that carries it.',
        messages: refsTo(fromClient),
      },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
      },
      schemas: components.schemas,
    },
  }
}

interface DocumentedMessage {
  name: string
  title: string
  summary: string
  payload: { $ref: string | undefined }
}

/** The messages of one direction, by name. */
function messagesOf(
  components: Components,
  side: 'server' | 'client',
  frames: readonly TSchema[],
): Record<string, DocumentedMessage> {
  return Object.fromEntries(
    frames.map((frame) => {
      const type = typeOf(frame)
      const { $ref, description = type } = components.show(frame as Schema)
      return [`${side}.${type}`, { name: type, title: type, summary: description, payload: { $ref } }]
    }),
  )
}

function typeOf(frame: TSchema): string {
  const { properties } = frame as unknown as { properties: { type: { const: string } } }
  return properties.type.const
}

function refsTo(messages: Record<string, DocumentedMessage>): { $ref: string }[] {
  return Object.keys(messages).map((name) => ({ $ref: `${CHANNEL}/messages/${name}` }))
}
