import { ask } from './client.ts'

/** Downloads a file under the name that the service gives it, and returns the service's answer. */
export async function download(
  operation: Promise<{ data?: Blob; error?: unknown; response: Response }>,
  fallbackName: string,
): Promise<Response> {
  const file = await ask(operation)
  const { response } = await operation
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download =
    /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? fallbackName
  link.click()
  URL.revokeObjectURL(link.href)
  return response
}
