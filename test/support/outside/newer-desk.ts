import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestOptions, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The names of built files, which change with their content. */
const BUILT = /([\w-]+-[\w-]{8})\.(js|css)/g
/** What the caches of a version are named by. */
const VERSION = /\b[\da-f]{16}\b/g
/** What of an answer another one must not claim. */
const OF_TRANSPORT = ['content-encoding', 'content-length', 'transfer-encoding', 'connection']

/**
 * A proxy for HTTP behind which the desk can be replaced: then each of its files has another name, and those of the old
 * names are gone.
 */
export async function startUpdatableDesk(target: string) {
  let isNewer = false
  const server = createServer(async (request, response) => {
    const address = request.url ?? '/'
    const isBuilt = /^\/desk\/assets\/.*\.(js|css)$/.test(address)
    if (isBuilt && isNewer !== address.includes('.newer.')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end()
      return
    }
    const { method = 'GET', headers } = request
    const asked = { method, headers: { ...headers, 'accept-encoding': 'identity' } }
    const answered = await ask(address.replace('.newer.', '.'), asked, await read(request))
    const body = await read(answered)
    const isOfDesk =
      address.startsWith('/desk') && /html|javascript|css/.test(answered.headers['content-type'] ?? '')
    const passed = Object.entries(answered.headers).filter(([name]) => !OF_TRANSPORT.includes(name))
    response
      .writeHead(answered.statusCode ?? 502, Object.fromEntries(passed))
      .end(isNewer && isOfDesk ? await renew(address, body.toString()) : body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function ask(address: string, options: RequestOptions = {}, body?: Buffer): Promise<IncomingMessage> {
    const asked = send(target + address, options)
    asked.end(body)
    const [answered] = await once(asked, 'response')
    return answered
  }

  async function read(message: IncomingMessage): Promise<Buffer> {
    return Buffer.concat(await message.toArray())
  }

  async function renew(address: string, text: string): Promise<string> {
    const renamed = text.replace(BUILT, '$1.newer.$2').replaceAll(VERSION, '$&-newer')
    const [, language] = /^\/desk\/worker\.js\?lang=(\w+)$/.exec(address) ?? []
    if (!language) return renamed
    // The worker checks that its page is the one that it was built with.
    const page = (await read(await ask(`/desk?lang=${language}`))).toString().replace(BUILT, '$1.newer.$2')
    const integrity = `sha384-${createHash('sha384').update(page).digest('base64')}`
    return renamed.replaceAll(/sha384-[\w+/]+=*/g, integrity)
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The service is updated. */
    update() {
      isNewer = true
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
