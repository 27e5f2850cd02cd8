import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../../client.ts'

export interface Load<T> {
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload: () => Promise<void>
}

interface LoadState<T> {
  key: unknown
  data?: T
  error?: unknown
  isLoading: boolean
}

/** Loads what `read` answers; again when `key` changes, and after a failure when the connection is back. */
export function useLoad<T>(key: unknown, read: () => Promise<T>): Load<T> {
  const [stored, setState] = useState<LoadState<T>>({ key, isLoading: true })
  // What was loaded for another key is never shown, not even for a moment.
  const state: LoadState<T> = Object.is(stored.key, key) ? stored : { key, isLoading: true }
  const latest = useRef(0)
  const wanted = useRef({ key, read })
  wanted.current = { key, read }
  const reload = useCallback(async () => {
    latest.current += 1
    const mine = latest.current
    const { key, read } = wanted.current
    // What is shown stays until there is something newer: an error too.
    setState((before) => ({ ...(Object.is(before.key, key) ? before : { key }), isLoading: true }))
    try {
      const data = await read()
      if (mine === latest.current) setState({ key, data, isLoading: false })
    } catch (error) {
      if (mine === latest.current) setState((before) => ({ ...before, error, isLoading: false }))
    }
  }, [])
  useEffect(() => {
    void reload()
    return () => {
      latest.current += 1
    }
  }, [key])
  useEffect(() => {
    if (state.error === undefined) return
    const again = () => void reload()
    addEventListener('online', again)
    // A line can be cut without the browser's knowing.
    const stop = client.live.$status.listen((status) => {
      if (status === 'online') again()
    })
    return () => {
      removeEventListener('online', again)
      stop()
    }
  }, [state.error])
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload }
}
