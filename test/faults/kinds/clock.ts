import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { Client } from '../../support/client.ts'
import { createExam } from '../../support/content/exams.ts'
import { long } from '../show.ts'
import type { Node } from '../world.ts'

const HOUR_MS = 3_600_000

/** Clocks of both nodes and of the database that are set back, so that stored rows seem to be from the future. */
export function clockFaults(): void {
  long(
    'all clocks an hour slow for 10 s',
    async ({ nodes, sql, documented }, load) => {
      const [node, other] = nodes as [Node, Node]
      const person = new Client(node.url, documented)
      await person.register('traveller')
      const socket = await person.socket()
      const { examId, questionIds } = await createExam(sql, { duration_minutes: 30, questions: [{}] })
      await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
      const save = (client: Client) =>
        client.put(`/api/v01/exams/${examId}/answers`, { answers: { [questionIds[0] ?? 0]: 'A' } }, 200)

      await Promise.all(nodes.map((each) => each.shiftClock(-HOUR_MS)))
      await sql`update conversations set last_activity_at = last_activity_at + interval '1 hour'`
      await load.serving(performance.now())
      // Tokens signed before and after the change.
      await save(person)
      const later = new Client(other.url, documented)
      await later.login('traveller')
      await save(later)
      await later.post('/api/v01/auth/refresh', { refresh_token: later.refreshToken }, 200)
      await sleep(10_000)
      expect(socket.closed).toBeUndefined()
      expect(await socket.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })

      await Promise.all(nodes.map((each) => each.shiftClock(0)))
      const since = performance.now()
      await save(person)
      expect((await person.get(`/api/v01/exams/${examId}/attempt-status`, 200)).body).toMatchObject({
        has_active_attempt: true,
      })
      const unordered = await sql`
        select 1 from (select created_at, lag(created_at) over (partition by conversation_id order by seq) as before
                         from messages) as messages
         where created_at <= before`
      expect(unordered).toHaveLength(0)
      return { since, note: '`created_at` rises; tokens, sockets, attempts, leases hold' }
    },
    () => ({ canShiftClock: true }),
  )
}
