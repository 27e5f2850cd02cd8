import {
  createClient,
  Disconnected,
  type Failure,
  type paths,
  Refused,
  Unreachable,
} from '@exam-practice/client'
import { web } from '@exam-practice/client/web'
import { t } from './texts.ts'

export const client = createClient({ baseUrl: location.origin, platform: web() })

/** The successful answer of an operation. */
export type Answer<P extends keyof paths, M extends keyof paths[P]> = paths[P][M] extends {
  responses: infer R
}
  ? {
      [S in keyof R & (200 | 201 | 202)]: R[S] extends { content: { 'application/json': infer B } }
        ? B
        : never
    }[keyof R & (200 | 201 | 202)]
  : never

/** A failure that the service answered, with its message. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly code: string
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.code = failure.code
    this.failure = failure
  }
}

/** The answer of an operation. Throws `RequestFailed` for a failure, `Unreachable` if the service can't be reached. */
export async function ask<T>(
  operation: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await operation
  if (data !== undefined && data !== null) return data
  const failure = error as Failure | undefined
  await loadFailures()
  // What a proxy answers has no message.
  throw new RequestFailed(
    failure?.message
      ? failure
      : { code: 'unknown', message: t('The service answered {status}', { status: response.status }) },
  )
}

const isEnglish = document.documentElement.lang === 'en'
let failures: Readonly<Record<string, string>> = {}

/**
 * Loads the texts of failures in the page's language; in English, failures are shown in the service's own words, which
 * say more. Without a connection they stay in these.
 */
export async function loadFailures(): Promise<void> {
  if (!isEnglish)
    failures = await import('virtual:failures').then(
      (loaded) => loaded.default,
      () => failures,
    )
}

/** What a failure says. */
function wordsOf({ code, message }: { code: string; message: string }): string {
  return failures[code] ?? message
}

/** What is wrong with a field: the service says that in English alone. */
export function explainField(message: string): string {
  return isEnglish ? message : t('not valid')
}

/** All pages of a list, in order; the first `most` of them. */
export async function readAllPages<T extends { total_pages: number }>(
  read: (page: number) => Promise<T>,
  most = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const pages: T[] = []
  for (let page = 1; ; page++) {
    const part = await read(page)
    pages.push(part)
    if (page >= Math.min(part.total_pages, most)) return pages
  }
}

/** The text of an error for the person who sees it. */
export function explain(error: unknown): string {
  if (error instanceof Unreachable)
    return t('The service can’t be reached. Check your connection; nothing is lost.')
  if (error instanceof Disconnected) return t('The answer was cut off. Try it again.')
  // What a proxy answers has no message.
  if (error instanceof Refused && error.message !== '') return wordsOf(error)
  if (error instanceof RequestFailed) {
    const fields = error.failure.errors?.map(
      ({ path, message }) => `${path.replace(/^\//, '')}: ${explainField(message)}`,
    )
    return fields?.length ? fields.join('; ') : wordsOf(error)
  }
  return t(
    'Something went wrong here. Reload the page; if it happens again, tell the operator of this service.',
  )
}

export function toFormData(
  fields: Record<string, string | number | boolean | Blob | null | undefined>,
): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (value instanceof Blob) data.append(name, value)
    else if (value !== undefined && value !== null) data.append(name, String(value))
  return data
}

type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never

/**
 * The query of an operation, of what stands in the page's address; empty values are left out. They may be of other
 * types than those that the operation takes: the service checks what somebody has typed there.
 */
export function toQuery<P extends keyof paths>(
  values: {
    [name in keyof QueryOf<P>]: string | number | undefined
  },
): QueryOf<P> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as QueryOf<P>
}
