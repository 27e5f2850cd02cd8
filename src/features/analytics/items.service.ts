import type { Item, ItemAnalysis, ItemsQuery } from '../../../schemas/items.schemas.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { requireExam } from '../../db/exam-rows.ts'
import type { StoredAnswer } from '../../db/tables/attempts.tables.ts'
import { leastCommonMultiple } from '../../formats/fractions.ts'
import { slicesOf } from '../../formats/slices.ts'
import { listInForce } from '../attempts/grading-lock.service.ts'
import { getPaper } from '../attempts/papers.service.ts'
import type { GradedQuestion } from '../attempts/regraded-questions.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { cronbachAlpha, Moments, median } from './item-statistics.ts'
import {
  type Choice,
  type ItemTally,
  mergeItem,
  nameOfShared,
  newItem,
  PaperTally,
  type WrongText,
} from './item-tally.ts'
import * as store from './items.store.ts'

/** Attempts that are counted in one go, which takes a few milliseconds: then other requests get their turn. */
const SLICE = 200
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

/** How good the questions of an exam were, by the results in force, all as of one instant. */
export async function analyseItems(
  core: Core,
  examId: number,
  { attempts: which = 'first' }: ItemsQuery,
  classId?: number,
): Promise<ItemAnalysis> {
  return core.db.transaction(
    async (tx) => {
      await requireExam(tx, examId)
      const chosen = await store.listChosen(tx, examId, which, classId)
      const papers = await readPapers(core, tx, examId, new Set(chosen.map(({ paperId }) => paperId)))
      const scores: number[] = []
      for (const slice of slicesOf(chosen, SLICE)) {
        const ids = slice.map(({ id }) => id)
        for (const attempt of await store.listAnswers(tx, ids)) {
          papers.get(attempt.paperId)?.add(attempt)
          scores.push(attempt.score)
        }
      }
      return { exam: describeExam([...papers.values()], scores), items: describeItems(papers) }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** The same without what tells keys, as how many had a question right does beside what each of them answered. */
export function withoutKeys({ exam, items }: ItemAnalysis): ItemAnalysis {
  const unknown = {
    facility: null,
    discrimination: null,
    options: [],
    wrong_texts: [],
    shares: [],
    flags: [],
  }
  return { exam, items: items.map((item) => ({ ...item, ...unknown })) }
}

/** The papers, their marks all counted in the same units. */
async function readPapers(
  core: Core,
  tx: Executor,
  examId: number,
  ids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, PaperTally>> {
  const inForce = await listInForce(tx, examId)
  const papers = await Promise.all([...ids].map((id) => getPaper(core, tx, id)))
  const graded = papers.map((paper) => ({ paper, grading: paper.gradedBy(inForce) }))
  const unitsPerMark = graded.reduce(
    (common, { grading }) => leastCommonMultiple(common, grading.key.unitsPerMark),
    1n,
  )
  return new Map(graded.map(({ paper, grading }) => [paper.id, new PaperTally(paper, grading, unitsPerMark)]))
}

function describeExam(papers: PaperTally[], scores: number[]): ItemAnalysis['exam'] {
  const all = new Moments()
  for (const paper of papers) all.merge(paper.scores)
  const variance = all.varianceX
  const deviation = variance === null ? null : Math.sqrt(variance)
  const alpha = alphaOf(papers)
  return {
    attempts: scores.length,
    mean: scores.length === 0 ? null : all.meanX,
    median: median(scores),
    standard_deviation: deviation,
    alpha,
    standard_error: deviation === null || alpha === null ? null : deviation * Math.sqrt(1 - alpha),
  }
}

/** From the attempts of the paper that has most of them; if two have the same number, of the newer one. */
function alphaOf(papers: PaperTally[]): number | null {
  const [common] = papers.toSorted(
    (one, other) => other.totals.count - one.totals.count || other.paper.id - one.paper.id,
  )
  if (!common || papers.some(({ isDrawn }) => isDrawn)) return null
  const counting = common.items.filter((_, index) => common.grading.questions[index]?.ruling !== 'drop')
  return cronbachAlpha(
    counting.map(({ moments }) => moments.varianceX),
    common.totals.varianceX,
  )
}

/** Each question as the newest paper has it, in the order of papers: by id. */
function describeItems(papers: ReadonlyMap<number, PaperTally>): Item[] {
  const items = new Map<number, { tally: ItemTally; newest: PaperTally; index: number }>()
  for (const paper of [...papers.values()].sort((one, other) => one.paper.id - other.paper.id))
    for (const [index, counted] of paper.items.entries()) {
      const id = paper.paper.questions[index]?.id ?? 0
      const tally = items.get(id)?.tally ?? newItem()
      mergeItem(tally, counted)
      items.set(id, { tally, newest: paper, index })
    }
  return [...items]
    .sort(([one], [other]) => one - other)
    .map(([id, { tally, newest, index }]) => {
      const question = newest.grading.questions[index] as GradedQuestion
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
          share:
            administered === 0 ? 0 : (tally.right.get(nameOfShared(place, text))?.count ?? 0) / administered,
        })),
        flags,
      }
    })
}

function optionsOf({ choices }: ItemTally, question: GradedQuestion): [string, Choice][] {
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
