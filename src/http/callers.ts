import '@fastify/cookie'
import '@fastify/swagger'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../errors.ts'
import type { LiveSessions } from '../features/auth/live-sessions.ts'
import type { Device } from '../features/auth/sessions.ts'
import type { Claims } from '../tokens.ts'
import { failures } from './failures.ts'
import { SESSION_COOKIE } from './same-site.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking: set in guarded scopes, before any handler runs. */
    caller: Claims
  }
}

/** Every route that is registered on `scope` from here on is for signed-in people: 401 for anybody else. */
export function guardUsers(scope: FastifyInstance, sessions: LiveSessions): void {
  guard(scope, ['authentication_required', 'token_expired_or_invalid'], (request) =>
    identify(request, sessions),
  )
}

/** The same for administrators: 401 where nothing valid is presented, 403 for everybody else. */
export function guardAdmins(scope: FastifyInstance, sessions: LiveSessions): void {
  guard(scope, ['authentication_required', 'token_expired_or_invalid', 'admin_required'], (request) => {
    const caller = identifyAdmin(request, sessions)
    if (!isAdmin(caller)) throw new AppError('admin_required')
    return caller
  })
}

export function isAdmin({ role }: Pick<Claims, 'role'>): boolean {
  return role !== 'user'
}

function guard(scope: FastifyInstance, codes: ErrorCode[], admit: (request: FastifyRequest) => Claims): void {
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
  scope.addHook('onRoute', (route) => {
    const response = route.schema?.response ?? {}
    route.schema = {
      ...route.schema,
      security: [{ bearer: [] }, { session: [] }],
      response: { ...failures(...codes), ...response },
    }
  })
}

function identify(request: FastifyRequest, sessions: LiveSessions): Claims {
  const claims = identifyIfAny(request, sessions)
  if (!claims) throw new AppError('authentication_required')
  return claims
}

/**
 * Who is asking, if anybody says so: by bearer token, else by the session cookie. 401 for a bearer token that
 * is not valid, whatever the cookie; a cookie that is not valid counts as none.
 */
export function identifyIfAny(request: FastifyRequest, sessions: LiveSessions): Claims | undefined {
  const token = bearerToken(request.headers.authorization)
  if (token === undefined) return identifyByCookie(request, sessions)
  const claims = sessions.verify('access', token)
  if (!claims) throw new AppError('token_expired_or_invalid')
  return claims
}

export function identifyByCookie(request: FastifyRequest, sessions: LiveSessions): Claims | undefined {
  const cookie = request.cookies[SESSION_COOKIE]
  return cookie === undefined ? undefined : sessions.verify('web', cookie)
}

/** Where a request comes from, for the list of sessions. */
export function deviceOf(request: FastifyRequest): Device {
  return { ip: request.ip, userAgent: request.headers['user-agent'] }
}

/** Admin operations say `Authentication required` whatever is wrong with a token (specification: Errors). */
function identifyAdmin(request: FastifyRequest, sessions: LiveSessions): Claims {
  try {
    return identify(request, sessions)
  } catch (error) {
    if (error instanceof AppError && error.status === 401)
      throw new AppError(error.code, { message: new AppError('authentication_required').message })
    throw error
  }
}

/** undefined where no bearer token is presented at all; '' for a header that holds none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme, token = ''] = (authorization ?? '').trim().split(/ +/)
  return scheme?.toLowerCase() === 'bearer' ? token : undefined
}
