import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Files } from '../../adapters/files.ts'
import { lockTables } from '../../db/table-locks.ts'
import { type AddPart, type ArchivePart, BackupError, type BackupFile, readTar, writeTar } from './archive.ts'
import * as store from './backup.store.ts'

/** Version of the backup file's own format. */
const FORM = 1
/** Bytes of a table's rows that are in memory at once. */
const PART_BYTES = 8 * 1024 * 1024
/** Tables without meaning in another place or time: logins end, and their tokens and devices with them. */
const LEFT_OUT = new Set([
  'sessions',
  'refresh_tokens',
  'revocations',
  'login_failures',
  'password_resets',
  'earlier_resets',
  'password_links',
  'push_keys',
  'push_subscriptions',
  'pushes',
  'push_causes',
  'push_cursor',
  'push_gaps',
  'notice_causes',
  'notice_closings',
  // Made anew from the messages.
  'message_words',
  'search_marks',
  // Which nodes run.
  'nodes',
])

/** More sessions than begin between a backup and what it is needed for. */
const UNKNOWN_SESSIONS = 1_000_000

export interface Installation {
  databaseUrl: string
  /** Of a standby that backups read from, if it isn't too far behind. */
  databaseReadUrl?: string | undefined
  files: Files
}

/** Called with what is being done, for somebody who waits. */
export type Progress = (what: string) => void

export interface Manifest {
  form: number
  taken_at: string
  postgres: string
  migrations: string[]
  tables: {
    name: string
    columns: string[]
    rows: number
    /** The last number of its sequence; null if it has none. */
    last: string | null
    parts: ArchivePart[]
  }[]
  left_out: string[]
  /** Their tokens are void after a restore. */
  sessions: number[]
  files: (ArchivePart & { key: string; content_type: string })[]
}

/**
 * Writes the whole service into one file, database and stored files, as of one moment, while it runs: one snapshot
 * for all tables, and no file is deleted until the end. It contains the hashes of passwords, but not the service's own
 * secrets: they are settings, or in the data folder.
 */
export async function writeBackup(
  place: Installation,
  to: BackupFile,
  progress: Progress,
): Promise<Manifest> {
  const sql = store.connect(place.databaseUrl, 2)
  try {
    // The lock is taken first, in another transaction: a transaction's snapshot is older than a lock that it takes
    // itself.
    return await sql.begin(async (hold) => {
      await store.holdFiles(sql, hold)
      const url = place.databaseReadUrl
      const replica = url && (await store.hasCaughtUp(url, sql, hold)) ? store.connect(url, 1) : undefined
      if (url) progress(replica ? 'reading from the replica' : 'the replica is too far behind, or away')
      try {
        return await (replica ?? sql).begin('isolation level repeatable read read only', async (tx) => {
          await store.liftTimeLimit(tx)
          return await writeTar(to, (add) => copyAll(tx, place.files, add, progress))
        })
      } finally {
        await replica?.end({ timeout: 3 })
      }
    })
  } finally {
    await sql.end({ timeout: 3 })
  }
}

/** Adds everything, and a manifest of it at the end. */
async function copyAll(tx: store.Sql, files: Files, add: AddPart, progress: Progress): Promise<Manifest> {
  const manifest: Manifest = {
    form: FORM,
    taken_at: new Date().toISOString(),
    postgres: await store.readServerVersion(tx),
    migrations: await store.listMigrations(tx),
    tables: await copyTables(tx, add, progress),
    left_out: [...LEFT_OUT],
    sessions: await store.listSessions(tx),
    files: await copyFiles(files, add, progress),
  }
  await add('manifest.json', Buffer.from(JSON.stringify(manifest)))
  return manifest
}

async function copyTables(tx: store.Sql, add: AddPart, progress: Progress): Promise<Manifest['tables']> {
  const tables: Manifest['tables'] = []
  for (const table of await store.listTables(tx)) {
    const { name, columns } = table
    if (LEFT_OUT.has(name)) continue
    const parts: ArchivePart[] = []
    let rows = 0
    for await (const bytes of inParts(await store.copyOut(tx, table))) {
      rows += countLines(bytes)
      parts.push(await add(`tables/${name}/${parts.length}.copy`, bytes))
      progress(`${name}: ${rows} rows`)
    }
    tables.push({ name, columns, rows, parts, last: await store.readNumbering(tx, table) })
  }
  return tables
}

async function copyFiles(files: Files, add: AddPart, progress: Progress): Promise<Manifest['files']> {
  const copied: Manifest['files'] = []
  for await (const key of files.list()) {
    const file = await files.get(key)
    if (!file) continue
    const part = await add(`files/${copied.length}`, file.bytes)
    copied.push({ ...part, key, content_type: file.contentType })
    progress(`files: ${copied.length}`)
  }
  return copied
}

/** Whole lines, some megabytes at a time. */
async function* inParts(stream: Readable): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    waiting.push(chunk)
    size += chunk.length
    if (size < PART_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}

/** COPY escapes line ends within values. */
function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1
  return lines
}

/** Reads a backup to its end and checks it; answers its manifest. Throws `BackupError`. */
export async function checkBackup(from: BackupFile, progress: Progress): Promise<Manifest> {
  const { path } = from
  const found = new Map<string, ArchivePart>()
  let manifest: Manifest | undefined
  for await (const { bytes, ...part } of readTar(from)) {
    found.set(part.name, part)
    if (part.name === 'manifest.json') manifest = JSON.parse(bytes.toString()) as Manifest
    progress(`checking: ${found.size} parts`)
  }
  if (!manifest) throw new BackupError(`${path} is no whole backup of this service`)
  if (manifest.form !== FORM) throw new BackupError(`${path} has a form that this version does not know`)
  const parts = listParts(manifest)
  for (const { name, sha256 } of parts)
    if (found.get(name)?.sha256 !== sha256)
      throw new BackupError(`${path} is damaged: ${name} is not what it was`)
  const names = new Set(parts.map(({ name }) => name))
  if (names.size < parts.length) throw new BackupError(`${path} lists a part twice`)
  return manifest
}

const listParts = ({ tables, files }: Manifest): ArchivePart[] => [
  ...tables.flatMap(({ parts }) => parts),
  ...files,
]

/** Whether there is nothing that a restore would remove. */
export async function isUnused({ databaseUrl }: Installation): Promise<boolean> {
  const sql = store.connect(databaseUrl, 1)
  try {
    const tables = await store.listTables(sql)
    return await store.isUnused(
      sql,
      tables.filter(({ name }) => !LEFT_OUT.has(name)),
    )
  } finally {
    await sql.end({ timeout: 3 })
  }
}

/**
 * Replaces everything that is there by a checked backup, in one transaction. The schema must be the same. All
 * sessions end, those of the backup and those that were there, and so does running work. Throws `BackupError`.
 */
export async function restoreBackup(
  place: Installation,
  from: BackupFile,
  manifest: Manifest,
  progress: Progress,
): Promise<void> {
  const sql = store.connect(place.databaseUrl, 1)
  try {
    const migrations = await store.listMigrations(sql)
    if (migrations.join() !== manifest.migrations.join())
      throw new BackupError(
        `The backup has ${manifest.migrations.length} migrations, this version of the service ${migrations.length} or others: ` +
          'restore it with the version that took it, then start the newer one',
      )
    await sql.begin(async (tx) => {
      await store.liftTimeLimit(tx)
      const tables = await store.listTables(tx)
      // The file says where its rows go: nowhere but where a backup's rows come from.
      for (const { name } of manifest.tables)
        if (LEFT_OUT.has(name) || !tables.some((each) => each.name === name))
          throw new BackupError(`The backup has rows of ${name}, which no backup has`)
      await lockTables(
        tx,
        tables.map(({ name }) => name),
      )
      const sessions = [...new Set([...manifest.sessions, ...(await store.listSessions(tx))])]
      const keys = await store.beginLoading(tx, tables)
      await load(tx, place.files, from, manifest, progress)
      for (const { name, rows, last } of manifest.tables) {
        const table = tables.find((each) => each.name === name) as store.Table
        await store.setNumbering(tx, table, last)
        if ((await store.countRows(tx, name)) !== rows)
          throw new BackupError(`${name} did not come back with its ${rows} rows`)
      }
      // Session ids are never used twice, so that no old token fits a new session, nor one that was made after the backup
      // and that nobody here knows: its account's id may be somebody else's now.
      const numbering = tables.find(({ name }) => name === 'sessions') as store.Table
      const last = sessions.reduce((most, id) => Math.max(most, id), 0) + UNKNOWN_SESSIONS
      await store.setNumbering(tx, numbering, String(last))
      await store.revokeSessions(tx, sessions)
      await store.revokeUpTo(tx, last)
      await store.endLoading(tx, tables, keys)
      await store.endLeases(tx)
    })
  } finally {
    await sql.end({ timeout: 3 })
  }
}

/** The parts of a table that follow one another go through one COPY. */
async function load(
  tx: store.Sql,
  files: Files,
  from: BackupFile,
  manifest: Manifest,
  progress: Progress,
): Promise<void> {
  const keys = new Map(manifest.files.map((file) => [file.name, file]))
  const sums = new Map(listParts(manifest).map(({ name, sha256 }) => [name, sha256]))
  let current: { name: string; input: PassThrough; done: Promise<void> } | undefined
  const finish = async () => {
    current?.input.end()
    await current?.done
    current = undefined
  }
  try {
    for await (const { name, sha256, bytes } of readTar(from)) {
      // What the backup doesn't list was never checked.
      if (!sums.has(name)) continue
      if (sums.get(name) !== sha256) throw new BackupError(`${from.path} has changed since it was checked`)
      const [kind, table = ''] = name.split('/')
      if (kind !== 'tables' || table !== current?.name) await finish()
      if (kind === 'tables') {
        progress(`restoring ${table}`)
        current ??= await startCopy(tx, manifest, table)
        if (!current.input.write(bytes))
          await Promise.race([new Promise((resolve) => current?.input.once('drain', resolve)), current.done])
      } else if (kind === 'files') {
        const file = keys.get(name)
        if (file) await files.put(file.key, bytes, file.content_type)
        progress(`restoring ${name}`)
      }
    }
    await finish()
  } finally {
    current?.input.destroy()
  }
}

async function startCopy(tx: store.Sql, manifest: Manifest, name: string) {
  const table = manifest.tables.find((each) => each.name === name)
  if (!table) throw new BackupError(`The backup says nothing of its table ${name}`)
  const input = new PassThrough()
  const done = pipeline(input, await store.copyIn(tx, table))
  done.catch(() => {})
  return { name, input, done }
}
