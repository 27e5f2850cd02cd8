#!/usr/bin/env bash
# nginx 1.22 (Debian 12), two servers with `max_fails=1` that were both away for one request: after `fail_timeout` is over
# and both are up, of simultaneous requests only one goes to each server, as a trial; the others get 502 at once, "no live
# upstreams", until the trial is answered. However long ago the failure was: nothing forgets it but an answer. Needs nginx.
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

const FAIL_TIMEOUT_SECONDS = 1
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
const [front, one, other] = [await freePort(), await freePort(), await freePort()]
const configure = (maxFails) => `
  daemon off; pid nginx.pid; error_log stderr crit; worker_processes 1;
  events {}
  http {
    access_log off;
    client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
    upstream nodes {
      server 127.0.0.1:${one} max_fails=${maxFails} fail_timeout=${FAIL_TIMEOUT_SECONDS}s;
      server 127.0.0.1:${other} max_fails=${maxFails} fail_timeout=${FAIL_TIMEOUT_SECONDS}s;
    }
    server { listen 127.0.0.1:${front}; location / { proxy_pass http://nodes; } }
  }`
// An agent for each request, so that they really are simultaneous.
const ask = () =>
  new Promise((resolve, reject) => {
    http.get({ port: front, host: '127.0.0.1', agent: false }, (answer) => resolve(answer.resume().statusCode)).on('error', reject)
  })

async function lookAt(maxFails) {
  writeFileSync('nginx.conf', configure(maxFails))
  const nginx = spawn('nginx', ['-p', process.cwd(), '-c', 'nginx.conf'], { stdio: ['ignore', 'ignore', 'ignore'] })
  let whileAway
  while (whileAway === undefined) whileAway = await ask().catch(() => sleep(50))
  const servers = [one, other].map((port) =>
    http.createServer((_request, response) => setTimeout(() => response.end(), 300)).listen(port, '127.0.0.1'),
  )
  await sleep(3_000 * FAIL_TIMEOUT_SECONDS)
  const statuses = await Promise.all(Array.from({ length: 10 }, ask))
  const afterwards = await Promise.all(Array.from({ length: 10 }, ask))
  for (const server of servers) server.close()
  nginx.kill()
  await once(nginx, 'exit')
  const failed = (list) => list.filter((status) => status === 502).length
  return { 'both away': whileAway, 'both up for 3 s, 502 of ten at once': failed(statuses), 'of the next ten': failed(afterwards) }
}
const seen = { 'max_fails=1': await lookAt(1), 'max_fails=0': await lookAt(0) }
console.log(`fail_timeout=${FAIL_TIMEOUT_SECONDS}s`)
console.table(seen)
assert.deepEqual(Object.values(seen).map((row) => Object.values(row)), [[502, 8, 0], [502, 0, 0]])
JS
nginx -v
node seen.mjs
