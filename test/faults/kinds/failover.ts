import { onTestFinished } from 'vitest'
import { POSTGRES_PROGRAMS, type Replicated, startReplicated } from '../../support/outside/replicated.ts'
import { long } from '../show.ts'

export function failoverFaults(): void {
  if (!POSTGRES_PROGRAMS) return
  const programs = POSTGRES_PROGRAMS
  let servers: Replicated
  long(
    'PostgreSQL’s primary killed, its synchronous standby promoted',
    async () => {
      await servers.stopPrimary()
      await servers.promoteStandby()
      return performance.now()
    },
    async () => {
      servers = await startReplicated(programs)
      onTestFinished(() => servers.close())
      await servers.makeSynchronous()
      const { primaryPort, standbyPort } = servers
      const hosts = `127.0.0.1:${primaryPort},127.0.0.1:${standbyPort}`
      return {
        env: { DATABASE_URL: `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write` },
      }
    },
  )
}
