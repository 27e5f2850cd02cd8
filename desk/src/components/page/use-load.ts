import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export interface Load<T> {
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload: () => Promise<void>
}

/** Loads what `read` answers; again when `key` changes, and after a failure when the connection is back. */
export function useLoad<T>(key: unknown, read: () => Promise<T>): Load<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; isLoading: boolean }>({ isLoading: true })
  const latest = useRef(0)
  const reading = useRef(read)
  reading.current = read
  const reload = useCallback(async () => {
    latest.current += 1
    const mine = latest.current
    // What is shown stays until there is something newer: an error too.
    setState((before) => ({ ...before, isLoading: true }))
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
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload }
}
