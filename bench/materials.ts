import { setTimeout } from 'node:timers/promises'
import postgres from 'postgres'
import type { Core } from '../src/core.ts'
import { findPassages, passagesFor } from '../src/features/materials/passages.service.ts'
import { slicesOf } from '../src/formats/slices.ts'
import { keysOf } from '../src/formats/words.ts'
import { form } from '../test/support/content/forms.ts'
import { textPdf } from '../test/support/content/text-pdf.ts'
import { find, median, quantile, type Report, table } from './measure.ts'
import { execute, recording, type Statement } from './statements.ts'
import { createWorld, type Server, type World } from './world.ts'

/** The class that is searched, and its materials; `MATERIALS_CLASSES=50` makes a smaller school beside it. */
const CLASS = 1
const MATERIALS = 200
const PAGES = 300
const OTHERS = Number(process.env.MATERIALS_CLASSES ?? 1_000)
const MATERIALS_OF_OTHERS = 5
const PAGES_OF_OTHERS = 30
const PASSAGES_A_PAGE = 2
const READER = { userId: 1, isAdmin: false }
const ASKER = { name: 'reader' }
/** Where a file is read, beside all the others. */
const EMPTY = OTHERS + 2

/** Different passages: each has words as often as a language, and what is looked for as often as `CASES` says. */
const TEXTS = 20_000
const WORDS_A_PASSAGE = 140
const VOCABULARY = 20_000
const WARM_UP = 20
const SEARCHES = 200

const CASES = {
  'a common word, in every third passage': 'entropy',
  'two common words': 'entropy derivative',
  'in one of a hundred': 'valence',
  'in ten of them': 'zygote',
  'in none of the class, in many of others': 'brachistochrone',
  'in nobody’s': 'xylophone',
  'a question of common words and a rare one': 'the how does of entropy to and a derivative in is zygote',
  'a question of common words alone': 'the how does of entropy to and a derivative in is that',
  'two Chinese characters, in one of a thousand': '微分',
  'one Chinese character of them': '微',
}

/** Questions of so many words, each in about one passage of a hundred: neither common nor rare. */
const LONG_QUESTIONS = [32, 60]
const FIRST_OF_LONG = 600

/** Searches of a class with many materials beside many other classes; and a file that is read beside other requests. */
export async function benchMaterials(rounds: number): Promise<Report> {
  const world = await createWorld()
  // As the service's own connections.
  const driver = postgres(world.databaseUrl, { max: 1, onnotice: () => {}, connection: { jit: 'off' } })
  try {
    await fill(world)
    const [size] = await world.sql<[{ passages: number; table: number; index: number }]>`
      select (select count(*)::int from material_passages) as passages,
             pg_table_size('material_passages')::float8 as table,
             pg_relation_size('material_passages_words_idx')::float8 as index`
    const service = await world.start('service')
    const asked: Statement[] = []
    const core = {
      db: recording(driver, asked),
      gate: { block: async (_asker: unknown, work: () => unknown) => work() },
    } as unknown as Core
    const cases = [
      ...Object.entries(CASES).map(([name, q]) => ({
        name,
        q,
        search: () => findPassages(core, READER, CLASS, { q }, ASKER),
        time: () => timeSearch(world, service, q),
      })),
      // Longer than what the search of the class takes: as the tutor looks for them.
      ...LONG_QUESTIONS.map((count) => {
        const q = Array.from({ length: count }, (_, n) => wordOf(FIRST_OF_LONG + 10 * n)).join(' ')
        const search = () => passagesFor(core, READER.userId, CLASS, [q])
        return {
          name: `a question of ${count} words, by the tutor`,
          q: `${q.slice(0, 20)}…`,
          search,
          time: () => timeEach(search),
        }
      }),
    ]
    const rows = []
    for (const { name, q, search, time } of cases) {
      asked.length = 0
      const found = await search()
      const statements = [...asked]
      const sums: number[] = []
      for (let round = 0; round < Math.max(5, rounds); round++) sums.push(await execute(driver, statements))
      const times = await time()
      rows.push({ name, q, found: found.length, times, execution: median(sums) })
    }
    const reading = await timeReading(world, service)
    const all = rows.flatMap(({ times }) => times)
    return {
      text: `### Materials of a class

A class with ${MATERIALS} materials of ${PAGES} pages beside ${OTHERS.toLocaleString('en-US')} classes with ${MATERIALS_OF_OTHERS} of ${PAGES_OF_OTHERS}: ${size.passages.toLocaleString('en-US')} passages of ${WORDS_A_PASSAGE} words take ${toMb(size.table)} MB, their index ${toMb(size.index)} MB; PostgreSQL ${world.databaseVersion}. ${SEARCHES} searches each by one client, and the execution of a search's statements by EXPLAIN (analyze).

${table(
  ['', 'looked for', 'found', 'p50 ms', 'p99 ms', 'execution ms'],
  rows.map(({ name, q, found, times, execution }) => [
    name,
    q,
    String(found),
    quantile(times, 0.5).toFixed(1),
    quantile(times, 0.99).toFixed(1),
    execution.toFixed(1),
  ]),
)}

Reading a PDF until it can be searched, while somebody opens a class every ${EVERY_MS} ms:

${table(
  ['', 's', 'p50 of others, ms', 'p99, ms', 'slowest, ms'],
  reading.map(({ name, seconds, others }) => [
    name,
    seconds.toFixed(1),
    ...[0.5, 0.99, 1].map((q) => quantile(others, q).toFixed(1)),
  ]),
)}
`,
      findings: [
        find('a search of materials, p50', quantile(all, 0.5), 'ms, of all cases', '≤', 10, 1),
        find(
          'the slowest case of them, p50',
          Math.max(...rows.map(({ times }) => quantile(times, 0.5))),
          'ms',
          '≤',
          10,
          1,
        ),
        find(
          'execution of the slowest case',
          Math.max(...rows.map(({ execution }) => execution)),
          'ms',
          '≤',
          15,
          1,
        ),
        find('reading a PDF of 500 pages', reading.at(-1)?.seconds ?? 0, 's', '≤', 60, 1),
        find('p99 of others beside it', quantile(reading.at(-1)?.others ?? [], 0.99), 'ms', '≤', 100, 1),
      ],
    }
  } finally {
    await driver.end({ timeout: 1 })
    await world.close()
  }
}

const toMb = (bytes: number) => Math.round(bytes / 1e6).toLocaleString('en-US')

async function timeSearch(world: World, { url }: Server, q: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${world.tokenOf(READER.userId)}` }
  const times: number[] = []
  for (let search = -WARM_UP; search < SEARCHES; search++) {
    const began = performance.now()
    const answer = await fetch(
      `${url}/api/v01/classes/${CLASS}/materials/search?q=${encodeURIComponent(q)}`,
      { headers },
    )
    const text = await answer.text()
    if (search >= 0) times.push(performance.now() - began)
    if (!answer.ok) throw new Error(`${q}: ${answer.status} ${text.slice(0, 200)}`)
  }
  return times
}

async function timeEach(search: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let count = -WARM_UP; count < SEARCHES; count++) {
    const began = performance.now()
    await search()
    if (count >= 0) times.push(performance.now() - began)
  }
  return times
}

// --- reading

const EVERY_MS = 10

async function timeReading(world: World, server: Server) {
  const measured = []
  // The first one starts the queue.
  for (const pages of [1, PAGES, 500]) {
    const texts = Array.from({ length: pages }, (_, page) =>
      Array.from({ length: PASSAGES_A_PAGE }, (_, part) =>
        toLines(textOf(page * PASSAGES_A_PAGE + part)),
      ).join('\n'),
    )
    measured.push({
      name: `${pages} pages`,
      ...(await whileAsking(world, server, () => readFile(world, server, textPdf(texts)))),
    })
  }
  return measured.slice(1)
}

const LINE = /(?:\S+ ){1,12}/g
const toLines = (text: string) => (`${text} `.match(LINE) ?? []).join('\n')

/** Seconds from giving a file until it can be searched. */
async function readFile(world: World, { url }: Server, bytes: Buffer): Promise<number> {
  const headers = { authorization: `Bearer ${world.tokenOf(READER.userId, 'user,admin')}` }
  const at = `${url}/api/v01/classes/${EMPTY}/materials`
  const began = performance.now()
  const body = form({}, { field: 'file', name: 'script.pdf', bytes })
  const answer = await fetch(at, { method: 'POST', headers, body })
  const given = (await answer.json()) as { material: { id: number } }
  if (answer.status !== 201) throw new Error(JSON.stringify(given))
  for (;;) {
    const [row] = await world.sql`select status from materials where id = ${given.material.id}`
    if (row?.status === 'ready') return (performance.now() - began) / 1_000
    if (row?.status !== 'reading') throw new Error(`the file was ${row?.status}`)
    await setTimeout(20)
  }
}

/** What another route takes meanwhile, asked at a steady pace whatever the answers take. */
async function whileAsking(world: World, { url }: Server, work: () => Promise<number>) {
  const headers = { authorization: `Bearer ${world.tokenOf(READER.userId)}` }
  const others: number[] = []
  let failed: unknown
  const ask = async () => {
    const began = performance.now()
    const answer = await fetch(`${url}/api/v01/classes/${CLASS}`, { headers })
    await answer.arrayBuffer()
    if (!answer.ok) failed = new Error(`another route answered ${answer.status}`)
    others.push(performance.now() - began)
  }
  const asking = setInterval(() => void ask().catch((error: unknown) => (failed = error)), EVERY_MS)
  try {
    const seconds = await work()
    if (failed) throw failed
    return { seconds, others }
  } finally {
    clearInterval(asking)
  }
}

// --- the school

async function fill({ sql }: World): Promise<void> {
  const texts = Array.from({ length: TEXTS }, (_, id) => ({ id, text: textOf(id) }))
  await sql`create table texts (id integer primary key, text text, keys text[])`
  for (const some of slicesOf(texts, 1_000))
    await sql`insert into texts ${sql(some.map((each) => ({ ...each, keys: [...keysOf(each.text)] })))}`
  const [{ definition }] = await sql<[{ definition: string }]>`
    select pg_get_indexdef('material_passages_words_idx'::regclass) as definition`
  await sql.unsafe(`
    set synchronous_commit = off;
    set session_replication_role = replica;
    set maintenance_work_mem = '1GB';
    insert into users (id, username, email, full_name, role) values (1, 'reader', 'reader@example.org', 'Reader', 'user,admin');
    insert into classes (id, name) select n, 'Class ' || n from generate_series(1, ${EMPTY}) n;
    insert into class_members (class_id, user_id, role) values (${CLASS}, 1, 'student');
    insert into materials (class_id, title, type, size, file_key, status, pages, unreadable_pages, passages)
      select class_id, 'Script ' || n, 'pdf', 1000000, 'Attachments/none', 'ready', pages, 0, pages * ${PASSAGES_A_PAGE}
        from (select ${CLASS} as class_id, ${PAGES} as pages, n from generate_series(1, ${MATERIALS}) n
              union all select class, ${PAGES_OF_OTHERS}, n
                from generate_series(2, ${OTHERS + 1}) class, generate_series(1, ${MATERIALS_OF_OTHERS}) n) given;
    drop index material_passages_words_idx;
    insert into material_passages (material_id, number, page, text, words)
      select plan.material_id, number, (number - 1) / ${PASSAGES_A_PAGE} + 1, texts.text || coalesce(' ' || word, ''),
             array_to_tsvector(array(select class_id || ':' || key from unnest(texts.keys || word) key where key is not null))
        from (select id as material_id, class_id, number, abs(hashint8(id::bigint * 1000 + number)) % ${TEXTS} as text_id,
                     case when class_id > ${CLASS} then case when number % 3 = 0 then 'brachistochrone' end
                          when number = 1 and id % ${MATERIALS / 10} = 0 then 'zygote' end as word
                from materials, generate_series(1, passages) number) plan
        join texts on texts.id = text_id;
    ${definition};
    -- As reading counts them (formats/reading-thread.ts).
    insert into class_words (class_id, word, passages)
      select class_id, substr(word, strpos(word, ':') + 1), sum(ndoc)
        from materials, ts_stat('select words from material_passages where material_id = ' || id)
       where ndoc >= greatest(8, passages / 50.0) group by 1, 2;
    drop table texts`)
  await sql`vacuum analyze`
}

/** Words as often as in a language: the n-th most frequent one 1 / n times as often as the first. */
function textOf(index: number): string {
  const words = Array.from({ length: WORDS_A_PASSAGE }, (_, place) =>
    wordOf(Math.floor(VOCABULARY ** chance(index * WORDS_A_PASSAGE + place))),
  )
  if (index % 3 === 0) words.push('entropy')
  if (index % 5 === 0) words.push('derivative')
  if (index % 100 === 7) words.push('valence')
  if (index % 1_000 === 11) words.push('微分方程')
  return words.join(' ')
}

const COMMON = ['', 'the', 'of', 'and', 'to', 'a', 'in', 'is', 'that', 'how', 'does']
const SYLLABLES = ['pho', 'ra', 'mi', 'ten', 'so', 'lu', 'ka', 'ne', 'di', 'phe', 'to', 'ba']

function wordOf(rank: number): string {
  const syllables = [
    rank % 12,
    Math.floor(rank / 12) % 12,
    Math.floor(rank / 144) % 12,
    Math.floor(rank / 1_728),
  ]
  return COMMON[rank] || syllables.map((syllable) => SYLLABLES[syllable]).join('')
}

/** From 0 up to 1, the same for the same number. */
function chance(number: number): number {
  const mixed = Math.imul((number + 1) ^ 0x9e3779b9, 0x85ebca6b)
  return ((Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}
