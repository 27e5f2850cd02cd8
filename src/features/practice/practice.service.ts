import { LRUCache } from 'lru-cache'
import type { Content } from '../../../schemas/common.ts'
import {
  MOST_NEXT,
  type NextAnswer,
  type NextQuery,
  type PracticeAnswer,
  type PracticeHistoryAnswer,
  type PracticeQuestion,
  type PracticeSettings,
  type PracticeSettingsChanges,
} from '../../../schemas/practice.schemas.ts'
import type { Core } from '../../core.ts'
import { lockPerson } from '../../db/locks.ts'
import type { StoredQuestion } from '../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { AppError } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import { closeOverdueOf } from '../attempts/closing.service.ts'
import { listInForceOf } from '../attempts/grading-lock.service.ts'
import { HAS_VARIABLES, type Paper } from '../attempts/paper.ts'
import { currentPaperOf, getPaper } from '../attempts/papers.service.ts'
import { readUnlocked } from '../help-lock/help-lock.service.ts'
import { correctedDescriptions } from '../questions/image-descriptions.service.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { shuffled } from '../questions/kinds/opaque-ids.ts'
import { foldTag } from '../questions/question-tags.ts'
import { questionImageUrl } from '../uploads/upload-addresses.ts'
import { type CardQuestion, findCardQuestion, seedOfDraw } from './cards/card-questions.ts'
import { toCard, toReviewed } from './cards/card-views.ts'
import { renewDecks } from './cards/decks.service.ts'
import { spread } from './cards/page-order.ts'
import { DEFAULT_RETENTION, FORGETTING } from './cards/practice-schedule.ts'
import { AFTER_WRONG_ANSWERS } from './figures/chances.ts'
import * as store from './practice.store.ts'
import { listSettings, putSettings } from './practice-settings.store.ts'
import { giveSeed } from './reviews/learners.service.ts'

const DEFAULT_NEW_PER_DAY = 20
/** Changes of one person's settings that are kept. */
const MOST_SETTINGS = 1_000

const EVERYTHING: store.CardScope = { examId: undefined, tagKey: undefined }

/** Where somebody stands. */
export async function readPractice(core: Core, userId: number): Promise<Content<PracticeAnswer>> {
  const { today, settings, figures, waiting } = await findToday(core, userId)
  const { due, new: fresh } = await readFresh(core, userId, () => store.countWaiting(core.db, waiting))
  const [counts, streak] = await Promise.all([
    store.countByState(core.db, userId),
    store.countStreak(core.db, userId, today),
  ])
  return {
    due,
    new: fresh,
    learning: counts.learning,
    known: counts.known,
    next_due_at: counts.nextDueAt === null ? null : new Date(counts.nextDueAt).toISOString(),
    today: figures,
    streak_days: streak,
    settings,
  }
}

function todayOf(core: Core): store.Today {
  return { now: core.clock(), timezone: core.config.timezone }
}

const nowOf = ({ now }: store.Today) => new Date(now).toISOString()

/** What today was, and what may still wait. An overdue attempt locks nothing: it is closed first. */
async function findToday(core: Core, userId: number, wanted = EVERYTHING) {
  const today = todayOf(core)
  const [{ introduced, newPerDay, retention, seed, isLocked, ...figures }] = await Promise.all([
    store.readToday(core.db, userId, today),
    closeOverdueOf(core, userId),
  ])
  const settings = toSettings({ newPerDay, retention })
  const left = leftOf(settings, introduced)
  const waiting: store.CardRequest = { userId, ...wanted, now: nowOf(today), left }
  return { today, settings, figures, waiting, seed, isLocked }
}

/** How many new cards today may still bring. */
export async function countNewLeft(core: Core, userId: number): Promise<number> {
  const today = await store.readToday(core.db, userId, todayOf(core))
  return leftOf(toSettings(today), today.introduced)
}

const leftOf = ({ new_per_day }: PracticeSettings, introduced: number) =>
  Math.max(0, new_per_day - introduced)

// --- settings

function toSettings(newest: Pick<store.TodayRow, 'newPerDay' | 'retention'> | undefined): PracticeSettings {
  return {
    new_per_day: newest?.newPerDay ?? DEFAULT_NEW_PER_DAY,
    retention: newest?.retention ?? DEFAULT_RETENTION,
  }
}

/** Left-out ones stay. Answers are scheduled by the retention of their time. */
export async function changeSettings(
  core: Core,
  userId: number,
  changes: PracticeSettingsChanges,
): Promise<PracticeSettings> {
  const settings = await core.db.transaction(async (tx) => {
    await lockPerson(tx, userId)
    const before = await listSettings(tx, userId)
    if (before.length >= MOST_SETTINGS) throw new AppError('too_many')
    const current = toSettings(before.at(-1))
    const after = { ...current, ...changes }
    const { new_per_day: newPerDay, retention } = after
    if (newPerDay !== current.new_per_day || retention !== current.retention)
      await putSettings(tx, { userId, since: core.clock(), newPerDay, retention })
    return after
  })
  publishCounts(core, userId)
  return settings
}

// --- cards

/** Cards that are due, and what today still brings of new ones; without those that have to be looked at again. */
export async function countWaiting(core: Core, userId: number): Promise<{ due: number; new: number }> {
  const { waiting } = await findToday(core, userId)
  const { due, new: fresh } = await store.countWaiting(core.db, waiting)
  return { due, new: fresh }
}

/** What is read of somebody's cards, after those that it finds to be stale were looked at again. */
async function readFresh<T extends { stale: number[] }>(
  core: Core,
  userId: number,
  read: () => Promise<T>,
): Promise<T> {
  const found = await read()
  if (found.stale.length === 0) return found
  await renewDecks(core, userId, found.stale)
  return read()
}

/** Whether cards are to be asked now that were asked before. */
export async function hasDue(core: Core, userId: number): Promise<boolean> {
  await closeOverdueOf(core, userId)
  const now = nowOf(todayOf(core))
  const { hasDue } = await readFresh(core, userId, () => store.findDue(core.db, { userId, now }))
  return hasDue
}

/** Makes the nodes of the person's devices tell them what waits now. Call it after the commit. */
export function publishCounts(core: Core, userId: number): void {
  core.bus.publish(`user:${userId}`, { kind: 'practice' })
}

type Next = Content<NextAnswer>

/**
 * The cards that are to be asked now: those that are due, the ones whose review gains most first, then new ones.
 * Without a review in between they are the same again. 403 `exam_in_progress`.
 */
export async function listNext(core: Core, userId: number, asked: NextQuery): Promise<Next> {
  const limit = asked.offset + Math.min(MOST_NEXT, asked.limit)
  const wanted = { examId: asked.exam_id, tagKey: asked.tag && foldTag(asked.tag) }
  const { waiting, seed } = await readUnlocked(
    core,
    userId,
    () => findToday(core, userId, wanted),
    ({ isLocked }) => !isLocked,
  )
  const { due, cards, regraded } = await readFresh(core, userId, () =>
    store.listNext(core.db, { ...waiting, ...FORGETTING, ...AFTER_WRONG_ANSWERS, limit }),
  )
  const shown = await showCards(core, cards.slice(asked.offset, limit), {
    seed: seed ?? (await giveSeed(core, userId)),
    inForce: await listInForceOf(core.db, regraded),
    now: Date.parse(waiting.now),
  })
  return { cards: shown, due, new: cards.filter((card) => card.due === null).length }
}

async function showCards(
  core: Core,
  chosen: readonly store.NextRow[],
  { seed, inForce, now }: { seed: string; inForce: ReadonlyMap<number, Regrade[]>; now: number },
): Promise<Next['cards']> {
  const papers = await findPapers(core, chosen)
  const shown: Next['cards'] = []
  const open = new Set<number>()
  const found = chosen.flatMap((card) => {
    const paper = papers.get(nameOfPaper(card))
    const drawn = paper?.single(card.questionId, seedOfDraw(seed, card.questionId, card.reps))
    const cardQuestion = drawn && findCardQuestion(drawn, inForce.get(card.examId) ?? [], card.questionId)
    return cardQuestion ? [{ card, cardQuestion }] : []
  })
  const corrected = await correctedDescriptions(
    core.db,
    found.map(({ cardQuestion: { paper, place } }) => paper.tasks[place] as StoredQuestion),
  )
  for (const { card, cardQuestion } of found) {
    if (card.isOpen) open.add(cardQuestion.paper.id)
    shown.push({
      card: toCard(card, card, toReviewed(card, now)),
      question: showQuestion(core, cardQuestion, { seed, reps: card.reps, corrected }),
    })
  }
  await rememberShown(core, open)
  return spread(shown, ({ card: { tags } }) => tags[0] && foldTag(tags[0]))
}

const nameOfPaper = ({ examId, paperId }: store.NextRow) =>
  paperId === null ? `exam ${examId}` : `${paperId}`

/** The papers of these cards, each looked for once. */
async function findPapers(core: Core, cards: readonly store.NextRow[]): Promise<Map<string, Paper>> {
  const different = new Map(cards.map((card) => [nameOfPaper(card), card]))
  return new Map(
    await Promise.all(
      [...different].map(
        async ([name, { examId, paperId }]): Promise<[string, Paper]> => [
          name,
          paperId === null
            ? await currentPaperOf(core, core.db, examId)
            : await getPaper(core, core.db, paperId),
        ],
      ),
    ),
  )
}

/** As a paper shows it. Options come in another order after each review; ids stay. */
function showQuestion(
  core: Core,
  cardQuestion: CardQuestion,
  { seed, reps, corrected }: { seed: string; reps: number; corrected: ReadonlyMap<number, string> },
): PracticeQuestion {
  const { paper, place, question } = cardQuestion
  const shown = paper.questions[place] as Paper['questions'][number]
  const kind = kindOf(question.question_type)
  const letters = kind.letters(question)
  return {
    ...shown,
    image_url: questionImageUrl(core, shown.image_path),
    image_alt: corrected.get(question.id) ?? shown.image_alt,
    option_order: letters && shuffled(seed, `options/${question.id}/${reps}`, letters),
    parts: kind.show(question, seed),
    question_version: paper.id,
    ...(shown[HAS_VARIABLES] ? { draw: reps } : {}),
  }
}

/** Papers of open exams that this node knows to be remembered as shown. */
const knownShown = perNode(() => new LRUCache<number, true>({ max: 10_000 }))

async function rememberShown(core: Core, paperIds: ReadonlySet<number>): Promise<void> {
  const known = knownShown(core)
  const fresh = [...paperIds].filter((id) => !known.has(id))
  if (fresh.length === 0) return
  await store.insertShown(core.db, fresh)
  for (const id of fresh) known.set(id, true)
}

// --- history

export async function readHistory(
  core: Core,
  userId: number,
  days: number,
): Promise<Content<PracticeHistoryAnswer>> {
  const today = todayOf(core)
  const [listed, certainty] = await Promise.all([
    store.listDays(core.db, userId, today, days),
    store.readCertainty(core.db, userId, today, days),
  ])
  return {
    days: listed,
    sure: { n: certainty.sure, right: certainty.sureRight },
    unsure: { n: certainty.unsure, right: certainty.unsureRight },
    retention: {
      expected: certainty.expected,
      measured: certainty.measured,
      n: certainty.expectedCount,
    },
  }
}
