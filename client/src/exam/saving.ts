import type { Store } from '../platform.ts'
import { forget, isSynced, type Journal, keepPaper, keepProgress } from './journal.ts'

/**
 * Stores the states of one journal on this machine, one after another, and removes it when it is no longer needed.
 * `fail` is called if storing fails; the exam goes on without it.
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
    // The latest state contains the earlier ones.
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
