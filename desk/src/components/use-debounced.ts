import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'

/** Calls `work` after `pauseMs` without a further call; never after the view is gone. */
export function useDebounced<A extends unknown[]>(
  work: (...given: A) => void,
  pauseMs: number,
): (...given: A) => void {
  const latest = useRef(work)
  latest.current = work
  const timer = useRef(0)
  // Other effects come after the next paint, and somebody may have left by then.
  useLayoutEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(
    (...given) => {
      clearTimeout(timer.current)
      timer.current = window.setTimeout(() => latest.current(...given), pauseMs)
    },
    [pauseMs],
  )
}
