import type { Executor } from '../../db/database-client.ts'
import type { StoredQuestion } from '../../db/tables/attempts.tables.ts'
import { listImages } from './questions.store.ts'

/**
 * The descriptions of a paper's images that were corrected since it was made, by question id: those of questions that
 * still have the paper's image.
 */
export async function correctedDescriptions(
  db: Executor,
  questions: readonly StoredQuestion[],
): Promise<ReadonlyMap<number, string>> {
  const pictured = new Map(
    questions.flatMap((question) => (question.image_path === null ? [] : [[question.id, question] as const])),
  )
  if (pictured.size === 0) return new Map()
  const today = await listImages(db, [...pictured.keys()])
  return new Map(
    today.flatMap(({ id, imagePath, imageAlt }) => {
      const question = pictured.get(id)
      const isCorrected = question?.image_path === imagePath && (question.image_alt ?? '') !== imageAlt
      return isCorrected ? [[id, imageAlt] as const] : []
    }),
  )
}
