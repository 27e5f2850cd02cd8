import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Asker, FairQueue } from '../../scheduling/fair-queue.ts'

export type Decoded =
  | { width: number; height: number }
  /** Why it is refused, for the person who uploaded it. */
  | { error: string }

const PROGRAM = fileURLToPath(new URL('decoder-process.ts', import.meta.url))
/** Images that are decoded at once, each in a process of its own. */
const DECODERS = 2
/** Longest that one image may take. */
const DECODE_TIMEOUT_MS = 5_000
/** How long a decoder waits for another image. */
const IDLE_MS = 30_000

/** Short, since images that wait are in memory. */
const queue = new FairQueue({ places: DECODERS, waiting: 30 })
const idle: { decoder: ChildProcess; end: NodeJS.Timeout }[] = []

/**
 * Decodes an image completely, which proves that it is one. It runs in another process: a decoder that takes too long
 * can only be stopped together with its process, and in this one it would use the threads that hash passwords.
 */
export function decodeImage(bytes: Uint8Array, asker: Asker): Promise<Decoded> {
  return queue.run(asker, async () => {
    const decoder = takeDecoder()
    const decoded = await ask(decoder, bytes)
    if (decoder.connected) keepDecoder(decoder)
    return decoded
  })
}

function takeDecoder(): ChildProcess {
  const kept = idle.pop()
  if (!kept) return startDecoder()
  clearTimeout(kept.end)
  return kept.decoder
}

function startDecoder(): ChildProcess {
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
  return decoder
}

function keepDecoder(decoder: ChildProcess): void {
  const end = setTimeout(() => decoder.disconnect(), IDLE_MS).unref()
  idle.push({ decoder, end })
}

function ask(decoder: ChildProcess, bytes: Uint8Array): Promise<Decoded> {
  return new Promise((resolve) => {
    const settle = (decoded: Decoded) => {
      clearTimeout(timer)
      decoder.off('message', settle).off('disconnect', fail)
      resolve(decoded)
    }
    const fail = () => settle({ error: 'The image could not be read' })
    const timer = setTimeout(() => {
      decoder.kill('SIGKILL')
      settle({ error: 'The image takes too long to read' })
    }, DECODE_TIMEOUT_MS)
    decoder.on('message', settle).on('disconnect', fail)
    decoder.send(bytes, (error) => {
      if (error) fail()
    })
  })
}
