import { type Logger, pino } from 'pino'

/**
 * JSON lines, or readable ones on a terminal. Secrets never reach a line
 * (docs/protocol/operations.md#endpoints).
 */
export async function createLog(level: string): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['authorization', 'cookie', 'password', 'token'].flatMap((name) => [
        name,
        `*.${name}`,
        `*.*.${name}`,
      ]),
      censor: '[hidden]',
    },
    serializers: { err: describeError },
  }
  if (!process.stdout.isTTY) return pino(options)
  const { default: pretty } = await import('pino-pretty')
  return pino(options, pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', sync: true }))
}

/** Drizzle's errors contain the query's parameters, and so messages of people: only the cause is logged. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const cause = 'query' in error && error.cause instanceof Error ? error.cause : error
  const { name, message, stack } = cause
  return { name, message, code: 'code' in cause ? cause.code : undefined, stack }
}
