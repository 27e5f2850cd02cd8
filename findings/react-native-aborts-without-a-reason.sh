#!/usr/bin/env bash
# abort-controller 3.0.0, which React Native has for its AbortController up to 0.86: an aborted signal has no `reason`,
# whatever `abort` was given, and no `throwIfAborted`. Code that rejects by `signal.reason`, as Node's and browsers' own
# functions do, rejects with undefined there; a `catch (error)` that reads `error.name` then fails itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund abort-controller@3.0.0
cat >seen.mjs <<'JS'
import assert from 'node:assert/strict'
import { AbortController as ReactNatives } from 'abort-controller'

function look(Controller) {
  const controller = new Controller()
  controller.abort(new Error('too late'))
  const { aborted, reason, throwIfAborted } = controller.signal
  return { aborted, reason: String(reason), throwIfAborted: typeof throwIfAborted }
}
const seen = { [`Node.js ${process.version}`]: look(AbortController), 'abort-controller 3.0.0': look(ReactNatives) }
console.table(seen)
assert.deepEqual(Object.values(seen), [
  { aborted: true, reason: 'Error: too late', throwIfAborted: 'function' },
  { aborted: true, reason: 'undefined', throwIfAborted: 'undefined' },
])
JS
node seen.mjs
