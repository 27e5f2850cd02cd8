import type { Core } from '../core.ts'
import { toMessage } from '../features/assistant/assistant.service.ts'
import { countToday, LIMITS } from '../features/assistant/tutor-quota.service.ts'
import * as store from './study-chat.store.ts'

/** Newest messages that are shown: a study chat has no pages. */
const MOST_MESSAGES = 1_000

/** The older generation's one chat of a person, oldest first, with the quota that it shares. */
export async function readStudyChat(core: Core, userId: number) {
  const [{ answered }, rows] = await Promise.all([
    countToday(core, userId),
    store.listStudyChat(core.db, userId, MOST_MESSAGES),
  ])
  return { dailyLimit: LIMITS.daily, questionsUsed: answered, history: rows.map(toMessage) }
}

/** The day's quota stays used. */
export async function clearStudyChat(core: Core, userId: number): Promise<void> {
  await store.deleteStudyChat(core.db, userId)
}
