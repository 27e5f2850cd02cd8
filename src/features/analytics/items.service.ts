import { setImmediate } from 'node:timers/promises'
import type { Item, ItemAnalysis, ItemsQuery } from '../../../schemas/items.schemas.ts'
import type { Core } from '../../core.ts'
import type { Pool } from '../../db/database-client.ts'
import { requireExam } from '../../db/exam-rows.ts'
import type { StoredAnswer } from '../../db/tables/attempts.tables.ts'
import { slicesBySize, slicesOf } from '../../formats/slices.ts'
import { listInForce } from '../attempts/grading-lock.service.ts'
import { getPaper } from '../attempts/papers.service.ts'
import type { GradedQuestion } from '../attempts/regraded-questions.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { cronbachAlpha, Moments, median } from './item-statistics.ts'
import {
  type ChoiceTally,
  type ItemTally,
  mergeItem,
  nameOfShared,
  PaperTally,
  TextRoom,
  type WrongText,
} from './item-tally.ts'
import * as store from './items.store.ts'

/** Attempts, and questions of them, that are counted in one go: in between other requests get their turn. */
const SLICE = { count: 200, size: 10_000 }
/** Questions that are described in one go. */
const DESCRIBED_AT_ONCE = 500
/** Options that are listed even where they have no text. */
const LETTERS = ['A', 'B', 'C', 'D']
/** Wrong texts that are shown. */
const WRONG_TEXTS = 10
/** Wrong values of a NUMERIC question that are shown. */
const WRONG_VALUES = 5
const EASY = 0.95
const HARD = 0.2
/** If fewer students chose an option, that says nothing about it. */
const FEWEST_CHOOSERS = 5
/** Of fewer attempts chance alone makes such numbers: nothing is flagged. */
const FEWEST_ATTEMPTS = 20

/** How good the questions of an exam were, by the results in force, in a snapshot. */
export async function analyseItems(
  core: Core,
  db: Pool,
  examId: number,
  { attempts: which = 'first' }: ItemsQuery,
  classId?: number,
): Promise<ItemAnalysis> {
  await requireExam(db, examId)
  const chosen = await store.listChosen(db, examId, which, classId)
  const inForce = await listInForce(db, examId)
  const whole = new Whole()
  // One paper after another, since all of them together could fill the memory.
  const byPaper = Map.groupBy(chosen, ({ paperId }) => paperId)
  for (const [paperId, attempts] of [...byPaper].sort(([one], [other]) => one - other)) {
    const paper = await getPaper(core, db, paperId)
    const tally = new PaperTally(paper, inForce, whole.room)
    for (const slice of slicesBySize(attempts, SLICE, () => paper.tasks.length)) {
      const ids = slice.map(({ id }) => id)
      for (const attempt of await store.listAnswers(db, ids)) {
        tally.add(attempt)
        whole.attempts += 1
        if (attempt.score !== null) whole.results.push(attempt.score)
      }
    }
    whole.add(tally)
  }
  return { exam: describeExam(whole), items: await describeItems(whole.items) }
}

interface CountedItem {
  tally: ItemTally
  question: GradedQuestion
}

/** What is counted over all papers, which are added from the oldest one on. */
class Whole {
  readonly room = new TextRoom()
  /** Each question as the newest paper has it. */
  readonly items = new Map<number, CountedItem>()
  attempts = 0
  /** Scores of those at which something could be scored. */
  readonly results: number[] = []
  readonly scores = new Moments()
  /** Whether attempts have different questions of a paper. */
  isDrawn = false
  /** The paper with the most attempts; if two have the same number, the newer one. */
  common: PaperTally | undefined

  add(paper: PaperTally): void {
    for (const [index, counted] of paper.items.entries()) {
      const question = paper.grading.questions[index] as GradedQuestion
      const known = this.items.get(question.id)
      if (known) mergeItem(known.tally, counted)
      // What was counted of the paper alone stays as it is.
      else this.items.set(question.id, { tally: { ...counted, moments: counted.moments.copy() }, question })
      if (known) known.question = question
    }
    this.scores.merge(paper.scores)
    this.isDrawn ||= paper.isDrawn
    if (paper.totals.count >= (this.common?.totals.count ?? 0)) this.common = paper
  }
}

/**
 * An item analysis without what reveals keys, as marks do beside each student's answers: how many attempts there are,
 * who was given each question and who left it out.
 */
export function withoutKeys({ exam, items }: ItemAnalysis): ItemAnalysis {
  const unmarked = { mean: null, median: null, standard_deviation: null, alpha: null, standard_error: null }
  const unknown = {
    facility: null,
    discrimination: null,
    options: [],
    wrong_texts: [],
    shares: [],
    flags: [],
  }
  return {
    exam: { attempts: exam.attempts, ...unmarked },
    items: items.map((item) => ({ ...item, ...unknown })),
  }
}

function describeExam(whole: Whole): ItemAnalysis['exam'] {
  const { attempts, results, scores } = whole
  const variance = scores.varianceX
  const deviation = variance === null ? null : Math.sqrt(variance)
  const alpha = alphaOf(whole)
  return {
    attempts,
    mean: results.length === 0 ? null : scores.meanX,
    median: median(results),
    standard_deviation: deviation,
    alpha,
    standard_error: deviation === null || alpha === null ? null : deviation * Math.sqrt(1 - alpha),
  }
}

/** From the attempts of the paper that has most of them. */
function alphaOf({ common, isDrawn }: Whole): number | null {
  if (!common || isDrawn) return null
  const counting = common.items.filter((_, index) => common.grading.questions[index]?.ruling !== 'drop')
  return cronbachAlpha(
    counting.map(({ moments }) => moments.varianceX),
    common.totals.varianceX,
  )
}

/** In the order of papers: by id. */
async function describeItems(items: Whole['items']): Promise<Item[]> {
  const described: Item[] = []
  const ordered = [...items].sort(([one], [other]) => one - other)
  for (const slice of slicesOf(ordered, DESCRIBED_AT_ONCE)) {
    described.push(...slice.map(([id, counted]) => describeItem(id, counted)))
    await setImmediate()
  }
  return described
}

function describeItem(id: number, { tally, question }: CountedItem): Item {
  const kind = kindOf(question.question_type)
  const administered = tally.moments.count
  const facility = tally.positive === 0 ? null : (tally.moments.meanX * administered) / tally.positive
  const discrimination = tally.moments.correlation
  const options = optionsOf(tally, question).map(([option, { chosen, rest }]) => ({
    option,
    chosen,
    share: administered === 0 ? 0 : chosen / administered,
    mean_rest_score: chosen === 0 ? null : rest / chosen,
  }))
  const isTooFew = administered < FEWEST_ATTEMPTS
  const flags: Item['flags'] = []
  if (discrimination !== null && discrimination < 0) flags.push('negative_discrimination')
  if (facility !== null && facility > EASY) flags.push('too_easy')
  if (facility !== null && facility < HARD) flags.push('too_hard')
  if (isKeyBeaten(options, kind.rightAnswer(question))) flags.push('distractor_beats_key')
  return {
    question_id: id,
    question_type: question.question_type,
    question_text: question.question_text,
    administered,
    omitted: tally.omitted,
    facility,
    discrimination,
    options,
    wrong_texts: [...tally.wrongTexts.values()].sort(byCount).slice(0, WRONG_TEXTS),
    shares: kind.counter(question).shared.map((text, place) => ({
      text,
      share: administered === 0 ? 0 : (tally.right.get(nameOfShared(place, text))?.count ?? 0) / administered,
    })),
    too_few: isTooFew,
    flags: isTooFew ? [] : flags,
  }
}

function optionsOf({ choices }: ItemTally, question: GradedQuestion): [string, ChoiceTally][] {
  const letters = kindOf(question.question_type).letters(question)
  const none = { chosen: 0, rest: 0 }
  if (letters !== null)
    return [...new Set([...LETTERS, ...letters])].map((letter) => [letter, choices.get(letter) ?? none])
  return [...choices]
    .sort(([one, a], [other, b]) => b.chosen - a.chosen || Number(one) - Number(other))
    .slice(0, WRONG_VALUES)
}

/** The commonest first; of equally common ones in the order of gaps and texts. */
function byCount(one: WrongText, other: WrongText): number {
  return other.count - one.count || (one.gap ?? 0) - (other.gap ?? 0) || (one.text < other.text ? -1 : 1)
}

/**
 * Whether students who chose some wrong option have better scores on all other questions than those who chose the only
 * right one.
 */
function isKeyBeaten(options: Item['options'], key: StoredAnswer | null): boolean {
  const counting = options.filter(({ chosen }) => chosen >= FEWEST_CHOOSERS)
  const right = counting.find(({ option }) => option === key)?.mean_rest_score
  return (
    right != null &&
    counting.some(({ option, mean_rest_score }) => option !== key && (mean_rest_score ?? right) > right)
  )
}
