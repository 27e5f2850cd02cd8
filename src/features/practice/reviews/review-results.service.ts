import type { ReviewResult } from '../../../../schemas/practice.schemas.ts'
import type { Core } from '../../../core.ts'
import { batched } from '../../../db/batches.ts'
import { perNode } from '../../../per-node.ts'
import { findPaper } from '../../attempts/papers.service.ts'
import { findExplanations } from '../../questions/explanations.service.ts'
import { cardDescriber } from '../cards/card-views.ts'
import type { DatedReview, ReviewRefusal } from './judging.service.ts'
import type { StoredReview } from './reviews.store.ts'

const REFUSALS: Record<ReviewRefusal, string> = {
  not_found: 'There is no such question to practise',
  validation_failed: 'This is no answer to this question',
}

/** The outcome of the reviews that a person sent together. */
export interface ReviewBatchResult {
  userId: number
  given: readonly DatedReview[]
  /** Those that were stored before, and those that are stored now. */
  known: readonly StoredReview[]
  added: readonly StoredReview[]
  refused: ReadonlyMap<string, ReviewRefusal>
}

/** What is read for results that are told at the same time shares statements. */
const describeShared = perNode((core) =>
  batched({
    lanes: 2,
    size: 64,
    key: ({ userId }: ReviewBatchResult) => userId,
    run: (all) => describeAll(core, all),
  }),
)

/** The results of these reviews, in their order. Call it after the commit. */
export function describeResults(core: Core, settled: ReviewBatchResult): Promise<ReviewResult[]> {
  return describeShared(core)(settled)
}

async function describeAll(core: Core, all: readonly ReviewBatchResult[]): Promise<ReviewResult[][]> {
  const reviews = all.flatMap(({ known, added }) => [...known, ...added])
  const [describe, explanations] = await Promise.all([
    cardDescriber(core, reviews),
    findAllExplanations(core, reviews),
  ])
  return all.map(({ given, known, added, refused }) => {
    const byId = new Map([...known, ...added].map((each) => [each.clientId, each]))
    return given.map(({ client_id, clientId }) => {
      const found = byId.get(clientId)
      if (!found) return refuse(client_id, refused.get(clientId))
      const { outcome, rating, stored } = found
      const { correct, correct_answer, card } = stored
      const explanation = explanations.get(found.clientId) ?? ''
      return { client_id, outcome, correct, correct_answer, explanation, rating, card: describe(found, card) }
    })
  })
}

function refuse(client_id: string, code: ReviewRefusal = 'not_found'): ReviewResult {
  return { client_id, error: { code, message: REFUSALS[code] } }
}

/** The explanations of these reviews' questions as their papers have them, by client id. */
async function findAllExplanations(
  core: Core,
  reviews: readonly StoredReview[],
): Promise<ReadonlyMap<string, string>> {
  const explanations = new Map<string, string>()
  await Promise.all(
    [...Map.groupBy(reviews, ({ paperId }) => paperId)].map(async ([paperId, ofPaper]) => {
      const paper = await findPaper(core, core.db, paperId)
      const tasks = ofPaper.flatMap(({ questionId }) => paper?.find(questionId) ?? [])
      const texts = await findExplanations(core.db, tasks)
      for (const { clientId, questionId, stored } of ofPaper) {
        const text = texts.get(questionId) ?? ''
        const drawn = stored.seed === undefined ? undefined : paper?.single(questionId, stored.seed)
        explanations.set(clientId, drawn?.fill(questionId, text) ?? text)
      }
    }),
  )
  return explanations
}
