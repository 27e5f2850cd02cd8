import { expect, test } from 'vitest'
import { pgbouncerVersion, startPgbouncer } from '../support/outside/pgbouncer.ts'
import { startProcess } from '../support/processes/process.ts'
import { connect, createDatabase, SECRET, withService } from '../support/service.ts'

if (pgbouncerVersion === undefined) process.stdout.write('PgBouncer is skipped: it is not installed\n')

test.runIf(pgbouncerVersion !== undefined)(
  'behind PgBouncer in transaction mode the service migrates once, serves many, and says what an old one lacks',
  async () => {
    const database = await createDatabase('template0')
    const url = await startPgbouncer(database.url, 4)
    const env = {
      DATABASE_URL: url,
      JWT_SECRET: SECRET,
      STORAGE_URL: 'file:///tmp',
      SMTP_URL: 'smtp://127.0.0.1:1',
    }
    const [service, second] = [startProcess(env), startProcess(env)]
    await Promise.all([service.ready(), second.ready()])
    const isOld = (pgbouncerVersion ?? 0) < 21
    expect(service.output.includes('take PgBouncer 1.21 or newer')).toBe(isOld)
    expect(service.output).toContain(`"prepared_statements":${!isOld}`)
    expect(service.output).toContain("alter role … set statement_timeout = '8s'")
    expect(await second.exit('SIGTERM')).toBe(0)
    expect(await service.exit('SIGTERM')).toBe(0)

    const within = await withService({ database: { ...database, url } })
    const people = await Promise.all(Array.from({ length: 8 }, () => within.person()))
    await Promise.all(
      people.map(async (one, index) => {
        const other = people[(index + 1) % people.length] as typeof one
        const conversation = await connect(one, other)
        await Promise.all(
          Array.from({ length: 15 }, (_, n) => one.send(conversation, `${n}`, undefined, 201)),
        )
        const { messages } = (await other.get(`/api/v01/chat/conversations/${conversation}/messages`, 200))
          .body
        expect(messages).toHaveLength(15)
        const { body } = await one.post('/api/v01/notebooks', { title: 'Notes' }, 201)
        expect(body.notebook.title).toBe('Notes')
      }),
    )
    // No advisory lock, which belongs to one connection, was left on those that all share.
    expect(
      await within.sql`select 1 from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`,
    ).toEqual([])
  },
  90_000,
)
