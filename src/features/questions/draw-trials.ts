import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { QuestionFields } from '../../../schemas/questions.schemas.ts'
import { AppError, busy } from '../../errors.ts'
import type { DrawTrial, TriedDraw } from './draw-trial.ts'

/** What a thread does with a question: tries draws until one is wrong, or lists some whatever comes out. */
export type ToTrialThread = { question: QuestionFields } & (
  | { does: 'try' }
  | { does: 'list'; count: number; seed: string }
)
export type FromTrialThread = { trial: DrawTrial } | { listed: TriedDraw[] } | { failure: string }

/** How long the draws of one question, and of a file of them, may take. */
const QUESTION_MS = 2_000
const FILE_MS = 20_000
/** A thread needs this long to begin on a slow machine, which isn't the question's time. */
const BEGIN_MS = 10_000
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
/** How long a thread without work is kept: to begin one takes longer than most trials. */
const IDLE_MS = 60_000

/** Questions that wait for the thread, and how long one may: what is behind them is refused. */
const MOST_WAITING = 16
const WAIT_MS = 10_000

/** Tries the draws of questions, with a limit for all of them together. */
export interface DrawTrials {
  /** undefined for a question without variables; 400 `too_slow` where it takes too long. */
  try(question: QuestionFields): Promise<DrawTrial | undefined>
}

/** The trial of one question. */
export function tryQuestion(question: QuestionFields): Promise<DrawTrial | undefined> {
  return drawTrials(QUESTION_MS).try(question)
}

export function drawTrials(limitMs = FILE_MS): DrawTrials {
  let left = limitMs
  return {
    async try(question) {
      if (question.variables.length === 0) return undefined
      const { told, tookMs } = await runInTurn({ question, does: 'try' }, left)
      left -= tookMs
      return 'trial' in told ? told.trial : undefined
    },
  }
}

/** Draws of a question, what fails too; 400 `too_slow` where they take too long. */
export async function listDraws(question: QuestionFields, count: number, seed: string): Promise<TriedDraw[]> {
  const { told } = await runInTurn({ question, does: 'list', count, seed }, QUESTION_MS)
  return 'listed' in told ? told.listed : []
}

/** One thread of the process, which works on one question at a time. */
let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()
let waiting = 0

/** 503 where too many wait already, or this one has waited too long. */
async function runInTurn(task: ToTrialThread, limitMs: number): Promise<Ran> {
  if (waiting >= MOST_WAITING) throw busy()
  waiting += 1
  const from = performance.now()
  const running = last.then(() => {
    waiting -= 1
    if (performance.now() - from > WAIT_MS) throw busy()
    return runInThread(task, limitMs)
  })
  last = running.catch(() => {})
  return running
}

interface Ran {
  told: Exclude<FromTrialThread, { failure: string }>
  tookMs: number
}

async function runInThread(task: ToTrialThread, limitMs: number): Promise<Ran> {
  clearTimeout(idle)
  thread ??= await beginThread()
  const from = performance.now()
  try {
    thread.ref()
    thread.postMessage(task)
    const [told] = (await once(thread, 'message', {
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(limitMs))),
    })) as [FromTrialThread]
    if ('failure' in told) throw new Error(told.failure)
    thread.unref()
    idle = setTimeout(endThread, IDLE_MS).unref()
    return { told, tookMs: performance.now() - from }
  } catch (error) {
    endThread()
    const { name, code } = error as { name?: string; code?: string }
    throw name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY' ? new AppError('too_slow') : error
  }
}

async function beginThread(): Promise<Worker> {
  const fresh = new Worker(new URL('./draw-trials-thread.ts', import.meta.url), {
    resourceLimits: MEMORY,
    execArgv: [],
    env: {},
  })
  // It says when it is ready; once it has ended by itself, the next trial begins another one.
  // Without a listener an error of the thread would end the process.
  fresh.on('error', () => {})
  try {
    await once(fresh, 'message', { signal: AbortSignal.timeout(BEGIN_MS) })
  } catch (error) {
    void fresh.terminate()
    throw busy(error)
  }
  fresh.once('exit', () => {
    if (thread === fresh) thread = undefined
  })
  fresh.unref()
  return fresh
}

function endThread(): void {
  void thread?.terminate()
  thread = undefined
}
