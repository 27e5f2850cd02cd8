import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { WebsocketPluginOptions } from '@fastify/websocket'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { WebSocket } from 'ws'
import type { Core } from '../core.ts'
import { AppError } from '../errors.ts'
import { SHORT_TEXT } from '../formats/json-size.ts'
import { bearerToken } from '../http/caller-tokens.ts'
import { identifyByCookie, verifyLive } from '../http/callers.ts'
import { dropDeadline, withDeadline } from '../http/deadline.ts'
import { failureFields, logFailure, toAppError } from '../http/failures.ts'
import { ownLanguageOf } from '../http/request-language.ts'
import { askerOf } from '../http/request-log.ts'
import { isTrustedOrigin } from '../http/same-site.ts'
import { gateway as measured } from '../telemetry/metrics.ts'
import type { Claims } from '../tokens/tokens.ts'
import { Backlog } from './backlog.ts'
import { type Command, collectCommands, readCommand } from './commands.ts'
import { Connection } from './connection.ts'
import { FrameCount } from './frame-count.ts'
import type { Commands, LivePlugin } from './live-plugin.ts'
import { HEARTBEAT_SECONDS, Sockets } from './sockets.ts'

/** Largest frame of a client in bytes; ws closes with 1009 above it. */
const LARGEST_FRAME = 64 * 1024
/** Pieces of one frame; ws closes with 1008 above it. */
const MOST_FRAGMENTS = 64
const PROTOCOL = 'exam-practice.v1'
/** Sockets of one person. */
const MOST_SOCKETS = 50
const BEARER_PROTOCOL = 'bearer.'

/**
 * Options of @fastify/websocket, which is registered for the whole service: it ends the connection of every refused
 * upgrade.
 */
export const websocketOptions: WebsocketPluginOptions = {
  options: {
    maxPayload: LARGEST_FRAME,
    perMessageDeflate: false,
    maxFragments: MOST_FRAGMENTS,
    // One frame of a socket per turn of the event loop, so that other sockets are read in between.
    allowSynchronousEvents: false,
    clientTracking: false,
    handleProtocols: (offered: Set<string>) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  },
  // Resets and protocol errors are the client's; the socket ends.
  errorHandler: (_error, socket) => socket.terminate(),
  // `Sockets` closes them.
  preClose: (done) => done(),
}

interface Upgrade {
  reply: FastifyReply
  /** Ends its turn to be set up. */
  endTurn: () => void
  /** Counts the person's socket no longer; the end of the connection does so too, until the socket is open. */
  release: () => void
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** The WebSocket at `/ws` (docs/protocol/realtime.md#opening). */
export const gateway: FastifyPluginAsync<{ core: Core; live: LivePlugin[] }> = async (
  app,
  { core, live },
) => {
  const sockets = new Sockets(core, live)
  const commands = collectCommands(app, core, sockets.parts)

  app.addHook('preClose', async () => sockets.closeAll())
  app.websocketServer.on('headers', (headers, request) => {
    headers.push(`x-request-id: ${upgrades.get(request)?.reply.request.id}`)
  })

  app.route({
    method: 'GET',
    url: '/ws',
    config: {
      refuses: [
        'authentication_required',
        'token_expired_or_invalid',
        'cross_site_request',
        'upgrade_required',
        'unavailable',
      ],
    },
    schema: {
      operationId: 'openSocket',
      summary: 'The WebSocket',
      description:
        'Upgrade here, with a token in the header or as a subprotocol; frames: see /asyncapi.json.',
      tags: ['real time'],
      security: [{ bearer: [] }],
      response: { 101: Type.Null({ description: 'the socket is open' }) },
    },
    onRequest: async (request, reply) => {
      // A refused upgrade ends the connection, so its client must not send another request on it.
      if (request.ws) reply.header('connection', 'close')
      request.caller = authenticate(request, core)
      if (!request.ws) return
      const endTurn = await takeTurn(core, request)
      upgrades.set(request.raw, { reply, endTurn, release: await holdSocket(core, request) })
    },
    handler: async (_request, reply) => {
      reply.header('upgrade', 'websocket')
      throw new AppError('upgrade_required')
    },
    wsHandler: async (socket, request) => {
      const endTurn = forgetUpgrade(socket, request)
      await serve(core, sockets, commands, socket, request)
      endTurn()
    },
  })
}

/**
 * Reads the bearer header, then the subprotocol pair of browsers, which can't set headers, then the session cookie. A
 * browser sends the cookie for any site that opens a socket, so it only counts for origins that we trust.
 */
function authenticate(request: FastifyRequest, core: Core): Claims {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim())
  const token =
    bearerToken(request.headers.authorization) ??
    offered.find((part) => part.startsWith(BEARER_PROTOCOL))?.slice(BEARER_PROTOCOL.length)
  if (token === undefined) {
    const { origin } = request.headers
    const caller = origin === undefined ? undefined : identifyByCookie(request, core)
    if (!origin || !caller) throw new AppError('authentication_required')
    if (!isTrustedOrigin(origin, request, core.config)) throw new AppError('cross_site_request')
    return caller
  }
  const claims = verifyLive(request.server, 'access', token, core)
  if (!claims) throw new AppError('token_expired_or_invalid')
  return claims
}

/** Resolves when this socket may be set up, with a function that ends its turn; the end of the socket ends it too. */
async function takeTurn({ gate }: Core, request: FastifyRequest): Promise<() => void> {
  const { socket } = request.raw
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  // Whether a new client has hung up already is only read in the next turn of the event loop.
  await setImmediate()
  await setImmediate()
  if (socket.readableEnded) throw new AppError('aborted')
  await new Promise<void>((begin, refuse) => {
    const hold = () => {
      begin()
      return ended
    }
    gate.sockets.run(askerOf(request), hold).catch(refuse)
  })
  if (socket.destroyed) end()
  else socket.once('close', end)
  return () => {
    socket.off('close', end)
    end()
  }
}

/** Counts a person's socket until it ends. 429 `too_many` if they have the most that are allowed, over all nodes. */
async function holdSocket(
  { tallies }: Core,
  { caller, raw: { socket } }: FastifyRequest,
): Promise<() => void> {
  const tally = tallyOf(caller.userId)
  if (!(await tallies.take(tally, MOST_SOCKETS)))
    throw new AppError('too_many', { status: 429, retryAfter: 60 })
  const release = () => tallies.release(tally)
  if (socket.destroyed) release()
  else socket.once('close', release)
  return release
}

function tallyOf(userId: number): string {
  return `sockets:${userId}`
}

/**
 * Releases the request and reply of a finished upgrade: they would stay in memory as long as the socket, which counts
 * itself from now on. Answers a function that ends its turn.
 */
function forgetUpgrade(socket: WebSocket, request: FastifyRequest): () => void {
  dropDeadline(request)
  const { reply, endTurn, release } = upgrades.get(request.raw) as Upgrade
  upgrades.delete(request.raw)
  const tcp = request.raw.socket
  reply.raw.detachSocket(tcp)
  tcp.off('close', release)
  // Replaces the plugin's listener, which refers to both.
  socket.removeAllListeners('error')
  socket.on('error', terminate)
  return endTurn
}

function terminate(this: WebSocket): void {
  this.terminate()
}

/** Resolves when the socket is set up, or that has failed. */
function serve(
  core: Core,
  sockets: Sockets,
  commands: Partial<Commands>,
  socket: WebSocket,
  request: FastifyRequest,
): Promise<boolean> {
  const language = ownLanguageOf(request)
  const connection = new Connection(core, socket, request.raw.socket, request.caller, language, sockets.now())
  const count = new FrameCount()
  measured.opened.inc()
  measured.sockets.inc()
  // A client's first frames wait for this: events between its `resume` and this would be lost.
  const opened = open(core, sockets, connection, request.id)
  const backlog = new Backlog(socket, opened)

  /** Whether a frame, of whatever kind, is one that the socket may send. */
  const take = (): boolean => {
    connection.lastSeen = sockets.now()
    const excess = count.add(connection.lastSeen)
    if (!excess) return true
    connection.close(excess)
    socket.pause()
    return false
  }
  /** undefined if it can't be read: then the client has been told. */
  const read = async (data: Buffer, isBinary: boolean): Promise<Command | undefined> => {
    try {
      const parse = () => readCommand(data, isBinary)
      const command = data.length <= SHORT_TEXT ? parse() : await core.gate.block(connection.asker, parse)
      measured.received.inc({ type: command.type })
      return command
    } catch (error) {
      measured.received.inc({ type: 'unreadable' })
      const failure = toAppError(error)
      const tooMany = failure.code === 'invalid_frame' ? count.addMalformed() : undefined
      if (tooMany) connection.close(tooMany)
      else connection.send({ type: 'error', ...failureFields(failure) })
      return undefined
    }
  }
  socket.on('ping', take)
  socket.on('pong', take)
  socket.on('close', () => {
    measured.sockets.dec()
    core.tallies.release(tallyOf(connection.claims.userId))
    connection.topics.close()
    sockets.remove(connection)
  })
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!take()) return
    backlog.add(data.length, async () => {
      const command = (await opened) ? await read(data, isBinary) : undefined
      if (command) await answer(core, sockets, commands, connection, command)
      // While too many commands wait, the socket is not read: a command that has ended counts as a sign of life.
      connection.lastSeen = sockets.now()
    })
  })
  return opened
}

/** Connects the socket to its events and sends `ready`. False if that failed: then the socket is closed. */
async function open(
  core: Core,
  sockets: Sockets,
  connection: Connection,
  requestId: string,
): Promise<boolean> {
  try {
    const { userId, sessionId } = connection.claims
    const { news, ...greeting } = await withDeadline(sockets.add(connection), core.config.requestTimeoutMs)
    // The session may have ended while the socket was opening.
    if (!core.sessions.isValid(connection.claims)) {
      connection.close('tokenEnded')
      return false
    }
    const ready = {
      type: 'ready' as const,
      user_id: userId,
      session_id: sessionId,
      server_time: new Date(core.clock()).toISOString(),
      heartbeat_seconds: HEARTBEAT_SECONDS,
      ...greeting,
    }
    connection.begin(ready, ...news)
    return true
  } catch (error) {
    core.log.warn({ err: error, request_id: requestId }, 'a socket could not be set up')
    connection.close('failed')
    return false
  }
}

async function answer(
  core: Core,
  sockets: Sockets,
  commands: Partial<Commands>,
  connection: Connection,
  command: Command,
): Promise<void> {
  const ref = command.ref === undefined ? {} : { ref: command.ref }
  if (command.isByPerson) core.presence.touch(connection.claims.userId)
  try {
    const run = () => command.run(commands, sockets.parts, connection)
    const work = command.takesTurn ? core.gate.light.run(connection.asker, run) : run()
    const result = await (command.isAtClientsPace ? work : withDeadline(work, core.config.requestTimeoutMs))
    if (result) connection.send({ type: 'ack', ...ref, ...result })
  } catch (error) {
    const failure = toAppError(error)
    logFailure(failure, core.log, 'frame')
    connection.send({ type: 'error', ...ref, ...failureFields(failure) })
  }
}
