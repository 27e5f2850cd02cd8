import type { WebsocketPluginOptions } from '@fastify/websocket'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { WebSocket } from 'ws'
import type { Config } from '../config.ts'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import type { LiveSessions } from '../features/auth/live-sessions.ts'
import { countersOf } from '../features/chat/conversations.ts'
import { bearerToken, identifyByCookie } from '../http/callers.ts'
import { withDeadline } from '../http/deadline.ts'
import { failures, renderFailure, toAppError } from '../http/failures.ts'
import { isTrustedOrigin } from '../http/same-site.ts'
import type { Claims } from '../tokens.ts'
import { type Command, type Means, readCommand } from './commands.ts'
import { Connection } from './connection.ts'
import { FrameBudget } from './frame-budget.ts'
import { HEARTBEAT_SECONDS, Hub } from './hub.ts'

/** Inbound bytes of one frame; ws closes with 1009 above it. */
const LARGEST_FRAME = 64 * 1024
const PROTOCOL = 'exam-practice.v1'
const BEARER_PROTOCOL = 'bearer.'

/** For @fastify/websocket, which belongs to the whole service: it ends the connection of every refused upgrade. */
export const websocketOptions: WebsocketPluginOptions = {
  options: {
    maxPayload: LARGEST_FRAME,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered: Set<string>) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  },
  // Resets and protocol errors are the peer's; its socket ends either way.
  errorHandler: (_error, socket) => socket.terminate(),
  // The hub sees to its sockets itself.
  preClose: (done) => done(),
}

/** The WebSocket at `/ws` (contract/realtime.md). */
export const gateway: FastifyPluginAsync<{ core: Core; sessions: LiveSessions }> = async (
  app,
  { core, sessions },
) => {
  const hub = new Hub(core, sessions)

  app.addHook('preClose', async () => hub.closeAll())

  app.route({
    method: 'GET',
    url: '/ws',
    schema: {
      summary: 'The WebSocket',
      description:
        'Upgrade here, with a token in the header or as a subprotocol; frames: see /asyncapi.json.',
      tags: ['real time'],
      security: [{ bearer: [] }],
      response: {
        101: Type.Null({ description: 'the socket is open' }),
        ...failures(
          'authentication_required',
          'token_expired_or_invalid',
          'cross_site_request',
          'upgrade_required',
        ),
      },
    },
    onRequest: async (request, reply) => {
      // Of a refused upgrade it ends with the answer, whose reader must not send another request there.
      if (request.ws) reply.header('connection', 'close')
      request.caller = authenticate(request, sessions, core.config)
    },
    handler: async (_request, reply) => {
      reply.header('upgrade', 'websocket')
      throw new AppError('upgrade_required')
    },
    wsHandler: (socket, request) => {
      serve({ core, sessions }, hub, socket, request)
    },
  })
}

/**
 * Bearer header first, then the subprotocol pair of browsers, which can't set headers, then the session
 * cookie, which a browser sends whichever site opens the socket: so only for origins that we trust.
 */
function authenticate(request: FastifyRequest, sessions: LiveSessions, config: Config): Claims {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim())
  const token =
    bearerToken(request.headers.authorization) ??
    offered.find((part) => part.startsWith(BEARER_PROTOCOL))?.slice(BEARER_PROTOCOL.length)
  if (token === undefined) {
    const caller = identifyByCookie(request, sessions)
    if (!caller) throw new AppError('authentication_required')
    const { origin } = request.headers
    if (origin === undefined || !isTrustedOrigin(origin, request, config))
      throw new AppError('cross_site_request')
    return caller
  }
  const claims = sessions.verify('access', token)
  if (!claims) throw new AppError('token_expired_or_invalid')
  return claims
}

function serve(means: Means, hub: Hub, socket: WebSocket, request: FastifyRequest): void {
  const connection = new Connection(means.core.bus, socket, request.raw.socket, request.caller, hub.now())
  const budget = new FrameBudget()
  // A client's first frames wait for it: what came up after its `resume` would be missed otherwise.
  const opened = open(means, hub, connection, request.id)
  let previous: Promise<unknown> = opened

  socket.on('pong', () => {
    connection.lastSeen = hub.now()
  })
  socket.on('close', () => {
    connection.topics.close()
    hub.remove(connection)
  })
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    connection.lastSeen = hub.now()
    const excess = budget.spend(connection.lastSeen)
    if (excess) {
      connection.close(excess)
      return
    }
    let command: Command
    try {
      command = readCommand(data, isBinary)
    } catch (error) {
      const tooMany = budget.spendMalformed(connection.lastSeen)
      if (tooMany) connection.close(tooMany)
      else sendError(connection, error)
      return
    }
    // One after another, as they came; so a socket's own messages keep their order.
    previous = previous.then(async () => (await opened) && answer(means, connection, command))
  })
}

/** Makes events reach the socket and says `ready`. False where that could not be: then it is closed. */
async function open(
  { core, sessions }: Means,
  hub: Hub,
  connection: Connection,
  requestId: string,
): Promise<boolean> {
  try {
    const { userId, sessionId } = connection.claims
    const counters = await withDeadline(
      hub.add(connection).then(() => countersOf(core, userId)),
      core.config.requestTimeout,
    )
    // Its session may have ended while the socket was being opened.
    if (!sessions.stand(connection.claims)) {
      connection.close('tokenEnded')
      return false
    }
    connection.begin({
      type: 'ready',
      user_id: userId,
      session_id: sessionId,
      server_time: new Date(core.clock()).toISOString(),
      heartbeat_seconds: HEARTBEAT_SECONDS,
      ...counters,
    })
    return true
  } catch (error) {
    core.log.warn({ err: error, request_id: requestId }, 'a socket could not be set up')
    connection.close('failed')
    return false
  }
}

async function answer(means: Means, connection: Connection, command: Command): Promise<void> {
  const ref = command.ref === undefined ? {} : { ref: command.ref }
  try {
    const work = command.run(means, connection)
    const result = await (command.isAtPeersPace ? work : withDeadline(work, means.core.config.requestTimeout))
    if (result) connection.send({ type: 'ack', ...ref, ...result })
  } catch (error) {
    const failure = toAppError(error)
    if (failure.status >= 500)
      means.core.log.error({ err: failure.cause ?? failure, code: failure.code }, 'a frame failed')
    sendError(connection, failure, ref)
  }
}

function sendError(connection: Connection, error: unknown, ref: { ref?: string } = {}): void {
  const { success: _, status: __, ...body } = renderFailure(toAppError(error), 'success')
  connection.send({ type: 'error', ...ref, ...body })
}
