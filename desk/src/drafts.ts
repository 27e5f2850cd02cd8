import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { readStored, writeStored } from './stored.ts'

/** Drafts that nobody came back to are dropped after this. */
const KEPT_MS = 30 * 86_400_000
const SAVE_AFTER_MS = 300
const PREFIX = 'exam-practice:draft:'

interface StoredDraft<T> {
  value: T
  /** When it was typed, in milliseconds since the epoch. */
  at: number
}

/** What somebody types is kept in this browser, until it is saved or thrown away. */
export function readDraft<T>(name: string): StoredDraft<T> | undefined {
  return readStored(`draft:${name}`)
}

export function keepDraft(name: string, value: unknown): void {
  writeStored(`draft:${name}`, { value, at: Date.now() })
}

export function dropDraft(name: string): void {
  writeStored(`draft:${name}`, undefined)
}

export function dropOldDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(PREFIX)) continue
      const { at } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<StoredDraft<unknown>>
      if (!at || Date.now() - at > KEPT_MS) localStorage.removeItem(key)
    }
  } catch {}
}

/** A function that keeps a draft after a pause, and at once when the page is hidden or the view goes. */
export function useDraftSaver(name: string | undefined): {
  keep: (value: () => unknown) => void
  drop: () => void
} {
  const timer = useRef(0)
  const waiting = useRef<() => unknown>(undefined)
  const flush = useCallback(() => {
    clearTimeout(timer.current)
    if (name !== undefined && waiting.current) keepDraft(name, waiting.current())
    waiting.current = undefined
  }, [name])
  useEffect(() => {
    addEventListener('pagehide', flush)
    document.addEventListener('visibilitychange', flush)
    return () => {
      removeEventListener('pagehide', flush)
      document.removeEventListener('visibilitychange', flush)
      flush()
    }
  }, [flush])
  return {
    keep: useCallback(
      (value) => {
        waiting.current = value
        clearTimeout(timer.current)
        timer.current = window.setTimeout(flush, SAVE_AFTER_MS)
      },
      [flush],
    ),
    drop: useCallback(() => {
      clearTimeout(timer.current)
      waiting.current = undefined
      if (name !== undefined) dropDraft(name)
    }, [name]),
  }
}

/** The text of one field, kept as a draft. */
export function useDraftText(name: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(() => readDraft<string>(name)?.value ?? '')
  const { keep, drop } = useDraftSaver(name)
  const set = useCallback(
    (next: string) => {
      setText(next)
      if (next === '') drop()
      else keep(() => next)
    },
    [keep, drop],
  )
  return [text, set]
}
