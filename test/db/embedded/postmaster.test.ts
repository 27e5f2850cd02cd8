import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { shutDown } from '../../../src/db/embedded/postmaster.ts'

test('a server that ignores a fast shutdown gets an immediate one', async () => {
  const server = await startStandIn('trap "" INT; trap "exit 3" QUIT')
  await shutDown(server.pid as number, () => server.exitCode !== null, 200)
  expect(server.exitCode).toBe(3)
})

test('the error names the process that does not stop', async () => {
  const server = await startStandIn('trap "" INT QUIT')
  await expect(shutDown(server.pid as number, () => false, 50)).rejects.toThrow(`pid ${server.pid}`)
})

/** A shell instead of PostgreSQL, which can hardly be made to ignore signals. */
async function startStandIn(traps: string) {
  const server = spawn('/bin/sh', ['-c', `${traps}; echo; while :; do sleep 0.01; done`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(async () => {
    if (server.kill('SIGKILL')) await once(server, 'exit')
  })
  await once(server.stdout, 'data')
  return server
}
