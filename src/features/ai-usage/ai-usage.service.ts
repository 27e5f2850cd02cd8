import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { AiUsageDay } from '../../../schemas/ai-usage.schemas.ts'
import { type Ai, type Prompt, requireAi, type Usage } from '../../adapters/ai.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { LOCKS, lockAlone } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { DAY_MS, localDay } from '../../formats/local-time.ts'
import * as store from './ai-usage.store.ts'

/** Shares of a day's tokens: one person's questions, and all jobs with their checks (docs/ai.md#a-budget). */
const SHARES = { person: 0.05, jobs: 0.7 }
/** How long tokens stay reserved if the node dies: as long as a request may take. */
const RESERVED_SECONDS = 600
/** Roughly, and rather too few. */
const CHARACTERS_PER_TOKEN = 3
/** The Messages API takes a page as its text and as an image. */
const TOKENS_PER_PAGE = 3_000
/** How soon it makes sense to ask again for tokens that others have reserved, at the latest. */
const MOST_SECONDS_RESERVED = 60
/** Pauses before what a request took is counted again, if the database is away for a moment. */
const COUNT_AGAIN_MS = [100, 400, 1_500]
/** How often a request that waits for such tokens asks. */
const ASK_AGAIN_MS = 1_000

/** Who uses the model. */
export type TokenUser =
  | { userId: number }
  | {
      jobId: string
      /** When the job was started: what it takes is told of that day. */
      startedAt: Date
      use: 'writing' | 'checking'
      /** Stores the tokens with the job. */
      note: (db: Executor, usage: Usage) => Promise<void>
      /** Called once that is committed. */
      onCounted: () => void
    }

/** A request to the model that may take tokens; `end` has to be called once, whatever happens. */
export interface TokenReservation {
  /** Counts what the request took; undefined: the model wasn't asked. */
  end(usage: Usage | undefined): Promise<void>
}

/** 429 `ai_budget_spent`. */
export class BudgetExceeded extends AppError {
  /** Whether that lasts until midnight; otherwise tokens are only reserved, and may be free soon. */
  readonly isSpent: boolean

  constructor(isSpent: boolean, retryAfter: number) {
    super('ai_budget_spent', { retryAfter })
    this.isSpent = isSpent
  }
}

/** Reserves what a request may take of the day's tokens, where there is a budget. Otherwise `BudgetExceeded`. */
export async function reserveTokens(
  core: Core,
  user: TokenUser,
  { input, maxTokens, log }: { input: number; maxTokens: number; log: FastifyBaseLogger },
): Promise<TokenReservation> {
  const { timezone, ai } = core.config
  const now = new Date(core.clock())
  const day = localDay(now, timezone)
  const id =
    ai.dailyTokens === undefined
      ? undefined
      : await reserve(core, user, day, now, ai.dailyTokens, { input, maxTokens })
  return {
    async end(usage) {
      // Not every server says what it was sent; one that wrote something was sent this.
      const isUntold = usage && usage.output > 0 && usage.input + usage.cached === 0
      const taken = isUntold ? { ...usage, input } : usage
      for (const pauseMs of [...COUNT_AGAIN_MS, undefined]) {
        try {
          await core.db.transaction((tx) => endRequest(tx, user, { id, day, timezone }, taken))
          if ('jobId' in user && usage) user.onCounted()
          return
        } catch (error) {
          if (pauseMs === undefined) log.warn({ err: error, tokens: usage }, 'tokens could not be counted')
          else await sleep(pauseMs)
        }
      }
    },
  }
}

async function reserve(
  core: Core,
  user: TokenUser,
  day: string,
  now: Date,
  budget: number,
  { input, maxTokens }: { input: number; maxTokens: number },
): Promise<number> {
  const isPerson = 'userId' in user
  // A share is enough for one request at least.
  const share = Math.max(Math.floor(budget * (isPerson ? SHARES.person : SHARES.jobs)), maxTokens)
  const reserved = await core.db.transaction(async (tx) => {
    await lockAlone(tx, LOCKS.aiBudget())
    return store.reserveTokens(tx, {
      day,
      userId: isPerson ? user.userId : undefined,
      jobId: isPerson ? undefined : user.jobId,
      tokens: input + maxTokens,
      maxTokens,
      budget,
      share,
      seconds: RESERVED_SECONDS,
    })
  })
  if (reserved.refusal === null) return reserved.id
  const untilMidnight = await store.secondsToMidnight(core.db, now, core.config.timezone)
  const isSpent = reserved.refusal === 'spent'
  throw new BudgetExceeded(isSpent, isSpent ? untilMidnight : Math.min(untilMidnight, MOST_SECONDS_RESERVED))
}

async function endRequest(
  tx: Executor,
  user: TokenUser,
  { id, day, timezone }: { id: number | undefined; day: string; timezone: string },
  usage: Usage | undefined,
): Promise<void> {
  const { input, cached, output } = usage ?? { input: 0, cached: 0, output: 0 }
  const all = input + cached + output
  if ('userId' in user) {
    if (id !== undefined) await (all > 0 ? store.endPersonsRequest(tx, id, all) : store.deleteRequest(tx, id))
    if (all === 0) return
    const told = { tutorQuestions: 1, tutorInput: input, tutorCached: cached, tutorOutput: output }
    await store.addToDays(tx, [{ day, spentByTutor: all, ...told }])
    return
  }
  if (id !== undefined) await store.deleteRequest(tx, id)
  if (all === 0) return
  await user.note(tx, { input, cached, output })
  const told =
    user.use === 'checking'
      ? { checksInput: input, checksCached: cached, checksOutput: output }
      : { generationInput: input, generationCached: cached, generationOutput: output }
  await store.addToDays(tx, [
    { day, spentByJobs: all },
    { day: localDay(user.startedAt, timezone), ...told },
  ])
}

/** What the model is sent, in tokens, by a rough estimate. */
export function estimateInput({
  system,
  messages,
  schema,
}: Pick<Prompt, 'system' | 'messages' | 'schema'>): number {
  const tokens = messages
    .flatMap(({ parts }) => parts)
    .map((part) =>
      typeof part === 'string'
        ? part.length / CHARACTERS_PER_TOKEN
        : Math.max(1, part.pages) * TOKENS_PER_PAGE,
    )
  const fixed = (system.length + (schema ? JSON.stringify(schema).length : 0)) / CHARACTERS_PER_TOKEN
  return Math.ceil(fixed + tokens.reduce((sum, each) => sum + each, 0))
}

export interface WriteOptions {
  /** Whether it waits for tokens that others have reserved, as long as the whole answer may take. */
  waits?: boolean
  /** Called once the tokens are reserved, before the model is asked. */
  onReserved?: (() => Promise<void>) | undefined
}

/** The model for jobs: as `Ai.write`, within the day's tokens, and what it takes is counted. */
export async function* writeWithin(
  core: Core,
  user: TokenUser,
  prompt: Prompt,
  { waits = false, onReserved }: WriteOptions = {},
): ReturnType<Ai['write']> extends AsyncIterable<infer Part> ? AsyncGenerator<Part, void> : never {
  const ai = requireAi(core)
  const until = performance.now() + prompt.deadlineMs
  const reservation = await (waits ? reserveUntil(until, core, user, prompt) : reserveFor(core, user, prompt))
  let usage: Usage | undefined
  try {
    await onReserved?.()
    yield* ai.write({
      ...prompt,
      deadlineMs: Math.max(1, Math.round(until - performance.now())),
      onUsage: (told) => {
        usage = told
      },
    })
  } finally {
    await reservation.end(usage)
  }
}

function reserveFor(core: Core, user: TokenUser, prompt: Prompt): Promise<TokenReservation> {
  const { maxTokens, log } = prompt
  return reserveTokens(core, user, { input: estimateInput(prompt), maxTokens, log })
}

/** Asks again while tokens are only reserved. */
async function reserveUntil(
  until: number,
  core: Core,
  user: TokenUser,
  prompt: Prompt,
): Promise<TokenReservation> {
  for (;;) {
    try {
      return await reserveFor(core, user, prompt)
    } catch (error) {
      const isWorthwhile = error instanceof BudgetExceeded && !error.isSpent
      if (!isWorthwhile || performance.now() + ASK_AGAIN_MS > until) throw error
    }
    await sleep(ASK_AGAIN_MS, undefined, { signal: prompt.signal })
  }
}

/** The seconds that are left of the day. */
export function secondsLeft({ db, clock, config }: Core): Promise<number> {
  return store.secondsToMidnight(db, new Date(clock()), config.timezone)
}

/** Frees what a job's earlier workers, which may have died, have reserved. */
export async function freeTokens(core: Core, jobId: string): Promise<void> {
  if (core.config.ai.dailyTokens !== undefined) await store.deleteRequestsOfJob(core.db, jobId)
}

/** A job was started. */
export async function countJob(core: Core, tx: Executor, startedAt: Date): Promise<void> {
  await store.addToDays(tx, [{ day: localDay(startedAt, core.config.timezone), generationJobs: 1 }])
}

/** Questions of a job are ready. */
export async function countQuestions(
  core: Core,
  tx: Executor,
  startedAt: Date,
  verdicts: readonly ('agreed' | 'disputed' | 'unchecked')[],
): Promise<void> {
  if (verdicts.length === 0) return
  const count = (verdict: string) => verdicts.filter((each) => each === verdict).length
  await store.addToDays(tx, [
    {
      day: localDay(startedAt, core.config.timezone),
      generationQuestions: verdicts.length,
      checksAgreed: count('agreed'),
      checksDisputed: count('disputed'),
      checksUnchecked: count('unchecked'),
    },
  ])
}

/** What the model was used for on the last days, today included. */
export async function getUsage(core: Core, days: number) {
  const { timezone, ai } = core.config
  const now = core.clock()
  const today = localDay(new Date(now), timezone)
  const first = new Date(Date.parse(`${today}T00:00:00Z`) - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  const rows = await store.listDays(core.db, first)
  const spent = rows.find(({ day }) => day === today)
  return {
    budget: ai.dailyTokens ?? null,
    spent_today: (spent?.spentByTutor ?? 0) + (spent?.spentByJobs ?? 0),
    days: rows
      .filter(({ day }) => day <= today)
      .map(toDay)
      .filter(isUsed),
  }
}

function toDay(row: store.DayRow): AiUsageDay {
  return {
    date: row.day,
    tutor: {
      questions: row.tutorQuestions,
      input: row.tutorInput,
      cached: row.tutorCached,
      output: row.tutorOutput,
    },
    generation: {
      jobs: row.generationJobs,
      questions: row.generationQuestions,
      input: row.generationInput,
      cached: row.generationCached,
      output: row.generationOutput,
    },
    checks: {
      agreed: row.checksAgreed,
      disputed: row.checksDisputed,
      unchecked: row.checksUnchecked,
      input: row.checksInput,
      cached: row.checksCached,
      output: row.checksOutput,
    },
  }
}

/** A day may only have tokens of jobs that were started before. */
function isUsed({ tutor, generation, checks }: AiUsageDay): boolean {
  return [tutor, generation, checks].some((part) => Object.values(part).some((count) => count > 0))
}
