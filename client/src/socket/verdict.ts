import type { Platform } from '../platform.ts'

/**
 * Calls `judge` if it isn't cancelled in time, because no answer came. It is told whether that proves anything: if the
 * timer fires more than `slackMs` late, or the clock was changed, the tab was suspended, and the answer may be late for
 * the same reason.
 */
export function judgeAfter(
  platform: Pick<Platform, 'now' | 'after'>,
  ms: number,
  slackMs: number,
  judge: (isProof: boolean) => void,
): () => void {
  const due = platform.now() + ms
  return platform.after(ms, () => {
    const late = platform.now() - due
    judge(late >= 0 && late <= slackMs)
  })
}
