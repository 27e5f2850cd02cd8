import type { Item, ItemAnalysis, ItemsQuery } from '../../../../schemas/admin/exams/items.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/client.ts'
import { requireExam } from '../../../db/exams.ts'
import { listInForce } from '../../attempts/grading/service.ts'
import { getPaper } from '../../attempts/papers/service.ts'
import { cronbachAlpha, Moments, median } from './statistics.ts'
import * as store from './store.ts'
import { type Choice, type ItemTally, mergeItem, newItem, PaperTally } from './tally.ts'

/** Attempts that are counted in one go, which takes a few milliseconds: then other requests get their turn. */
const SLICE = 200
const LETTERS = ['A', 'B', 'C', 'D']
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
): Promise<ItemAnalysis> {
  return core.db.transaction(
    async (tx) => {
      await requireExam(tx, examId)
      const chosen = await store.listChosen(tx, examId, which)
      const { papers, steps } = await readPapers(
        core,
        tx,
        examId,
        new Set(chosen.map(({ paperId }) => paperId)),
      )
      const scores: number[] = []
      for (let start = 0; start < chosen.length; start += SLICE) {
        const ids = chosen.slice(start, start + SLICE).map(({ id }) => id)
        for (const attempt of await store.listAnswers(tx, ids)) {
          papers.get(attempt.paperId)?.add(attempt)
          scores.push(attempt.score)
        }
      }
      return { exam: describeExam([...papers.values()], scores, steps), items: describeItems(papers, steps) }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/** The papers, each counted in the smallest step that any of them uses for marks. */
async function readPapers(core: Core, tx: Executor, examId: number, ids: ReadonlySet<number>) {
  const inForce = await listInForce(tx, examId)
  const papers = await Promise.all([...ids].map((id) => getPaper(core, tx, id)))
  const graded = papers.map((paper) => ({ paper, grading: paper.gradedBy(inForce) }))
  const steps = Math.max(1, ...graded.map(({ grading }) => grading.key.stepsPerMark))
  const tallies = graded.map(
    ({ paper, grading }) => [paper.id, new PaperTally(paper, grading, steps)] as const,
  )
  return { papers: new Map(tallies), steps }
}

function describeExam(papers: PaperTally[], scores: number[], steps: number): ItemAnalysis['exam'] {
  const totals = new Moments()
  for (const paper of papers) totals.merge(paper.totals)
  const variance = totals.varianceX
  const deviation = variance === null ? null : Math.sqrt(variance) / steps
  const alpha = alphaOf(papers)
  return {
    attempts: scores.length,
    mean: scores.length === 0 ? null : totals.meanX / steps,
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
  if (!common) return null
  const counting = common.items.filter((_, index) => common.grading.questions[index]?.ruling !== 'drop')
  return cronbachAlpha(
    counting.map(({ moments }) => moments.varianceX),
    common.totals.varianceX,
  )
}

/** Each question as the newest paper has it, in the order of papers: by id. */
function describeItems(papers: ReadonlyMap<number, PaperTally>, steps: number): Item[] {
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
      const question = newest.paper.questions[index]
      const type = question?.question_type ?? 'MCQ'
      const administered = tally.moments.count
      const facility = tally.positive === 0 ? null : (tally.moments.meanX * administered) / tally.positive
      const discrimination = tally.moments.correlation
      const options = optionsOf(tally, type).map(([option, { chosen, rest }]) => ({
        option,
        chosen,
        share: chosen / administered,
        mean_rest_score: chosen === 0 ? null : rest / chosen / steps,
      }))
      const key = newest.grading.questions[index]?.correct_answer ?? ''
      const flags: Item['flags'] = []
      if (discrimination !== null && discrimination < 0) flags.push('negative_discrimination')
      if (facility !== null && facility > EASY) flags.push('too_easy')
      if (facility !== null && facility < HARD) flags.push('too_hard')
      if (type === 'MCQ' && isKeyBeaten(options, key)) flags.push('distractor_beats_key')
      return {
        question_id: id,
        question_type: type,
        question_text: question?.question_text ?? '',
        administered,
        omitted: tally.omitted,
        facility,
        discrimination,
        options,
        flags,
      }
    })
}

function optionsOf({ choices }: ItemTally, type: Item['question_type']): [string, Choice][] {
  const none = { chosen: 0, rest: 0 }
  if (type !== 'NUMERIC') return LETTERS.map((letter) => [letter, choices.get(letter) ?? none])
  return [...choices]
    .sort(([one, a], [other, b]) => b.chosen - a.chosen || Number(one) - Number(other))
    .slice(0, WRONG_VALUES)
}

/**
 * Whether students who chose some wrong option have better scores on all other questions than those who chose the
 * key.
 */
function isKeyBeaten(options: Item['options'], key: string): boolean {
  const counting = options.filter(({ chosen }) => chosen >= FEWEST_CHOOSERS)
  const right = counting.find(({ option }) => option === key)?.mean_rest_score
  return (
    right != null &&
    counting.some(({ option, mean_rest_score }) => option !== key && (mean_rest_score ?? right) > right)
  )
}
