import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export interface Load<T> {
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload: () => Promise<void>
  /** Shows what is known already, without asking. */
  set: (change: (data: T) => T) => void
}

/** What `read` answers, asked again whenever `key` changes, and when the connection comes back after a failure. */
export function useLoad<T>(key: unknown, read: () => Promise<T>): Load<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; isLoading: boolean }>({ isLoading: true })
  const latest = useRef(0)
  const reading = useRef(read)
  reading.current = read
  const reload = useCallback(async () => {
    latest.current += 1
    const mine = latest.current
    setState((before) => ({ ...before, error: undefined, isLoading: true }))
    try {
      const data = await reading.current()
      if (mine === latest.current) setState({ data, isLoading: false })
    } catch (error) {
      if (mine === latest.current) setState((before) => ({ ...before, error, isLoading: false }))
    }
  }, [])
  const shown = useRef(key)
  useEffect(() => {
    if (shown.current !== key) setState({ isLoading: true })
    shown.current = key
    void reload()
    return () => {
      latest.current += 1
    }
  }, [key])
  useEffect(() => {
    if (state.error === undefined) return
    const again = () => void reload()
    addEventListener('online', again)
    return () => removeEventListener('online', again)
  }, [state.error])
  const set = useCallback(
    (change: (data: T) => T) =>
      setState((before) => (before.data === undefined ? before : { ...before, data: change(before.data) })),
    [],
  )
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload, set }
}
