import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const hasChromium = existsSync(CHROMIUM)
if (!hasChromium)
  console.warn(`no Chromium at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM; its tests are skipped`)

/**
 * Serves a page with the script page.ts, an empty one at /elsewhere, and at /framed one that has the first in a frame
 * without an origin, to which browsers deny all storage.
 */
export async function servePages(): Promise<{ port: number; close(): void }> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('page.ts', import.meta.url)),
    platform: 'browser',
  })
  const script = (await bundle.generate({ format: 'esm' })).output[0].code
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const isScript = pathname === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    // Scripts of modules are read across origins.
    response.setHeader('access-control-allow-origin', '*')
    if (isScript) response.end(script)
    else if (pathname === '/framed')
      response.end(`<!doctype html><iframe sandbox="allow-scripts" src="/${search}"></iframe>`)
    else response.end('<!doctype html><script type="module" src="/page.js"></script>')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
