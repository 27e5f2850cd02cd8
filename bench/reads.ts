import { setTimeout } from 'node:timers/promises'
import { fillSchool, SMALL_SCHOOL } from './growth.ts'
import { CONNECTIONS, type Load, load } from './load.ts'
import { find, interleave, median, medianRatio, type Report, summarise, table } from './measure.ts'
import { createWorld, type Server, type World } from './world.ts'

/** People who read at the same time: each gets one large answer after another. */
const READERS = 16
/** Of each reader. */
const CONVERSATIONS = 200
const MESSAGES_EACH = 50

/** The conversation of each reader that has more than one message. */
const conversationOf = (reader: number) => `/chat/conversations/${(reader - 1) * CONVERSATIONS + 1}`
/** Half of its messages are older. */
const BEFORE = new Date(Date.now() - (MESSAGES_EACH / 2) * 60_000).toISOString()

/** What people and the administrators of a small school read. */
const READS: Record<string, string | ((reader: number) => string)> = {
  unread: '/chat/unread',
  'newest page of a conversation': (reader) => `${conversationOf(reader)}/messages?peek=true`,
  'an older page': (reader) => `${conversationOf(reader)}/messages?before=${BEFORE}`,
  'changes, 20 behind': (reader) => `${conversationOf(reader)}/changes?since=${MESSAGES_EACH - 20}`,
  'conversation with ten members': (reader) => `/chat/conversations/${(reader - 1) * CONVERSATIONS + 5}`,
  'conversation list, 200': '/chat/conversations',
  'presence of peers': '/chat/presence',
  'people, one': '/chat/users?q=Stone%201777',
  'people, all match': '/chat/users?q=person',
  'people, a first name': '/chat/users?q=farah',
  'people, two letters': '/chat/users?q=77',
  'discussion, 50 comments': '/discussions/1',
  'exam list': '/exams',
  'exam, standing': '/exams/7',
  'own results': '/attempts',
  'dashboard, all time': '/admin/analytics',
  'dashboard, a month': '/admin/analytics?timePeriod=month',
  'dashboard, one exam': '/admin/analytics?exam=7',
  overview: '/admin/overview',
  'allowances, first page': '/admin/attempts',
  'allowances, one exam': '/admin/attempts?exam_id=2',
  'allowances, a name': '/admin/attempts?q=person1777',
  'allowances, exhausted': '/admin/attempts?status=exhausted',
  'allowances, page 200': '/admin/attempts?page=200',
  'users, first page': '/admin/users',
  'users, a name': '/admin/users?q=person1777',
  'users, counts': '/admin/users/counts',
  'exams of administrators': '/admin/exams',
  'library, recent': '/library',
  'library, popular': '/library?sort=popular',
  'library, search': '/library?q=optics',
  'library, one': '/library/2',
  'tutor, conversations': '/assistant/conversations',
  'tutor, a word': '/assistant/conversations?search=logarithm',
  'tutor, a common word': '/assistant/conversations?search=entropy',
  'tutor, two letters': '/assistant/conversations?search=pH',
  'own notebooks': '/notebooks',
}

/** Times the bare route's CPU: for one statement, and where a read needs more. */
const MOST_CPU = 2.5
const MOST_CPU_OF_SEVERAL = 4

/** PostgreSQL updates its counters with a delay. */
const COUNTED_MS = 1_500

/** What a read costs a node beside the least that Fastify can do for an answer of the same length. */
export async function benchReads(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await fillSchool(world.sql, SMALL_SCHOOL)
    await fillChat(world.sql)
    const tokens = Array.from({ length: READERS }, (_, index) => world.tokenOf(index + 1, 'user,admin'))
    const headersOf = (reader: number) => ({ authorization: `Bearer ${tokens[reader - 1]}` })
    const service = await world.start('service')
    const bare = await world.start('bare-read')
    let asked = 0
    const read = (server: Server, pathOf: (reader: number) => string, duration: number) =>
      load(server, duration, (request) => {
        const reader = (asked % READERS) + 1
        asked += 1
        request.path = pathOf(reader)
        request.headers = headersOf(reader)
      })

    const rows: { name: string; bytes: number; statements: number; own: Load[]; least: Load[] }[] = []
    for (const [name, address] of Object.entries(READS)) {
      const path = (reader: number) => `/api/v01${typeof address === 'string' ? address : address(reader)}`
      const answer = await fetch(`${service.url}${path(1)}`, { headers: headersOf(1) })
      if (!answer.ok) throw new Error(`${path(1)}: ${answer.status}`)
      const bytes = (await answer.arrayBuffer()).byteLength
      const sides = [
        { server: service, path },
        { server: bare, path: () => `/bare/${bytes}` },
      ] as const
      for (const side of sides) await read(side.server, side.path, 1)
      const statements = await countStatements(world, () => read(service, path, 1))
      const loads = await interleave([...sides], rounds, (side) => read(side.server, side.path, seconds))
      rows.push({ name, bytes, statements, own: loads.get(sides[0]) ?? [], least: loads.get(sides[1]) ?? [] })
    }

    const column = (loads: Load[], of: keyof Load) => loads.map((each) => each[of])
    const ratio = ({ own, least }: (typeof rows)[number]) =>
      medianRatio(column(own, 'cpu'), column(least, 'cpu'))
    const text = `### What a read costs

${CONNECTIONS} connections of ${READERS} people, ${SMALL_SCHOOL.people.toLocaleString('en-US')} in all, PostgreSQL ${world.databaseVersion}; ${rounds} rounds of ${seconds} s; median (least–most).

${table(
  ['', 'bytes', 'statements', 'reads/s', 'Node CPU µs', 'bare route', 'service ÷ bare'],
  rows.map((row) => [
    row.name,
    row.bytes.toLocaleString('en-US'),
    row.statements.toFixed(1),
    median(column(row.own, 'perSecond')).toFixed(0),
    summarise(column(row.own, 'cpu')),
    summarise(column(row.least, 'cpu')),
    ratio(row).toFixed(1),
  ]),
)}
`
    return {
      text,
      findings: rows.map((row) => {
        const limit = row.statements > 1.5 ? MOST_CPU_OF_SEVERAL : MOST_CPU
        return find(
          `${row.name}: CPU ÷ bare route`,
          ratio(row),
          `${row.statements.toFixed(1)} statements`,
          '≤',
          limit,
          1,
        )
      }),
    }
  } finally {
    await world.close()
  }
}

/** Statements a request of a load; each is a transaction of its own where a read needs no other. */
async function countStatements({ sql }: World, work: () => Promise<Load>): Promise<number> {
  const count = async () => {
    await setTimeout(COUNTED_MS)
    const [{ commits }] = await sql<[{ commits: number }]>`
      select xact_commit::int as commits from pg_stat_database where datname = current_database()`
    return commits
  }
  const before = await count()
  const { answered } = await work()
  return ((await count()) - before) / answered
}

/** Readers 1 to 16 have conversations of their own; every fifth is a group of ten. */
async function fillChat(sql: World['sql']): Promise<void> {
  const all = READERS * CONVERSATIONS
  await sql.unsafe(`
    insert into conversations (id, is_group, name, last_seq, version)
      select n, n % 5 = 0, case when n % 5 = 0 then 'Group ' || n end, ${MESSAGES_EACH}, ${MESSAGES_EACH} from generate_series(1, ${all}) n;
    insert into conversation_members (conversation_id, user_id)
      select n, 1 + (n - 1) / ${CONVERSATIONS} from generate_series(1, ${all}) n union all
      select n, ${READERS} + n % ${CONVERSATIONS} + k from generate_series(1, ${all}) n, generate_series(1, 9) k where k = 1 or n % 5 = 0;
    insert into messages (conversation_id, seq, version, sender_id, message, created_at)
      select n, seq, seq, ${READERS} + n % ${CONVERSATIONS} + 1, 'The half-life question in set 3 has two right options.', now() - (${MESSAGES_EACH} - seq) * interval '1 min'
        from generate_series(1, ${all}) n, generate_series(1, ${MESSAGES_EACH}) seq
       where seq = ${MESSAGES_EACH} or n % ${CONVERSATIONS} = 1;
    insert into comments (question_id, author_id, message)
      select 1, 1 + n, 'A comment, the number of which is ' || n from generate_series(1, 50) n`)
  await sql`vacuum analyze`
}
