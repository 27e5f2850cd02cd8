import type { Executor } from '../../db/database-client.ts'
import type { StoredQuestion } from '../../db/tables/attempts.tables.ts'
import * as store from './explanations.store.ts'

/**
 * The explanations of a paper's questions, by question id (docs/protocol/questions.md#explanations): today's while a
 * question's texts and key are those of the paper, else the last one before they changed.
 */
export function findExplanations(
  db: Executor,
  questions: readonly StoredQuestion[],
): Promise<ReadonlyMap<number, string>> {
  const asked = questions.map(({ id, content_version }) => ({ id, version: content_version }))
  return store.listExplanations(db, asked)
}
