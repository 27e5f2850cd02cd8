import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { QuestionFields } from '../../../schemas/questions.schemas.ts'
import { AppError, busy } from '../../errors.ts'
import type { DrawTrial } from './draw-trial.ts'

export type ToTrialThread = QuestionFields
export type FromTrialThread = { trial: DrawTrial } | { failure: string }

/** How long the draws of one question, and of a file of them, may take. */
const QUESTION_MS = 2_000
const FILE_MS = 20_000
/** A thread needs this long to begin on a slow machine, which isn't the question's time. */
const BEGIN_MS = 10_000
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
/** How long a thread without work is kept: to begin one takes longer than most trials. */
const IDLE_MS = 60_000

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
      const { trial, tookMs } = await tryInTurn(question, left)
      left -= tookMs
      return trial
    },
  }
}

/** One thread of the process, which tries one question at a time. */
let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()

function tryInTurn(question: QuestionFields, limitMs: number) {
  const trying = last.then(() => tryInThread(question, limitMs))
  last = trying.catch(() => {})
  return trying
}

async function tryInThread(
  question: QuestionFields,
  limitMs: number,
): Promise<{ trial: DrawTrial; tookMs: number }> {
  clearTimeout(idle)
  thread ??= await beginThread()
  const from = performance.now()
  try {
    thread.ref()
    thread.postMessage(question satisfies ToTrialThread)
    const [told] = (await once(thread, 'message', {
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(limitMs))),
    })) as [FromTrialThread]
    if ('failure' in told) throw new Error(told.failure)
    thread.unref()
    idle = setTimeout(endThread, IDLE_MS).unref()
    return { trial: told.trial, tookMs: performance.now() - from }
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
