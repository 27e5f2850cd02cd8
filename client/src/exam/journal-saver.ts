import type { Store } from '../platform.ts'
import { forget, isSynced, type Journal, keepPaper, keepProgress } from './journal.ts'

/**
 * Makes a function that stores an exam's journal on this device. Calls wait for each other; a state that a later call
 * has replaced is skipped. A journal whose answers have all arrived is removed. `fail` is called when storing fails,
 * which doesn't end the exam.
 */
export function createSaver(
  store: Store,
  userId: number,
  fail: () => void,
): (journal: Journal) => Promise<void> {
  let latest: Journal | undefined
  let kept: Journal | undefined
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const journal = latest as Journal
    // An earlier call has stored this state already.
    if (kept === journal) return
    const isNew = !kept
    const isDone = journal.phase === 'submitted' || (journal.phase === 'closed' && isSynced(journal))
    kept = journal
    try {
      if (isNew && !isDone) await keepPaper(store, userId, journal)
      await (isDone ? forget(store, userId, journal) : keepProgress(store, userId, journal))
    } catch {
      fail()
    }
  }

  return (journal) => {
    latest = journal
    writing = writing.then(write)
    return writing
  }
}
