import { type Progress, upload } from '../http/exchange.ts'
import type { Client } from '../index.ts'

export type { Progress } from '../http/exchange.ts'

/**
 * For the `fetch` option of an operation that takes a form: `fetch: withProgress(client, tell)`. The form is sent once,
 * without retries. On platforms that can't report progress it is sent without.
 */
export function withProgress(
  client: Client,
  tell: Progress,
): (request: Request, form?: FormData) => Promise<Response> {
  return async (request, form) => {
    await client.session.ready
    return upload(client, client.session.owner(), request, tell, form)
  }
}
