import type { Content } from '../../../../schemas/common.ts'
import type { DrawRule } from '../../../../schemas/exams.schemas.ts'
import type { ForecastAnswer, ForecastQuery } from '../../../../schemas/practice.schemas.ts'
import type { Core } from '../../../core.ts'
import { AppError } from '../../../errors.ts'
import { instantOf } from '../../../formats/local-time.ts'
import { breaks } from '../../../scheduling/breaks.ts'
import { requireStanding } from '../../attempts/attempts-left.service.ts'
import { listInForce } from '../../attempts/grading-lock.service.ts'
import { currentPaperOf } from '../../attempts/papers.service.ts'
import { chancesOf } from '../../exams/drawing.ts'
import { foldTag } from '../../questions/question-tags.ts'
import { timesFor } from '../../timing/time-windows.ts'
import { guessOf, listCardQuestions } from '../cards/card-questions.ts'
import { lookAgain } from '../cards/decks.service.ts'
import { retrievability } from '../cards/practice-schedule.ts'
import * as store from './forecast.store.ts'
import { type Chance, forecast } from './forecasting.ts'

/** A question of the paper that a new attempt would have. */
interface ForecastQuestion extends Chance {
  tags: readonly string[]
  isCovered: boolean
  /** Whether the person may see its key. */
  isVisible: boolean
}

/** What somebody would score at an exam. 404, 409 `not_practisable` where they may see none of its keys. */
export async function readForecast(
  core: Core,
  userId: number,
  { exam_id: examId, at: given }: ForecastQuery,
): Promise<Content<ForecastAnswer>> {
  await lookAgain(core, userId)
  const { exam, personal } = await requireStanding(core.db, userId, examId)
  const at =
    given === undefined
      ? Math.max(core.clock(), timesFor(exam, personal).opensAt?.getTime() ?? 0)
      : instantOf(given).getTime()
  const questions = await listForecasted(core, userId, exam, at)
  if (!questions.some(({ isVisible }) => isVisible)) throw new AppError('not_practisable')
  const { passPercentage } = exam
  const { expected, low, high, maxScore, expectedPercentage, passChance } = forecast(
    questions,
    passPercentage,
  )
  return {
    exam_id: examId,
    at: new Date(at).toISOString(),
    expected,
    low,
    high,
    max_score: maxScore,
    expected_percentage: expectedPercentage,
    pass_percentage: passPercentage,
    pass_chance: passChance,
    covered: questions.filter(({ isCovered }) => isCovered).length,
    questions: questions.length,
    by_tag: await listTags(questions, passPercentage),
  }
}

async function listForecasted(
  core: Core,
  userId: number,
  { id: examId, draw }: { id: number; draw: DrawRule[] | null },
  at: number,
): Promise<ForecastQuestion[]> {
  const [paper, inForce, { cards, isOpen }, tags] = await Promise.all([
    currentPaperOf(core, core.db, examId),
    listInForce(core.db, examId),
    store.readDeck(core.db, userId, examId),
    store.listTags(core.db, examId),
  ])
  const askable = new Set(listCardQuestions(paper, inForce).map(({ question }) => question.id))
  const chances = draw && chancesOf(draw, paper.tasks)
  const takeBreak = breaks()
  const forecasted: ForecastQuestion[] = []
  for (const question of paper.gradedBy(inForce).questions) {
    await takeBreak()
    const weight = chances ? (chances.get(question.id) ?? 0) : 1
    if (weight === 0 || question.ruling === 'drop') continue
    const card = cards.get(question.id)
    const known = (card && retrievability(card, at)) ?? 0
    const guess = guessOf(question)
    const isCredited = question.ruling === 'credit_all'
    forecasted.push({
      p: isCredited ? 1 : askable.has(question.id) ? known + (1 - known) * guess : null,
      isCredited,
      positive: Number(question.positive_marks),
      negative: Number(question.negative_marks),
      weight,
      tags: tags.get(question.id) ?? [],
      isCovered: card !== undefined && card.reps > 0,
      isVisible: card !== undefined || (isOpen && askable.has(question.id)),
    })
  }
  return forecasted
}

/** Tags of questions whose keys are not to be seen stay unknown. */
async function listTags(
  questions: readonly ForecastQuestion[],
  passPercentage: number,
): Promise<ForecastAnswer['by_tag']> {
  const takeBreak = breaks()
  const byTag = new Map<string, { spelling: string; tagged: ForecastQuestion[] }>()
  for (const question of questions) {
    await takeBreak()
    if (!question.isVisible) continue
    for (const tag of question.tags) {
      const key = foldTag(tag)
      const known = byTag.get(key)
      if (known) known.tagged.push(question)
      else byTag.set(key, { spelling: tag, tagged: [question] })
    }
  }
  const listed: ForecastAnswer['by_tag'] = []
  for (const [, { spelling, tagged }] of [...byTag].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await takeBreak()
    listed.push({
      tag: spelling,
      questions: tagged.length,
      covered: tagged.filter(({ isCovered }) => isCovered).length,
      expected_percentage: forecast(tagged, passPercentage).expectedPercentage,
    })
  }
  return listed
}
