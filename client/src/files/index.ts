import { withToken } from '../http/authorized.ts'
import type { Client } from '../index.ts'

/** Bytes sent so far, and the total if it is known. */
export type Progress = (sent: number, total: number | undefined) => void

/**
 * For the `fetch` option of an operation that takes a form: `fetch: withProgress(client, tell)`. The form is sent once,
 * without retries. On platforms that can't report progress it is sent without.
 */
export function withProgress(client: Client, tell: Progress): (request: Request) => Promise<Response> {
  return async (request) => {
    const { upload } = client.platform
    const token = await client.session.token()
    if (!upload) return client.fetch(request)
    return upload(token === undefined ? request : withToken(request, token), tell)
  }
}
