import { eq, sql } from 'drizzle-orm'
import type { Executor } from '../../../db/database-client.ts'
import { only, query } from '../../../db/query.ts'
import { questions } from '../../../db/tables/exams.tables.ts'
import { CARD, type CardRow, isOpenFor, withFreshDecks } from '../cards/decks.store.ts'

export interface Deck {
  /** By question, those that the person may see now. */
  cards: ReadonlyMap<number, CardRow>
  /** Whether the exam is open for them to practise. */
  isOpen: boolean
}

export async function readDeck(db: Executor, userId: number, examId: number): Promise<Deck> {
  const [cards, open] = await Promise.all([
    query<CardRow>(
      db,
      CARD.check,
      sql`${withFreshDecks(userId)}
      select ${CARD.columns('card')} from practice_cards card join fresh using (exam_id)
       where card.user_id = ${userId} and card.exam_id = ${examId} and card.paper_id is not null`,
    ),
    query<{ isOpen: boolean }>(
      db,
      { isOpen: 'boolean' },
      sql`select ${isOpenFor(userId)} as "isOpen" from exams where id = ${examId}`,
    ),
  ])
  return { cards: new Map(cards.map((card) => [card.questionId, card])), isOpen: only(open).isOpen }
}

/** The tags of an exam's questions as they were written. */
export async function listTags(db: Executor, examId: number): Promise<ReadonlyMap<number, string[]>> {
  const rows = await db
    .select({ id: questions.id, tags: questions.tags })
    .from(questions)
    .where(eq(questions.examId, examId))
  return new Map(rows.map(({ id, tags }) => [id, tags]))
}
