import type { FastifyBaseLogger } from 'fastify'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/**
 * A logger that is made when its first line is written. Requests have one each, of which most write nothing, and making
 * one takes 3 % of a request's time, since it looks for secrets in the request's id.
 */
export class LateLogger implements FastifyBaseLogger {
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make
  }

  get #logger(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }

  #write(level: Level, [first, ...others]: unknown[]): void {
    this.#logger[level](first, ...(others as [string?]))
  }

  get level(): string {
    return this.#logger.level
  }

  set level(level: string) {
    this.#logger.level = level
  }

  child(...settings: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#logger.child(...settings)
  }

  fatal(...line: unknown[]): void {
    this.#write('fatal', line)
  }

  error(...line: unknown[]): void {
    this.#write('error', line)
  }

  warn(...line: unknown[]): void {
    this.#write('warn', line)
  }

  info(...line: unknown[]): void {
    this.#write('info', line)
  }

  debug(...line: unknown[]): void {
    this.#write('debug', line)
  }

  trace(...line: unknown[]): void {
    this.#write('trace', line)
  }

  silent(...line: unknown[]): void {
    this.#write('silent', line)
  }
}
