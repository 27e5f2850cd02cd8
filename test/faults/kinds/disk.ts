import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { expect, onTestFinished } from 'vitest'
import type { Client } from '../../support/client.ts'
import { form } from '../../support/content/forms.ts'
import { type Count, isWhole } from '../load.ts'
import { long, type Work } from '../show.ts'
import type { Node, World } from '../world.ts'

/** Width and height in pixels of an image of noise, which no format can compress. */
const SIDE_PIXELS = 256
const FULL_MS = 10_000
/** Free space on the database's disk when the fault begins. */
const ROOM_BYTES = 4 * 1024 * 1024

/** Full disks. They are small file systems in memory, which only root can mount. */
export function diskFaults(): void {
  if (process.getuid?.() !== 0) {
    if (isWhole) process.stdout.write('full disks are skipped: only root can mount one\n')
    return
  }
  let folder = ''
  let uploads: Uploads
  long(
    'the disk of uploads full for 10 s',
    async () => {
      await uploads.untilRefused()
      await sleep(FULL_MS)
      expect(uploads.refusals).toEqual(new Set(['503 unavailable: There is no room left for files']))
      expect((await readdir(path.join(folder, 'Physics'))).filter((name) => name.startsWith('.'))).toEqual([])
      execFileSync('mount', ['-o', 'remount,size=256m', folder])
      const since = performance.now()
      await uploads.untilStored()
      return since
    },
    async () => {
      folder = await mountDisk('4m')
      return {
        env: { STORAGE_URL: pathToFileURL(folder).href },
        async beside(world) {
          uploads = new Uploads(world, await world.admin(), folder)
          return uploads
        },
      }
    },
  )

  long(
    'PostgreSQL’s disk full for 10 s',
    async ({ database, sql }) => {
      const ballast = path.join(folder, 'ballast')
      const { bavail, bsize } = await statfs(folder)
      await writeFile(ballast, Buffer.alloc(bavail * bsize - ROOM_BYTES))
      // A table grows until there is no space left.
      await sql`create table filler (bytes bytea)`
      for (let found = false; !found; )
        await sql`insert into filler values (${randomBytes(1024 * 1024)})`.catch(() => {
          found = true
        })
      await sleep(FULL_MS)
      await rm(ballast)
      const hasEnded = await database.ended
      if (hasEnded) await database.restart()
      return {
        since: performance.now(),
        note: hasEnded ? 'it ended, and was started again with room' : 'it stayed up',
      }
    },
    async () => {
      folder = await mountDisk('512m')
      return { databaseFolder: folder }
    },
  )
}

/** A file system in memory of that size; it is removed at the end of the test. */
async function mountDisk(size: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', folder])
  onTestFinished(async () => {
    execFileSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true })
  })
  return folder
}

/** An administrator who uploads one image after another. */
class Uploads implements Work {
  readonly #world: World
  readonly #admin: Client
  readonly #folder: string
  readonly #stored = new Map<string, Uint8Array>()
  /** The answers of refused uploads. */
  readonly refusals = new Set<string>()
  readonly #working: Promise<unknown>
  #done = false

  constructor(world: World, admin: Client, folder: string) {
    this.#world = world
    this.#admin = admin
    this.#folder = folder
    this.#working = this.#repeat()
  }

  async untilRefused(): Promise<void> {
    while (this.refusals.size === 0) await sleep(50)
  }

  async untilStored(): Promise<void> {
    const before = this.#stored.size
    while (this.#stored.size === before) await sleep(20)
  }

  async end(): Promise<Count> {
    this.#done = true
    await this.#working
    let lost = 0
    for (const [name, bytes] of this.#stored) {
      const kept = await readFile(path.join(this.#folder, 'Physics', name)).catch(() => undefined)
      if (!kept?.equals(bytes)) lost += 1
    }
    // Refused uploads leave neither a file nor a row.
    const files = await readdir(path.join(this.#folder, 'Physics'))
    const lines = await this.#world.sql`select 1 from audit_entries where action = 'image.upload'`
    lost += files.length - this.#stored.size + lines.length - this.#stored.size
    return { acknowledged: this.#stored.size, lost, doubled: 0 }
  }

  async #repeat(): Promise<void> {
    const pixels = { width: SIDE_PIXELS, height: SIDE_PIXELS, channels: 3 as const }
    for (let n = 0; !this.#done; n++) {
      const image = sharp(randomBytes(SIDE_PIXELS * SIDE_PIXELS * 3), { raw: pixels })
      const bytes = new Uint8Array(await image.png().toBuffer())
      const name = `${n}.png`
      const { url } = this.#world.nodes[n % 2] as Node
      const file = { field: 'images', name, bytes, type: 'image/png' }
      const fields = { subject_folder_id: 'Physics' }
      const { status, body } = await this.#admin
        .at(url)
        .request('POST', '/api/v01/admin/images', form(fields, file))
      if (status === 200 && body.uploaded === 1) this.#stored.set(name, bytes)
      else this.refusals.add(`${status} ${body.code}: ${body.message}`)
      await sleep(100)
    }
  }
}
