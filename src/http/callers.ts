import type { Actor, Device, OwnExamSubject, OwnExams, Viewer } from '../actor.ts'
import '@fastify/cookie'
import '@fastify/swagger'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Core } from '../core.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { Claims, TokenKind } from '../tokens/tokens.ts'
import { bearerToken, verifyToken } from './caller-tokens.ts'
import { SESSION_COOKIE } from './cookies.ts'
import { addRefusals } from './failures.ts'
import { BODY_BYTES } from './json-body.ts'
import { addressOf, networkOf } from './networks.ts'
import { ownLanguageOf } from './request-language.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request: set in guarded scopes, before any handler runs. */
    caller: Claims
  }
}

/** All routes that are registered on `scope` from now on need a sign-in: 401 without one. */
export function guardUsers(scope: FastifyInstance, core: Core): void {
  guard(scope, core, ['authentication_required', 'token_expired_or_invalid'], (request) =>
    identify(request, core),
  )
}

/**
 * All routes that are registered on `scope` from now on are for administrators: 401 without a valid token, 403 for
 * other people.
 */
export function guardAdmins(scope: FastifyInstance, core: Core): void {
  guard(scope, core, ['authentication_required', 'token_expired_or_invalid', 'admin_required'], (request) => {
    const caller = identifyAdmin(request, core)
    if (!isAdmin(caller)) throw new AppError('admin_required')
    return caller
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is checked of a request before any handler runs, and by `checkAgain`. */
    checks?: readonly ((request: FastifyRequest) => unknown)[]
  }
}

/** Has `checkAgain` check this too, on requests of a route. */
export function addCheck(route: RouteOptions, check: (request: FastifyRequest) => unknown): void {
  route.config = { ...route.config, checks: [...(route.config?.checks ?? []), check] }
}

/** Checks again who sends a request, and what they may: a form, or a download, can be on its way for minutes. */
export async function checkAgain(request: FastifyRequest): Promise<void> {
  for (const check of request.routeOptions.config.checks ?? []) await check(request)
}

/**
 * The pieces of an answer, for as long as its reader may have it: that is checked again before every `every`th piece.
 */
export async function* whileAllowed<Piece>(
  request: FastifyRequest,
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  every = 1,
): AsyncGenerator<Piece, void> {
  let count = 0
  for await (const piece of pieces) {
    if (++count % every === 0) await checkAgain(request)
    yield piece
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Opens a route of administrators to teachers, for exams of their own. */
    forOwnExam?: (request: FastifyRequest) => OwnExamSubject
  }
}

/**
 * As `guardAdmins`, but routes with `forOwnExam` are also for teachers, and then only for what is their own: 403
 * `admin_required` otherwise, whether or not there is such a thing.
 */
export function guardStaff(scope: FastifyInstance, core: Core, ownExams: OwnExams): void {
  guard(scope, core, ['authentication_required', 'token_expired_or_invalid', 'admin_required'], (request) => {
    const caller = identifyAdmin(request, core)
    if (!isAdmin(caller) && !request.routeOptions.config.forOwnExam) throw new AppError('admin_required')
    return caller
  })
  scope.addHook('onRequest', async ({ caller }) => {
    if (!isAdmin(caller) && !(await ownExams.isTeacher(caller.userId))) throw new AppError('admin_required')
  })
  const requireOwn = async (request: FastifyRequest) => {
    const { caller } = request
    if (isAdmin(caller)) return
    const subject = request.routeOptions.config.forOwnExam?.(request)
    if (subject === 'handler') return
    if (!subject || !(await ownExams.isOwn(caller.userId, subject))) throw new AppError('admin_required')
  }
  scope.addHook('preHandler', requireOwn)
  scope.addHook('onRoute', (route) => addCheck(route, requireOwn))
}

/** The exam whose id stands in a part of the request. */
export function examIn(
  part: 'params' | 'query' | 'body',
  name: 'id' | 'exam_id',
  reads?: 'settings' | 'keys',
): (request: FastifyRequest) => OwnExamSubject {
  return (request) => {
    const exam = (request[part] as Record<string, number | undefined>)[name]
    return reads ? { exam, reads } : { exam }
  }
}

/** The teacher whose own exams a request is limited to; undefined for administrators. */
export function teacherIdOf({ caller }: FastifyRequest): number | undefined {
  return isAdmin(caller) ? undefined : caller.userId
}

/** The caller, for services that show administrators more than others. */
export function viewerOf(claims: Pick<Claims, 'userId' | 'role'>): Viewer {
  return { userId: claims.userId, isAdmin: isAdmin(claims) }
}

export function isAdmin({ role }: Pick<Claims, 'role'>): boolean {
  return role !== 'user'
}

function guard(
  scope: FastifyInstance,
  { sessions }: Core,
  codes: ErrorCode[],
  admit: (request: FastifyRequest) => Claims,
): void {
  if (!scope.hasRequestDecorator('caller')) scope.decorateRequest('caller', null as unknown as Claims)
  scope.addHook('onRequest', (request, _reply, done) => {
    let refusal: Error | undefined
    try {
      request.caller = admit(request)
    } catch (error) {
      refusal = error as Error
    }
    done(refusal)
  })
  // A token that was good at the beginning may expire meanwhile; its session must not have ended.
  const findEnd = ({ caller }: FastifyRequest) =>
    sessions.isValid(caller) ? undefined : new AppError('token_expired_or_invalid')
  scope.addHook('preHandler', (request, _reply, done) => {
    done(request.body === undefined ? undefined : findEnd(request))
  })
  const requireSession = (request: FastifyRequest) => {
    const end = findEnd(request)
    if (end) throw end
  }
  scope.addHook('onRoute', (route) => {
    addCheck(route, requireSession)
    route.bodyLimit ??= BODY_BYTES
    route.schema = { ...route.schema, security: [{ bearer: [] }, { session: [] }] }
    addRefusals(route, ...codes)
  })
}

function identify(request: FastifyRequest, core: Core): Claims {
  const claims = identifyIfAny(request, core)
  if (!claims) throw new AppError('authentication_required')
  return claims
}

/**
 * The caller, if there is one: by bearer token, else by the session cookie. 401 for an invalid bearer token, even
 * with a valid cookie; an invalid cookie counts as none.
 */
export function identifyIfAny(request: FastifyRequest, core: Core): Claims | undefined {
  const token = bearerToken(request.headers.authorization)
  if (token === undefined) return identifyByCookie(request, core)
  const claims = verifyLive(request.server, 'access', token, core)
  if (!claims) throw new AppError('token_expired_or_invalid')
  return claims
}

export function identifyByCookie(request: FastifyRequest, core: Core): Claims | undefined {
  const cookie = request.cookies[SESSION_COOKIE]
  return cookie === undefined ? undefined : verifyLive(request.server, 'web', cookie, core)
}

/** The token's claims; undefined unless it is valid, of this kind, and its session has not ended. */
export function verifyLive(
  app: FastifyInstance,
  kind: TokenKind,
  token: string,
  core: Core,
): Claims | undefined {
  const claims = verifyToken(app, kind, token, core)
  return claims && core.sessions.isValid(claims) ? claims : undefined
}

/** Where a request comes from. */
export function deviceOf(request: FastifyRequest): Device {
  const { socket, headers } = request
  const ip = addressOf(request)
  const network = networkOf(ip)
  const userAgent = headers['user-agent']
  return { name: network, ip, language: ownLanguageOf(request), network, connection: socket, userAgent }
}

/** Who makes a change, for the audit log, and the class that they make it for; in guarded scopes. */
export function actorOf(request: FastifyRequest, classId?: number): Actor {
  return { id: request.caller.userId, ip: addressOf(request), classId }
}

/** Admin operations answer `Authentication required` for every invalid token (docs/protocol/http.md#envelopes). */
function identifyAdmin(request: FastifyRequest, core: Core): Claims {
  try {
    return identify(request, core)
  } catch (error) {
    if (error instanceof AppError && error.status === 401)
      throw new AppError(error.code, { message: new AppError('authentication_required').message })
    throw error
  }
}
