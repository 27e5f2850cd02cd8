import type { PracticeCard, ReviewedCard } from '../../../../schemas/practice.schemas.ts'
import type { Core } from '../../../core.ts'
import { findPaper } from '../../attempts/papers.service.ts'
import { type CardNames, listNames } from '../practice.store.ts'
import type { Memory } from './decks.store.ts'
import { retrievability } from './practice-schedule.ts'

/** What names a card. */
export interface CardName {
  questionId: number
  examId: number
  paperId: number | null
}

/** The part of a card that follows from its reviews, as of an instant; a new one is due at once. */
export function toReviewed(
  memory: Pick<Memory, 'state' | 'due' | 'lastReview' | 'stability' | 'difficulty' | 'reps' | 'lapses'>,
  now: number,
): ReviewedCard {
  const { state, due, stability, difficulty, reps, lapses } = memory
  return {
    state,
    due: new Date(due ?? now).toISOString(),
    stability,
    difficulty,
    reps,
    lapses,
    retrievability: retrievability(memory, now),
  }
}

export function toCard(
  { questionId, examId }: Pick<CardName, 'questionId' | 'examId'>,
  { examName, tags }: CardNames,
  reviewed: ReviewedCard,
): PracticeCard {
  return {
    question_id: questionId,
    exam_id: examId,
    exam_name: examName ?? '',
    tags: tags ?? [],
    ...reviewed,
  }
}

/** Looks up what clients are told of these cards beside that: the exam's name, and the question's tags. */
export async function cardDescriber(
  core: Core,
  cards: readonly CardName[],
): Promise<(card: CardName, reviewed: ReviewedCard) => PracticeCard> {
  const names = await listNames(core.db, cards)
  const gone = new Map<number, string[]>()
  // Of deleted questions the papers know.
  for (const { questionId, paperId } of cards) {
    if (names.get(questionId)?.tags || paperId === null) continue
    const paper = await findPaper(core, core.db, paperId)
    gone.set(questionId, paper?.find(questionId)?.tag_keys ?? [])
  }
  return (card, reviewed) => {
    const { examName = null, tags = null } = names.get(card.questionId) ?? {}
    return toCard(card, { examName, tags: tags ?? gone.get(card.questionId) ?? [] }, reviewed)
  }
}
