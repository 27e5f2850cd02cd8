#!/usr/bin/env bash
# Caddy 2.6.2 (Debian 12 and 13), two servers of which one refuses connections, and `lb_try_duration 5s`: a request without
# a body goes to the other server and nobody notices. With a body, were it two bytes, the same refusal is a 502: the second
# try reads a body that the first one closed, though nothing of it was sent. Mended upstream in spring 2026. Needs caddy.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
const [front, refusing] = [await freePort(), await freePort()]
const server = http.createServer((request, response) => request.resume().on('end', () => response.end()))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
writeFileSync(
  'Caddyfile',
  `{
    admin off
    auto_https off
  }
  http://127.0.0.1:${front} {
    reverse_proxy 127.0.0.1:${refusing} 127.0.0.1:${server.address().port} {
      lb_policy round_robin
      lb_try_duration 5s
      lb_try_interval 100ms
    }
  }`,
)
const here = process.cwd()
const caddy = spawn('caddy', ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], {
  stdio: 'ignore',
  env: { PATH: process.env.PATH, HOME: here, XDG_DATA_HOME: here, XDG_CONFIG_HOME: here },
})
const ask = (method, body) =>
  new Promise((resolve, reject) => {
    const answered = (answer) => resolve(answer.resume().statusCode)
    http.request({ host: '127.0.0.1', port: front, method, agent: false }, answered).on('error', reject).end(body)
  })
let isUp = false
while (!isUp) isUp = await ask('GET').then(() => true, () => sleep(50))

async function askFourTimes(method, body) {
  const statuses = []
  for (let count = 0; count < 4; count++) statuses.push(await ask(method, body))
  return statuses
}
const seen = {
  GET: await askFourTimes('GET'),
  'POST without a body': await askFourTimes('POST'),
  'POST of two bytes': await askFourTimes('POST', '{}'),
}
console.table(seen)
caddy.kill()
server.close()
const [answered, failed] = [Array(4).fill(200), Array(4).fill(502)]
assert.deepEqual(Object.values(seen), [answered, answered, failed])
JS
caddy version
node seen.mjs
