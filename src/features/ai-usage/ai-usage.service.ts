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
const BYTES_PER_TOKEN_OF_PDF = 100
const MOST_TOKENS_OF_PDF = 300_000

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

/**
 * Reserves what a request may take of the day's tokens, where there is a budget. Otherwise 429 `ai_budget_spent`:
 * `retryAfter` is the time until midnight, or until what others have reserved may be free again.
 */
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
      try {
        // Not every server says what it was sent; one that wrote something was sent this.
        const isUntold = usage && usage.output > 0 && usage.input + usage.cached === 0
        const taken = isUntold ? { ...usage, input } : usage
        await core.db.transaction((tx) => endRequest(tx, user, { id, day, timezone }, taken))
        if ('jobId' in user && usage) user.onCounted()
      } catch (error) {
        log.warn({ err: error, tokens: usage }, 'tokens could not be counted')
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
  throw new AppError('ai_budget_spent', {
    retryAfter: isPerson || reserved.refusal === 'spent' ? untilMidnight : Math.min(untilMidnight, 60),
  })
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
        : Math.min(part.pdf.length / BYTES_PER_TOKEN_OF_PDF, MOST_TOKENS_OF_PDF),
    )
  const fixed = (system.length + (schema ? JSON.stringify(schema).length : 0)) / CHARACTERS_PER_TOKEN
  return Math.ceil(fixed + tokens.reduce((sum, each) => sum + each, 0))
}

/** The model for jobs: as `Ai.write`, within the day's tokens, and what it takes is counted. */
export async function* writeWithin(
  core: Core,
  user: TokenUser,
  prompt: Prompt,
): ReturnType<Ai['write']> extends AsyncIterable<infer Part> ? AsyncGenerator<Part, void> : never {
  const ai = requireAi(core)
  const { maxTokens, log } = prompt
  const reservation = await reserveTokens(core, user, { input: estimateInput(prompt), maxTokens, log })
  let usage: Usage | undefined
  try {
    yield* ai.write({
      ...prompt,
      onUsage: (told) => {
        usage = told
      },
    })
  } finally {
    await reservation.end(usage)
  }
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
