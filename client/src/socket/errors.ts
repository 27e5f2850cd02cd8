import type { ServerFrames } from '../generated/frames.ts'

/** The connection ended before the answer came: the request may have been carried out or not. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected'

  constructor() {
    super('The connection is gone')
  }
}

/** The content of an `error` frame. */
export type ErrorFrame = Pick<ServerFrames['error'], 'code' | 'message'> & {
  retry_after?: number | undefined
}

/** The service answered a frame with `error`; its codes are those of HTTP. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: string
  /** Milliseconds. */
  readonly retryAfter: number | undefined

  constructor({ code, message, retry_after }: ErrorFrame) {
    super(message)
    this.code = code
    this.retryAfter = retry_after && retry_after * 1_000
  }
}
