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
import { countNewLeft } from '../practice.service.ts'
import { listSettings } from '../practice-settings.store.ts'
import * as store from './forecast.store.ts'
import {
  type Answered,
  type Chance,
  confidenceOf,
  type Doubts,
  forecast,
  marksOf,
  type Prospect,
} from './forecasting.ts'
import { chanceAfterRight, chanceOf, findKnowledge, type Knowledge } from './knowledge.service.ts'

const TEN_MINUTES_MS = 600_000
/** Most questions that ten minutes are enough for, whatever somebody's pace. */
const MOST_IN_TEN_MINUTES = 100

/** A question of the paper that a new attempt would have. */
interface ForecastQuestion extends Prospect {
  tags: readonly string[]
  isCovered: boolean
  /** How it was answered last; null: never. */
  isRight: boolean | null
  /** Whether the person may see its key. */
  isVisible: boolean
  /** Whether it has a key. */
  isAskable: boolean
  /** Whether it may be asked today; undefined where a right answer would change nothing either. */
  waits: 'due' | 'new' | undefined
  /** What a right answer now would make of it. */
  afterRight: () => Chance
}

/** What somebody would score at an exam. 404, 409 `not_practisable` where they may see none of its keys. */
export async function readForecast(
  core: Core,
  userId: number,
  { exam_id: examId, at: given }: ForecastQuery,
): Promise<Content<ForecastAnswer>> {
  await lookAgain(core, userId)
  const { exam, personal } = await requireStanding(core.db, userId, examId)
  const now = core.clock()
  const sitting = given === undefined ? timesFor(exam, personal).opensAt : instantOf(given)
  // Nobody sits an exam in the past.
  const at = Math.max(now, sitting?.getTime() ?? now)
  const [knowledge, material] = await Promise.all([
    findKnowledge(core, userId, examId),
    readMaterial(core, userId, examId, now),
  ])
  const questions = await listForecasted(exam, material, knowledge, at)
  if (!questions.some(({ isVisible }) => isVisible)) throw new AppError('not_practisable')
  const { passPercentage } = exam
  const { sight, shift } = knowledge
  const doubts = { answered: shift.variance, unseen: sight.variance }
  const { expected, low, high, maxScore, expectedPercentage, passChance } = forecast(
    questions,
    doubts,
    passPercentage,
  )
  const askable = questions.filter(({ isAskable }) => isAskable)
  const answered = countAnswered(askable)
  const asked = Math.round(askable.reduce((sum, { weight }) => sum + weight, 0))
  const confidence = confidenceOf(answered, asked, knowledge.practised)
  return {
    exam_id: examId,
    at: new Date(at).toISOString(),
    expected,
    low,
    high,
    max_score: maxScore,
    expected_percentage: expectedPercentage,
    pass_percentage: passPercentage,
    pass_chance: confidence === 'none' || confidence === 'low' ? null : passChance,
    confidence,
    answered,
    covered: askable.filter(({ isCovered }) => isCovered).length,
    questions: askable.length,
    ten_minutes: await worthOfTenMinutes(questions, knowledge.paceMs, material.newLeft),
    by_tag: await listTags(questions, doubts, passPercentage),
  }
}

type Material = Awaited<ReturnType<typeof readMaterial>>

/** What a forecast is made of beside what the person's answers tell of them. */
async function readMaterial(core: Core, userId: number, examId: number, now: number) {
  const [paper, inForce, deck, tags, settings, newLeft] = await Promise.all([
    currentPaperOf(core, core.db, examId),
    listInForce(core.db, examId),
    store.readDeck(core.db, userId, examId),
    store.listTags(core.db, examId),
    listSettings(core.db, userId),
    countNewLeft(core, userId),
  ])
  const scheduling = { settings, timezone: core.config.timezone }
  return { paper, inForce, ...deck, tags, scheduling, newLeft, now }
}

async function listForecasted(
  { draw }: { draw: DrawRule[] | null },
  { paper, inForce, cards, isOpen, tags, scheduling, now }: Material,
  knowledge: Knowledge,
  at: number,
): Promise<ForecastQuestion[]> {
  const askable = new Set(listCardQuestions(paper, inForce).map(({ question }) => question.id))
  const chances = draw && chancesOf(draw, paper.tasks)
  const takeBreak = breaks()
  const forecasted: ForecastQuestion[] = []
  for (const question of paper.gradedBy(inForce).questions) {
    await takeBreak()
    const weight = chances ? (chances.get(question.id) ?? 0) : 1
    if (weight === 0 || question.ruling === 'drop') continue
    const card = cards.get(question.id)
    const isAskable = askable.has(question.id)
    const isCredited = question.ruling === 'credit_all'
    const asked = { at, guess: guessOf(question), isPartial: paper.msqScoring === 'partial' }
    const isVisible = card !== undefined || (isOpen && isAskable)
    forecasted.push({
      chance: isCredited
        ? { kind: 'credited' }
        : isAskable
          ? chanceOf(card, asked, knowledge)
          : { kind: 'none' },
      positive: Number(question.positive_marks),
      negative: Number(question.negative_marks),
      weight,
      tags: tags.get(question.id) ?? [],
      isCovered: card !== undefined && card.reps > 0,
      isRight: card?.outcome ? card.outcome === 'right' : null,
      isVisible,
      isAskable,
      waits: isVisible && isAskable && !isCredited ? waitsAt(card, now) : undefined,
      afterRight: () => chanceAfterRight(card, now, asked, knowledge, scheduling),
    })
  }
  return forecasted
}

function waitsAt(card: store.AnsweredCard | undefined, now: number): ForecastQuestion['waits'] {
  const due = card?.due ?? null
  if (due === null) return 'new'
  return due <= now ? 'due' : undefined
}

function countAnswered(questions: readonly ForecastQuestion[]): Answered {
  const right = questions.filter(({ isRight }) => isRight === true).length
  const wrong = questions.filter(({ isRight }) => isRight === false).length
  return { right, wrong, unseen: questions.length - right - wrong }
}

/**
 * What right answers would add to as many questions as ten minutes are enough for: as they are asked, due ones before new
 * ones, of which today brings `newLeft`.
 */
async function worthOfTenMinutes(
  questions: readonly ForecastQuestion[],
  paceMs: number,
  newLeft: number,
): Promise<ForecastAnswer['ten_minutes']> {
  const most = Math.min(MOST_IN_TEN_MINUTES, Math.max(1, Math.floor(TEN_MINUTES_MS / paceMs)))
  const takeBreak = breaks()
  const due: { question: ForecastQuestion; missing: number }[] = []
  const fresh: ForecastQuestion[] = []
  for (const question of questions) {
    await takeBreak()
    if (question.waits === 'new' && fresh.length < newLeft) fresh.push(question)
    if (question.waits === 'due')
      due.push({ question, missing: question.weight * question.positive - worthOf(question) })
  }
  due.sort((one, other) => other.missing - one.missing)
  const chosen = [...due.map(({ question }) => question), ...fresh].slice(0, most)
  let marks = 0
  for (const question of chosen) {
    await takeBreak()
    marks += Math.max(0, worthOf(question, question.afterRight()) - worthOf(question))
  }
  return { questions: chosen.length, marks }
}

function worthOf({ chance, positive, negative, weight }: ForecastQuestion, then: Chance = chance): number {
  return weight * marksOf(then, positive, negative)
}

/** Tags of questions whose keys are not to be seen stay unknown. */
async function listTags(
  questions: readonly ForecastQuestion[],
  doubts: Doubts,
  passPercentage: number,
): Promise<ForecastAnswer['by_tag']> {
  const takeBreak = breaks()
  const byTag = new Map<string, { spelling: string; tagged: ForecastQuestion[] }>()
  for (const question of questions) {
    await takeBreak()
    if (!question.isVisible || !question.isAskable) continue
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
      expected_percentage: forecast(tagged, doubts, passPercentage).expectedPercentage,
    })
  }
  return listed
}
