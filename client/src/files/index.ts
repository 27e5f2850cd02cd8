import { withToken } from '../http/authorized.ts'
import type { Client } from '../index.ts'

/** Bytes that have left, and of how many, where that is known. */
export type Progress = (sent: number, total: number | undefined) => void

/**
 * For the `fetch` of an operation that takes a form: `client.POST(path, { body: form, fetch: withProgress(client, tell) })`.
 * It is sent once. Where the platform can't tell, it goes out without.
 */
export function withProgress(client: Client, tell: Progress): (request: Request) => Promise<Response> {
  return async (request) => {
    const { upload } = client.platform
    const token = await client.session.token()
    if (!upload) return client.fetch(request)
    return upload(token === undefined ? request : withToken(request, token), tell)
  }
}
