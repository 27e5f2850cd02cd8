import type { Core } from '../../core.ts'
import { databaseError } from '../../db/database-errors.ts'
import { type ReadPassages, readPassages, Unreadable } from '../../formats/reading.ts'
import { tell } from './materials.service.ts'
import * as store from './materials.store.ts'

const MOST_PAGES = 500
/** Passages that are stored by one statement: the others of the node have their turn in between. */
const BATCH = 100

/**
 * Reads a material. All of it is stored in one transaction, which checks the claim: whoever died has stored nothing,
 * and a worker that was frozen and replaced changes nothing when it wakes up. Throws only errors that are worth another
 * try.
 */
export async function readMaterial(core: Core, id: number, signal: AbortSignal): Promise<void> {
  const claim = await store.claimReading(core.db, id)
  if (!claim) return
  const file = await core.files.get(claim.fileKey)
  const read = file
    ? await readPassages({ bytes: file.bytes, type: claim.type, mostPages: MOST_PAGES }, signal).catch(
        (error: unknown) => {
          if (error instanceof Unreadable) return error
          throw error
        },
      )
    : new Unreadable('Gone', 'the file is gone')
  if (read instanceof Unreadable)
    core.log.info({ material_id: id, failure: read.name }, 'a material could not be read')
  const row = await storeReading(core, claim, read).catch((error: unknown) => {
    if (!isOfData(error)) throw error
    core.log.warn({ material_id: id, code: databaseError(error)?.code }, 'a material could not be stored')
    const end = { status: 'failed', error: 'Its text can’t be stored so that it could be searched' } as const
    return store.endReading(core.db, claim, end)
  })
  if (row?.classId != null) tell(core, row.classId, row)
}

function storeReading(core: Core, claim: store.ReadingClaim, read: ReadPassages | Unreadable) {
  return core.db.transaction(async (tx) => {
    const ended = await store.endReading(tx, claim, endOf(read))
    if (ended?.status === 'ready' && !(read instanceof Unreadable)) await insertPassages(tx, claim, read)
    return ended
  })
}

/** Whether the database refuses what was read, as it would the next time: its values, or a size beyond its limits. */
function isOfData(error: unknown): boolean {
  return /^(?:22|54)/.test(databaseError(error)?.code ?? '')
}

type Tx = Parameters<typeof store.insertPassages>[0]

async function insertPassages(tx: Tx, claim: store.ReadingClaim, { passages }: ReadPassages): Promise<void> {
  for (let start = 0; start < passages.length; start += BATCH)
    await store.insertPassages(
      tx,
      claim,
      passages.slice(start, start + BATCH).map(({ page, text, keys }, index) => ({
        number: start + index + 1,
        page,
        text,
        words: keys.join(' '),
      })),
    )
}

function endOf(read: ReadPassages | Unreadable): Parameters<typeof store.endReading>[2] {
  if (read instanceof Unreadable) return { status: 'failed', error: describe(read) }
  const { pages, unreadable, passages, frequent } = read
  const known = { pages, unreadablePages: unreadable }
  if (unreadable === pages)
    return {
      ...known,
      status: 'failed',
      error: 'It has no text that could be read; a scan needs text recognition first',
    }
  return {
    ...known,
    status: 'ready',
    passages: passages.length,
    frequentWords: frequent,
  }
}

/** For the teachers who gave it. */
function describe({ name }: Unreadable): string {
  if (name === 'TooManyPages') return `It has more than ${MOST_PAGES} pages`
  if (name === 'PasswordException') return 'It is locked by a password'
  return 'It could not be read'
}

/** Whether anything is to be read. */
export function hasUnread(core: Core): Promise<boolean> {
  return store.hasUnread(core.db)
}

/** Fails a material that was tried too often: its workers died. */
export async function giveUpReading(core: Core, id: number): Promise<void> {
  const row = await store.abandonReading(core.db, id, 'Reading it was interrupted too often')
  if (row?.classId != null) tell(core, row.classId, row)
}
