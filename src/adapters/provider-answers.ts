import { isConfidential } from '../formats/loopback.ts'

/** The provider can't be reached, takes too long, or answers what nobody asked for. */
export class ProviderDown extends Error {
  override readonly name = 'ProviderDown'
}

/** Bytes of one answer: discovery, keys and claims are small. */
const LARGEST_ANSWER = 1024 * 1024

interface ProviderRequest {
  method: string
  headers: Record<string, string> | Headers
  body?: RequestInit['body'] | undefined
  signal?: AbortSignal | undefined
}

/**
 * Fetches for the libraries that speak with the provider: from addresses that nobody can read along, without following
 * redirects, and whole, so that the time limit holds for the body too. Throws `ProviderDown` for what isn't the
 * provider's own answer.
 */
export async function readAnswer(
  url: string,
  { method, headers, body, signal }: ProviderRequest,
): Promise<Response> {
  if (!isConfidential(new URL(url))) throw new ProviderDown(`${url} is neither https nor on this machine`)
  try {
    const asked = { method, headers, body: body ?? null, signal: signal ?? null }
    const response = await fetch(url, { ...asked, redirect: 'manual' })
    const { status } = response
    if (status >= 500 || (status >= 300 && status < 400)) {
      await response.body?.cancel()
      throw new ProviderDown(`${new URL(url).pathname} answers ${status}`)
    }
    return new Response(await readBody(response), { status, headers: response.headers })
  } catch (error) {
    if (error instanceof ProviderDown) throw error
    throw new ProviderDown(`${new URL(url).pathname} does not answer`, { cause: error })
  }
}

async function readBody(response: Response): Promise<Blob | null> {
  if (response.body === null) return null
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const part of response.body) {
    bytes += part.byteLength
    if (bytes > LARGEST_ANSWER) throw new ProviderDown('the answer is too large')
    parts.push(part)
  }
  return new Blob(parts)
}
