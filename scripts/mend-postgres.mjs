// After each install: mends the PostgreSQL driver (postgres 3.4.9), where the loss of a connection
// - ends the process, when a transaction goes on to write into a socket that is gone (its issues 1154 and 1208);
// - leaves the connection mute for good, when something was about to be written;
// - leaves a query unanswered that was asked between the error and the end of its socket;
// - goes on counting rows where a statement fails after its first ones: the next result begins with as many empty places;
// - fails unheard, which ends the process, while it asks for the types of arrays: the connection's end says it already.
// test/db/lost-connections.test.ts and test/db/client.test.ts show each. Plain JavaScript: any Node.js may run it.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('../node_modules/postgres/src/connection.js', import.meta.url))

const CHANGES = [
  [
    `    if (terminated)
      return queryError(q, Errors.connection('CONNECTION_DESTROYED', options))
`,
    `    if (terminated || !socket)
      return queryError(q, Errors.connection(terminated ? 'CONNECTION_DESTROYED' : 'CONNECTION_CLOSED', options)), true
`,
  ],
  ['    const x = socket.write(chunk, fn)\n', '    const x = socket ? socket.write(chunk, fn) : false\n'],
  [
    `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()
`,
    `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()
`,
  ],
  [
    "    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
    "    ;(query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
  ],
  ['        socket.write(b().f()', '        socket && socket.write(b().f()'],
  [
    '  function ErrorResponse(x) {\n    if (query) {\n',
    '  function ErrorResponse(x) {\n    rows = 0\n    if (query) {\n',
  ],
  ['        return fetchArrayTypes()\n', '        return fetchArrayTypes().catch(() => {})\n'],
]

const original = readFileSync(FILE, 'utf8')
let text = original
for (const [from, to] of CHANGES) {
  if (text.includes(to)) continue
  if (!text.includes(from)) throw new Error(`scripts/mend-postgres.mjs does not fit this version of ${FILE}`)
  text = text.replaceAll(from, to)
}
if (text !== original) {
  // A file of its own, should this one be shared with another checkout.
  writeFileSync(`${FILE}.mended`, text)
  renameSync(`${FILE}.mended`, FILE)
}
