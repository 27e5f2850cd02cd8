import { createClient, type Failure, type paths, Unreachable } from '@exam-practice/client'
import { web } from '@exam-practice/client/web'

export const client = createClient({ baseUrl: location.origin, platform: web() })

/** What an operation answers when it went well. */
export type Answer<P extends keyof paths, M extends keyof paths[P]> = paths[P][M] extends {
  responses: infer R
}
  ? {
      [S in keyof R & (200 | 201 | 202)]: R[S] extends { content: { 'application/json': infer B } }
        ? B
        : never
    }[keyof R & (200 | 201 | 202)]
  : never

/** The service said no, in its own words. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly failure: Failure
  constructor(failure: Failure, status: number) {
    super(failure.message)
    this.code = failure.code
    this.status = status
    this.failure = failure
  }
}

/** What an operation answers, or a throw: `Refusal` where the service says no, `Unreachable` where it can't be asked. */
export async function ask<T>(
  operation: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await operation
  if (data !== undefined && data !== null) return data
  throw new Refusal(
    (error as Failure) ?? { code: 'unknown', message: `The service answered ${response.status}` },
    response.status,
  )
}

/** A failure in words for whoever sees it. */
export function explain(error: unknown): string {
  if (error instanceof Unreachable)
    return 'The service can’t be reached. Check your connection; nothing is lost.'
  if (error instanceof Refusal) {
    const fields = error.failure.errors?.map(({ path, message }) => `${path.replace(/^\//, '')}: ${message}`)
    return fields?.length ? fields.join('; ') : error.message
  }
  return 'Something went wrong here. Reload the page; if it happens again, tell whoever runs this service.'
}

export function form(fields: Record<string, string | number | boolean | Blob | null | undefined>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (value instanceof Blob) data.append(name, value)
    else if (value !== undefined && value !== null) data.append(name, String(value))
  return data
}
