import type { Passage, PassagesQuery } from '../../../schemas/materials.schemas.ts'
import type { Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { askedKeysOf, findKeys, type SearchKey } from '../../formats/words.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { requireMember } from '../classes/class-access.service.ts'
import * as store from './passages.store.ts'

export type { PassageRow } from './passages.store.ts'

const DEFAULT_LIMIT = 8

/** Passages of a class with these words: those that have all of them first, then those that have most. */
export async function findPassages(
  core: Core,
  viewer: Viewer,
  classId: number,
  { q, limit = DEFAULT_LIMIT }: PassagesQuery,
  asker: Asker,
): Promise<Passage[]> {
  await requireMember(core.db, viewer, classId)
  const asked = askedKeysOf(q)
  const rows = await search(core, viewer, classId, asked, limit, false)
  const passages: Passage[] = []
  for (const { materialId, title, page, text } of rows)
    passages.push({
      material_id: materialId,
      title,
      page,
      text,
      matches: await core.gate.block(asker, () => findKeys(asked, text)),
    })
  return passages
}

/**
 * Passages of a class that fit these texts best, the best first, as far as somebody may read them now; none of a class of
 * others. Each text has a share in what is looked for, however long the others are.
 */
export async function passagesFor(
  core: Core,
  userId: number,
  classId: number,
  texts: readonly string[],
): Promise<store.PassageRow[]> {
  const keys = new Map(texts.flatMap(askedKeysOf).map((each) => [each.key, each]))
  return search(core, { userId, isAdmin: false }, classId, [...keys.values()], DEFAULT_LIMIT, true)
}

async function search(
  core: Core,
  { userId, isAdmin }: Viewer,
  classId: number,
  keys: readonly SearchKey[],
  limit: number,
  byWeight: boolean,
): Promise<store.PassageRow[]> {
  if (keys.length === 0) return []
  const asked = JSON.stringify(
    keys.map(({ key, isBeginning }) => ({ word: key, suffix: isBeginning ? ':*' : '' })),
  )
  return store.searchPassages(core.db, { classId, userId, isAdmin, asked, limit, byWeight })
}
