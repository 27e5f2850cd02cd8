import { atom } from 'nanostores'
import { ask, client } from './client.ts'
import { showToast } from './components/dialogs/toasts.tsx'
import { readStored, writeStored } from './stored.ts'
import { t } from './texts.ts'

/** Something that happened to what is the person's own, with where it is shown. */
export interface Notice {
  /** Names it, so that it is told once, whether it came by a frame or was found in a list. */
  key: string
  text: string
  href: string
}

const STORED = 'notices'
const SEEN = 'notices-seen'
/** The percentages of finished attempts as they were seen last, by attempt; null: not to be seen yet. */
const KNOWN = 'results-known'
/** Attempts with challenges that nobody had answered yet. */
const CHALLENGED = 'challenged'
const MOST_SEEN = 200
/** Attempts whose challenges are looked at, the newest ones. */
const MOST_LOOKED_AT = 3
const MOST_CHALLENGED = 10

/** The service keeps no notices: these are from its frames, and from lists after being away. */
export const $notices = atom<readonly Notice[]>([])

export function dismiss(key: string): void {
  keep($notices.get().filter((notice) => notice.key !== key))
}

/** Tells of what comes by frames. Returns a function that ends this. */
export function watchNotices(): () => void {
  $notices.set(readStored<Notice[]>(STORED) ?? [])
  return client.live.listen((frame) => {
    if (frame.type === 'challenge_resolved') tell(ofChallenge(frame.challenge), true)
    if (frame.type === 'results_released' && frame.released)
      void tellOf(frame.exam_id, ofResult).catch(() => {})
    if (frame.type === 'result_changed')
      void tellOf(frame.exam_id, (attempt) =>
        attempt.attempt_id === frame.attempt_id ? ofChange(attempt) : undefined,
      ).catch(() => {})
  })
}

interface EndedAttempt {
  attempt_id: number
  exam_name: string
  /** null: it is not to be seen yet. */
  score: number | null
  percentage: number | null
}

/** Finds what happened while the person was away: released and regraded results, and answered challenges. */
export async function lookForNotices(attempts: readonly EndedAttempt[]): Promise<void> {
  tellResults(attempts)
  const newest = attempts.filter(({ score }) => score !== null).slice(0, MOST_LOOKED_AT)
  const challenged = readStored<number[]>(CHALLENGED) ?? []
  for (const id of new Set([...newest.map(({ attempt_id }) => attempt_id), ...challenged])) {
    const params = { path: { attempt_id: id } }
    const found = await ask(client.GET('/api/v01/attempts/{attempt_id}/challenges', { params })).catch(
      () => undefined,
    )
    if (!found) continue
    for (const challenge of found.challenges) if (challenge.status !== 'open') tell(ofChallenge(challenge))
    awaitAnswer(
      id,
      found.challenges.some(({ status }) => status === 'open'),
    )
  }
}

/** Whether an answer to a challenge is looked for at this attempt, however old it is. */
export function awaitAnswer(attemptId: number, isOpen = true): void {
  const others = (readStored<number[]>(CHALLENGED) ?? []).filter((id) => id !== attemptId)
  writeStored(CHALLENGED, isOpen ? [...others, attemptId].slice(-MOST_CHALLENGED) : others)
}

type Tell = (attempt: EndedAttempt) => Notice | undefined

/**
 * Frames don't say whether the person has a result there, nor the exam's name. `ofUnknown`: what it means for a result
 * that this device hasn't seen before.
 */
async function tellOf(examId: number, ofUnknown: Tell): Promise<void> {
  const { attempts } = await ask(client.GET('/api/v01/attempts', { params: { query: { exam_id: examId } } }))
  tellResults(attempts, ofUnknown)
}

/** Tells of results that are to be seen now, or that are others than when they were seen last. */
function tellResults(attempts: readonly EndedAttempt[], ofUnknown?: Tell): void {
  const known = readStored<Record<number, number | null>>(KNOWN) ?? {}
  for (const attempt of attempts) {
    const { attempt_id, score } = attempt
    const before = known[attempt_id]
    // Where nothing could be scored there is no percentage.
    const seen = score === null ? null : (attempt.percentage ?? 0)
    known[attempt_id] = seen
    if (seen === null || before === seen) continue
    const notice =
      before === null ? ofResult(attempt) : before === undefined ? ofUnknown?.(attempt) : ofChange(attempt)
    if (notice) tell(notice, ofUnknown !== undefined)
  }
  // The newest ones: their ids are the highest.
  writeStored(KNOWN, Object.fromEntries(Object.entries(known).slice(-MOST_SEEN)))
}

function ofResult({ attempt_id, exam_name }: Pick<EndedAttempt, 'attempt_id' | 'exam_name'>): Notice {
  return {
    key: `result-${attempt_id}`,
    text: t('The result of {exam} was released', { exam: exam_name }),
    href: `/desk/results/${attempt_id}`,
  }
}

function ofChange({ attempt_id, exam_name, percentage }: EndedAttempt): Notice {
  return {
    key: `changed-${attempt_id}-${percentage}`,
    text: t('Your result of {exam} was regraded', { exam: exam_name }),
    href: `/desk/results/${attempt_id}`,
  }
}

function ofChallenge({ id, attempt_id, status }: { id: number; attempt_id: number; status: string }): Notice {
  return {
    key: `challenge-${id}`,
    text: status === 'accepted' ? t('Your challenge was accepted') : t('Your challenge was rejected'),
    href: `/desk/results/${attempt_id}`,
  }
}

function tell(notice: Notice, isNow = false): void {
  const seen = readStored<string[]>(SEEN) ?? []
  if (seen.includes(notice.key)) return
  writeStored(SEEN, [...seen, notice.key].slice(-MOST_SEEN))
  keep([notice, ...$notices.get()].slice(0, 20))
  if (isNow) showToast(notice.text)
}

function keep(notices: readonly Notice[]): void {
  $notices.set(notices)
  writeStored(STORED, notices.length > 0 ? notices : undefined)
}
