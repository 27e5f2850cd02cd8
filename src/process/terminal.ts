import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** A line that somebody types, or the first one of what is piped in; '' if there is none. `hidden`: it isn't shown. */
export async function readLine(question: string, { hidden = false } = {}): Promise<string> {
  const { stdin, stderr } = process
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({
    input: stdin,
    output: hidden ? nowhere : stderr,
    terminal: stdin.isTTY === true,
  })
  try {
    if (stdin.isTTY) stderr.write(question)
    const typed = once(terminal, 'line').then(([line]) => String(line))
    // If the input ends, nobody answers the question.
    const ended = once(terminal, 'close').then(() => '')
    return await Promise.race([typed, ended])
  } finally {
    terminal.close()
    if (hidden && stdin.isTTY) stderr.write('\n')
  }
}
