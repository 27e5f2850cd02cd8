#!/usr/bin/env bash
# ioredis 6.0.0, a cluster with `shardedSubscribers` and `enableAutoPipelining`: a `ssubscribe` that is called in one turn
# of the event loop with another command becomes part of its pipeline, on a connection that is no subscriber. It is
# answered as a success, and no message ever comes. The unsharded `subscribe` is left out of pipelines by the library
# itself; the sharded ones have to be named. Needs Redis 7 (redis-server).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ioredis@6.0.0
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'

const free = createServer().listen(0, '127.0.0.1')
await once(free, 'listening')
const { port } = free.address()
free.close()
// A cluster of one, whose own bus has another free port.
const busPort = port > 50_000 ? port - 10_000 : port + 10_000
const settings = { port, bind: '127.0.0.1', save: '', 'cluster-enabled': 'yes', 'cluster-port': busPort, 'cluster-announce-ip': '127.0.0.1' }
const server = spawn('redis-server', Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]))
await new Promise((resolve) => server.stdout.on('data', (text) => /Ready to accept/.test(text) && resolve()))
const node = new Redis(port)
await node.call('cluster', 'addslotsrange', 0, 16383)
while (!String(await node.call('cluster', 'info')).includes('cluster_state:ok')) await sleep(50)

async function subscribeBesideGet(autoPipeliningIgnoredCommands) {
  const cluster = new Cluster([{ host: '127.0.0.1', port }], {
    shardedSubscribers: true,
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands,
  })
  await once(cluster, 'ready')
  const messages = []
  cluster.on('smessage', (_channel, text) => messages.push(text))
  const [, answer] = await Promise.all([cluster.get('{a}key'), cluster.ssubscribe('{a}channel')])
  await node.spublish('{a}channel', 'hello')
  await sleep(1_000)
  cluster.disconnect()
  return { 'ssubscribe answers': answer, 'messages that came': messages.length }
}
const seen = {
  'as it is': await subscribeBesideGet([]),
  'ssubscribe named as one to leave out': await subscribeBesideGet(['ssubscribe', 'sunsubscribe']),
}
console.log('ioredis 6.0.0; a subscription and a get in one turn, then one message')
console.table(seen)
node.disconnect()
server.kill()
assert.deepEqual(Object.values(seen).map((row) => row['messages that came']), [0, 1])
JS
node seen.mjs
