import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { client } from '../client.ts'

/** A shorter time without a connection is not shown. */
const PATIENCE_MS = 3_000

/** Tells the person when the shown data may be out of date. */
export function Connection() {
  const status = useStore(client.live.$status)
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    setLost(false)
    if (status === 'online') return
    const timer = setTimeout(() => setLost(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [status])
  return (
    <p class="connection" role="status" hidden={!isLost}>
      {isLost &&
        'No connection. Answers, messages and drafts are kept on this device; messages and answers are sent as soon as the service can be reached.'}
    </p>
  )
}
