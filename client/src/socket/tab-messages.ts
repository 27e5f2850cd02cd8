import type { ClientFrame, ServerFrame, ServerFrames } from '../generated/frames.ts'
import { Disconnected, type Refusal, Refused } from './errors.ts'
import type { SocketStatus } from './socket.ts'

/** What came of a request. Neither: the socket went before the answer came. */
export interface Answer {
  ack?: ServerFrames['ack']
  refused?: Refusal
}

/** What tabs tell one another. */
export type TabMessage =
  | { kind: 'status'; status: SocketStatus; ready: ServerFrames['ready'] | undefined; isNew: boolean }
  | { kind: 'frame'; frame: ServerFrame }
  | { kind: 'ask'; from: string; id: number; frame: ClientFrame }
  | { kind: 'answer'; to: string; id: number; answer: Answer }
  | { kind: 'post'; from: string; frame: ClientFrame }
  | { kind: 'hello' | 'probe' }
  | { kind: 'bye'; from: string }

/** Who waits for an answer. */
export interface Ask {
  resolve(ack: ServerFrames['ack']): void
  reject(error: Error): void
}

/** As another tab can be told it: of an error nothing but its text would arrive. */
export function toAnswer(work: Promise<ServerFrames['ack']>): Promise<Answer> {
  return work.then(
    (ack) => ({ ack }),
    (error) => {
      if (!(error instanceof Refused)) return {}
      const { code, message, retryAfter } = error
      return { refused: { code, message, retry_after: retryAfter && retryAfter / 1_000 } }
    },
  )
}

export function settle({ resolve, reject }: Ask, { ack, refused }: Answer): void {
  if (ack) resolve(ack)
  else reject(refused ? new Refused(refused) : new Disconnected())
}
