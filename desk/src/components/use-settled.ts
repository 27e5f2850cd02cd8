import { useCallback, useEffect, useRef } from 'preact/hooks'

/** Does `work` once it has not been asked for during `pauseMs`; not any more after the view is gone. */
export function useSettled<A extends unknown[]>(
  work: (...given: A) => void,
  pauseMs: number,
): (...given: A) => void {
  const latest = useRef(work)
  latest.current = work
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(
    (...given) => {
      clearTimeout(timer.current)
      timer.current = window.setTimeout(() => latest.current(...given), pauseMs)
    },
    [pauseMs],
  )
}
