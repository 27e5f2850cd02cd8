// Runs after each install and repairs the PostgreSQL driver (postgres 3.4.9):
// - A transaction that wrote into a lost connection ended the process (its issues 1154 and 1208).
// - If a connection was lost while data waited to be written, its successor never wrote anything.
// - A query sent between the error of a socket and its end was never answered.
// - After a statement that failed behind its first rows, the next result began with that many empty places.
// - A connection lost while the driver read the types of arrays was an unhandled rejection, which ended the process.
// test/db/lost-connections.test.ts and test/db/client.test.ts show each. It is plain JavaScript, for any Node.js.
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
  // A new file, since package managers may share the old one with other checkouts.
  writeFileSync(`${FILE}.mended`, text)
  renameSync(`${FILE}.mended`, FILE)
}
