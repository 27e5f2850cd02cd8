import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { busy } from '../../errors.ts'

export type DecodedImage =
  /** `tellsMore`: it holds more than what it shows, such as where it was taken. */
  | { width: number; height: number; tellsMore: boolean }
  /** Why it is refused, for the person who uploaded it. */
  | { error: string }

/** An image that was encoded anew, and a small copy of it (WebP). */
export type PreparedImage =
  | { bytes: Uint8Array; preview: Uint8Array; width: number; height: number }
  | { error: 'no image' | 'too large' }

/** What a decoder process is asked for. */
export type Order =
  | { task: 'check'; bytes: Uint8Array }
  /** `largest`: the most bytes that the answer's image may have. */
  | { task: 'prepare'; bytes: Uint8Array; largest: number }

const PROGRAM = fileURLToPath(new URL('image-decoder-process.ts', import.meta.url))
/** The longest that a decoder may take until it is ready: a machine that has much to do says nothing of an image. */
const START_TIMEOUT_MS = 10_000
/** The longest that one image may take then. */
const TIMEOUTS_MS = { check: 5_000, prepare: 20_000 }
/** How long a decoder waits for another image. */
const IDLE_MS = 30_000

const idle: { decoder: ChildProcess; end: NodeJS.Timeout }[] = []

/**
 * Decodes an image completely, which proves that it is one. It runs in another process: a decoder that takes too long
 * can only be stopped together with its process, and in this one it would use the threads that hash passwords.
 */
export function decodeImage(bytes: Uint8Array): Promise<DecodedImage> {
  return order({ task: 'check', bytes }, { error: 'The image could not be read' })
}

/** Encodes an image of an accepted type anew, in the same way, into at most `largest` bytes. */
export function prepareImage(bytes: Uint8Array, largest = Number.POSITIVE_INFINITY): Promise<PreparedImage> {
  return order<PreparedImage>({ task: 'prepare', bytes, largest }, { error: 'too large' })
}

async function order<Answer extends object>(asked: Order, failed: Answer): Promise<Answer> {
  const decoder = takeDecoder() ?? (await startDecoder())
  const answer = await ask(decoder, asked, failed)
  if (decoder.connected) keepDecoder(decoder)
  return answer
}

function takeDecoder(): ChildProcess | undefined {
  const kept = idle.pop()
  clearTimeout(kept?.end)
  return kept?.decoder
}

/** 503 if it doesn't start, or takes too long. */
async function startDecoder(): Promise<ChildProcess> {
  const decoder = fork(PROGRAM, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    execArgv: [],
  })
  // It does not keep this process alive.
  decoder.unref()
  decoder.channel?.unref()
  // It may end at any time; the next request notices that.
  decoder.on('error', () => {})
  decoder.once('disconnect', () => {
    const at = idle.findIndex((kept) => kept.decoder === decoder)
    if (at >= 0) clearTimeout(idle.splice(at, 1)[0]?.end)
  })
  const isReady = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, START_TIMEOUT_MS, false)
    const settle = (ready: boolean) => {
      clearTimeout(timer)
      resolve(ready)
    }
    // Its first message says that it is ready.
    decoder.once('message', () => settle(true)).once('disconnect', () => settle(false))
    decoder.once('error', () => settle(false))
  })
  if (isReady) return decoder
  decoder.kill('SIGKILL')
  throw busy()
}

function keepDecoder(decoder: ChildProcess): void {
  const end = setTimeout(() => decoder.disconnect(), IDLE_MS).unref()
  idle.push({ decoder, end })
}

/** `failed`: the answer of a decoder that takes too long or ends. */
function ask<Answer extends object>(decoder: ChildProcess, asked: Order, failed: Answer): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer) => {
      clearTimeout(timer)
      decoder.off('message', settle).off('disconnect', fail)
      resolve(answer)
    }
    const fail = () => settle(failed)
    const timer = setTimeout(() => {
      decoder.kill('SIGKILL')
      fail()
    }, TIMEOUTS_MS[asked.task])
    decoder.on('message', settle).on('disconnect', fail)
    decoder.send(asked, (error) => {
      if (error) fail()
    })
  })
}
