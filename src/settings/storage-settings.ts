import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Static, Type } from 'typebox'

/** The variables about where files are kept, as operators write them. */
export const STORAGE_SETTINGS = Type.Object({
  STORAGE_URL: Type.String({
    pattern: '^(file:///.|s3://[\\w.-]+/?([?].*)?$)',
    description: 'file:///folder, or s3://bucket?endpoint=https://…&region=…',
  }),
  AWS_ACCESS_KEY_ID: Type.String(),
  AWS_SECRET_ACCESS_KEY: Type.String(),
  AWS_SESSION_TOKEN: Type.String(),
  AWS_REGION: Type.String(),
})

/** Where files are kept. */
export type Storage = { kind: 'disk'; folder: string } | S3Storage
export interface S3Storage {
  kind: 's3'
  bucket: string
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | undefined
}

/** Without STORAGE_URL a folder in `dataDir`. What doesn't fit together is added to `problems`. */
export function readStorageSettings(
  settings: Partial<Static<typeof STORAGE_SETTINGS>>,
  dataDir: string,
  problems: string[],
): Storage {
  const { STORAGE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = settings
  const url = STORAGE_URL === undefined ? undefined : URL.parse(STORAGE_URL)
  // Any other scheme has been reported among the problems already.
  if (url?.protocol === 'file:') return { kind: 'disk', folder: readFolder(url, problems) }
  if (url?.protocol !== 's3:') return { kind: 'disk', folder: path.join(dataDir, 'files') }
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    problems.push('AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: required with an s3: STORAGE_URL')
  const region = url.searchParams.get('region') ?? settings.AWS_REGION ?? 'us-east-1'
  const endpoint = url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    problems.push(`STORAGE_URL: '${endpoint}' is no http or https endpoint`)
  return {
    kind: 's3',
    bucket: url.hostname,
    endpoint: endpoint.replace(/\/+$/, ''),
    region,
    accessKeyId: AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '',
    sessionToken: settings.AWS_SESSION_TOKEN,
  }
}

function readFolder(url: URL, problems: string[]): string {
  try {
    return fileURLToPath(url)
  } catch {
    problems.push(`STORAGE_URL: '${url}' is no folder`)
    return ''
  }
}
