import { useCallback, useState } from 'preact/hooks'
import { readStored, writeStored } from '../../../stored.ts'

/**
 * Where somebody was in an attempt: the question, what they have seen, and the exam's name for when it can't be asked
 * for.
 */
interface ReadingPlace {
  name: string
  index: number
  seen: number[]
}

/** Remembers the place in this browser, so that a reload leads back to it. */
export function usePlace(attemptId: number, name: string | undefined) {
  const [place, setPlace] = useState<ReadingPlace>(() => ({
    index: 0,
    seen: [],
    name: '',
    ...readStored<ReadingPlace>(`place-${attemptId}`),
    ...(name ? { name } : {}),
  }))
  const move = useCallback(
    (change: Partial<ReadingPlace>) =>
      setPlace((before) => {
        const next = { ...before, ...change }
        writeStored(`place-${attemptId}`, next)
        return next
      }),
    [attemptId],
  )
  return [place, move] as const
}

export function forgetPlace(attemptId: number): void {
  writeStored(`place-${attemptId}`, undefined)
}
