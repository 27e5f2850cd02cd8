import type { FastifyInstance } from 'fastify'

interface ScoredResult {
  max_score?: number | null
  percentage?: number | null
}

/** Where nothing could be scored, a result has no percentage; for clients of the older generation it is 0. */
export function fillPercentages(scope: FastifyInstance): void {
  scope.addHook('preSerialization', async (_request, _reply, payload) => {
    const { attempts, result, ...answer } = payload as ScoredResult & {
      attempts?: unknown
      result?: ScoredResult
    }
    // Elsewhere `attempts` is a number.
    const listed: ScoredResult[] = Array.isArray(attempts) ? attempts : []
    if (![answer, result ?? {}, ...listed].some(isWithout)) return payload
    return {
      ...(payload as object),
      ...fill(answer),
      ...(Array.isArray(attempts) ? { attempts: listed.map(fill) } : {}),
      ...(result ? { result: fill(result) } : {}),
    }
  })
}

function isWithout({ max_score, percentage }: ScoredResult): boolean {
  return max_score === 0 && percentage === null
}

function fill<R extends ScoredResult>(result: R): R {
  return isWithout(result) ? { ...result, percentage: 0 } : result
}
