import type { ClientFrame, ServerFrame, ServerFrames } from '../generated/frames.ts'
import { Disconnected, type ErrorFrame, Refused } from './errors.ts'
import type { PendingFrame, SocketStatus } from './socket.ts'

/** The outcome of a request. Neither field: the connection ended before the answer came. */
export interface FrameAnswer {
  ack?: ServerFrames['ack']
  refused?: ErrorFrame
}

/** Messages between tabs. */
export type TabMessage =
  | { kind: 'status'; status: SocketStatus; ready: ServerFrames['ready'] | undefined; isNew: boolean }
  | { kind: 'frame'; frame: ServerFrame }
  | { kind: 'ask'; from: string; id: number; frame: ClientFrame }
  | { kind: 'answer'; to: string; id: number; answer: FrameAnswer }
  | { kind: 'post'; from: string; frame: ClientFrame }
  | { kind: 'hello' | 'probe' }
  | { kind: 'bye'; from: string }

/** The outcome in a form that can be sent to another tab: an error would lose all but its text. */
export function toAnswer(work: Promise<ServerFrames['ack']>): Promise<FrameAnswer> {
  return work.then(
    (ack) => ({ ack }),
    (error) => {
      if (!(error instanceof Refused)) return {}
      const { code, message, retryAfter } = error
      return { refused: { code, message, retry_after: retryAfter && retryAfter / 1_000 } }
    },
  )
}

export function settle({ resolve, reject }: PendingFrame, { ack, refused }: FrameAnswer): void {
  if (ack) resolve(ack)
  else reject(refused ? new Refused(refused) : new Disconnected())
}
