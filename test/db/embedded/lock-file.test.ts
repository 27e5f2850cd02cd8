import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { LockedError, takeLock } from '../../../src/db/embedded/lock-file.ts'

let path: string

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lock '))
  path = join(folder, 'service.lock')
  return () => rm(folder, { recursive: true, force: true })
})

test('a lock is held once, until it is released', async () => {
  const release = await takeLock(path)
  await expect(takeLock(path)).rejects.toEqual(new LockedError(path, process.pid))
  release()
  const releaseAgain = await takeLock(path)
  release()
  await expect(takeLock(path)).rejects.toThrow(LockedError)
  releaseAgain()
})

test('a lock ends with its process, even if its pid file then names a running one', async () => {
  const code = `
    const { takeLock } = await import(${JSON.stringify(new URL('../../../src/db/embedded/lock-file.ts', import.meta.url))})
    await takeLock(process.argv[1])
    process.send('locked')
    process.channel.ref()
    process.on('message', () => {})`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code, path], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder, 'message')
  await expect(takeLock(path)).rejects.toEqual(new LockedError(path, holder.pid))

  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await writeFile(`${path}.pid`, String(process.ppid))
  const release = await takeLock(path)
  release()
})

test('the error names the file that cannot be locked', async () => {
  await expect(takeLock(join(path, 'missing', 'service.lock'))).rejects.toThrow(
    'service.lock cannot be locked',
  )
})

test.runIf(process.getuid?.() !== 0)('a file that may not be written cannot be locked', async () => {
  await writeFile(path, '', { mode: 0o444 })
  await expect(takeLock(path)).rejects.toThrow('service.lock cannot be locked')
})
