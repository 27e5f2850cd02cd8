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
const WAITING = 'results-waiting'
const MOST_SEEN = 200
/** Attempts whose challenges are looked at, the newest ones. */
const MOST_LOOKED_AT = 3

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
    if (frame.type === 'results_released' && frame.released) void tellReleased(frame.exam_id).catch(() => {})
    if (frame.type === 'result_changed')
      tell(
        {
          key: `changed-${frame.attempt_id}-${new Date().toISOString().slice(0, 16)}`,
          text: t('One of your results was regraded'),
          href: `/desk/results/${frame.attempt_id}`,
        },
        true,
      )
  })
}

interface Attempt {
  attempt_id: number
  exam_name: string
  percentage: number | null
}

/** Finds what happened while the person was away: released results, and answered challenges of the newest ones. */
export async function lookForNotices(attempts: readonly Attempt[]): Promise<void> {
  const waiting = new Set(readStored<number[]>(WAITING))
  for (const { attempt_id, exam_name, percentage } of attempts)
    if (percentage !== null && waiting.has(attempt_id)) tell(ofResult({ attempt_id, exam_name }))
  writeStored(
    WAITING,
    attempts.filter(({ percentage }) => percentage === null).map(({ attempt_id }) => attempt_id),
  )
  const visible = attempts.filter(({ percentage }) => percentage !== null).slice(0, MOST_LOOKED_AT)
  for (const { attempt_id } of visible) {
    const params = { path: { attempt_id } }
    const found = await ask(client.GET('/api/v01/attempts/{attempt_id}/challenges', { params })).catch(
      () => undefined,
    )
    for (const challenge of found?.challenges ?? [])
      if (challenge.status !== 'open') tell(ofChallenge(challenge))
  }
}

/** The frame doesn't say whether the person has a result there, nor the exam's name. */
async function tellReleased(examId: number): Promise<void> {
  const { attempts } = await ask(client.GET('/api/v01/attempts', { params: { query: { exam_id: examId } } }))
  for (const attempt of attempts) if (attempt.percentage !== null) tell(ofResult(attempt), true)
}

function ofResult({ attempt_id, exam_name }: Pick<Attempt, 'attempt_id' | 'exam_name'>): Notice {
  return {
    key: `result-${attempt_id}`,
    text: t('The result of {exam} was released', { exam: exam_name }),
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
