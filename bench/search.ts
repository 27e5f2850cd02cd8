import { slicesOf } from '../src/formats/slices.ts'
import { keysOf } from '../src/formats/words.ts'
import { find, programCpuSeconds, quantile, type Report, table } from './measure.ts'
import { createWorld, type Server, type World } from './world.ts'

/** `SEARCH_MESSAGES=500000` makes a smaller school. */
const MESSAGES = Number(process.env.SEARCH_MESSAGES ?? 5_000_000)
const CONVERSATIONS = 5_000
const OF_ONE = 200
const PEOPLE = 10_000
const MEMBERS = 20
/** Of all messages one in so many has the rare word, where it is the reader's. */
const RARELY = Math.ceil(MESSAGES / 250)
const TEXTS = 20_000
const WORDS_A_TEXT = 12
const VOCABULARY = 5_000
const WARM_UP = 30
const READS = 200

/** What is looked for, by how many of the reader's messages have it. */
const CASES = {
  'a common word, in every third': 'entropy',
  'two common words': 'entropy derivative',
  'in one of a hundred': 'valence',
  'in one of a hundred, but in none of the newest half': 'colloid',
  'in ten of them': 'zygote',
  'in none, but in every third of others': 'brachistochrone',
  'in nobody’s': 'xylophone',
  'two letters, many words begin so': 'ph',
  'two letters, no word begins so': 'zq',
  'two Chinese characters, in one of a thousand': '微分',
  'one Chinese character of them': '微',
}

/** Finding what was said, for somebody in 200 of 5,000 conversations. */
export async function benchSearch(): Promise<Report> {
  const world = await createWorld()
  try {
    await fill(world)
    const service = await world.start('service')
    const headers = { authorization: `Bearer ${world.tokenOf(1)}` }
    const rows = []
    for (const [name, words] of Object.entries(CASES))
      rows.push({ name, words, ...(await timeSearch(service, words, headers)) })
    const all = rows.flatMap(({ times }) => times)
    return {
      text: `### Search in chat

${MESSAGES.toLocaleString('en-US')} messages in ${CONVERSATIONS.toLocaleString('en-US')} conversations, ${OF_ONE} of them of whoever looks, PostgreSQL ${world.databaseVersion}; ${READS} searches each by one client.

${table(
  ['', 'looked for', 'found', 'p50 ms', 'p99 ms', 'PostgreSQL’s CPU ms'],
  rows.map(({ name, words, found, times, cpu }) => [
    name,
    words,
    found,
    quantile(times, 0.5).toFixed(1),
    quantile(times, 0.99).toFixed(1),
    cpu.toFixed(1),
  ]),
)}
`,
      findings: [
        find('a search among five million messages, p50', quantile(all, 0.5), 'ms, of all cases', '≤', 10, 1),
        find(
          'the slowest case of them, p50',
          Math.max(...rows.map(({ times }) => quantile(times, 0.5))),
          'ms',
          '≤',
          10,
          1,
        ),
        find(
          'PostgreSQL’s CPU for the slowest case',
          Math.max(...rows.map(({ cpu }) => cpu)),
          'ms',
          '≤',
          15,
          1,
        ),
      ],
    }
  } finally {
    await world.close()
  }
}

/** Milliseconds of each search, and of PostgreSQL's processor time for one. */
async function timeSearch({ url }: Server, words: string, headers: Record<string, string>) {
  const times: number[] = []
  let found = ''
  let before = 0
  for (let search = -WARM_UP; search < READS; search += 1) {
    if (search === 0) before = programCpuSeconds('postgres')
    const started = performance.now()
    const answer = await fetch(`${url}/api/v01/chat/search?q=${encodeURIComponent(words)}`, { headers })
    const text = await answer.text()
    if (search >= 0) times.push(performance.now() - started)
    if (!answer.ok) throw new Error(`${words}: ${answer.status} ${text.slice(0, 200)}`)
    const { messages, has_more } = JSON.parse(text)
    found = `${messages.length}${has_more ? ' and more' : ''}`
  }
  return { times, found, cpu: ((programCpuSeconds('postgres') - before) / READS) * 1_000 }
}

/** Conversations whose messages come in turns, indexed as the service does it. */
async function fill({ sql }: World): Promise<void> {
  const texts = Array.from({ length: TEXTS }, (_, id) => ({ id, text: textOf(id) }))
  await sql`create table texts (id integer primary key, text text, keys text[])`
  for (const some of slicesOf(texts, 1_000))
    await sql`insert into texts ${sql(some.map((each) => ({ ...each, keys: [...keysOf(each.text)] })))}`
  const [{ definition }] = await sql<[{ definition: string }]>`
    select pg_get_indexdef('message_words_words_idx'::regclass) as definition`
  await sql.unsafe(`
    set synchronous_commit = off;
    -- No foreign key is checked for each row.
    set session_replication_role = replica;
    set maintenance_work_mem = '1GB';
    insert into users (id, username, email, full_name, role)
      select n, 'person' || n, 'person' || n || '@example.org', 'Person ' || n, 'user' from generate_series(1, ${PEOPLE}) n;
    insert into conversations (id, is_group, name, last_seq, version)
      select n, true, 'Group ' || n, ${MESSAGES / CONVERSATIONS}, ${MESSAGES / CONVERSATIONS} from generate_series(1, ${CONVERSATIONS}) n;
    insert into conversation_members (conversation_id, user_id, last_read_seq)
      select c, 2 + (c * ${MEMBERS} + k) % (${PEOPLE} - 1), 0 from generate_series(1, ${CONVERSATIONS}) c, generate_series(1, ${MEMBERS}) k
      union all select c, 1, 0 from generate_series(1, ${OF_ONE}) c;
    create table plan as
      select n as id, 1 + (n * 7919::bigint % ${CONVERSATIONS})::int as conversation_id, 1 + (n - 1) / ${CONVERSATIONS} as seq,
             abs(hashint4(n) % ${TEXTS}) as text_id
        from generate_series(1, ${MESSAGES}) n;
    alter table plan add word text;
    update plan set word = case when conversation_id > ${OF_ONE} then 'brachistochrone'
                                when id % ${RARELY} = 0 then 'zygote'
                                when id < ${MESSAGES / 2} then 'colloid' end
     where conversation_id > ${OF_ONE} and id % 3 = 0 or conversation_id <= ${OF_ONE} and (id % ${RARELY} = 0 or id % 50 = 0);
    insert into messages (id, conversation_id, seq, version, sender_id, message, created_at)
      select plan.id, conversation_id, seq, seq, 2 + (conversation_id * ${MEMBERS} + plan.id % ${MEMBERS} + 1) % (${PEOPLE} - 1),
             texts.text || coalesce(' ' || word, ''), now() - (${MESSAGES} - plan.id) * interval '1 s'
        from plan join texts on texts.id = text_id order by plan.id;
    drop index message_words_words_idx;
    insert into message_words (conversation_id, message_id, words)
      select message.conversation_id, message.id,
             array_to_tsvector(array(select message.conversation_id || ':' || key
                                       from unnest(texts.keys || plan.word || ('@' || message.sender_id)) key where key is not null))
        from messages message join plan using (id) join texts on texts.id = text_id;
    ${definition};
    insert into search_marks (conversation_id, version) select id, version from conversations;
    drop table plan, texts`)
  await sql`vacuum analyze`
}

/** Words as often as in a language: the n-th most frequent one 1 / n times as often as the first. */
function textOf(index: number): string {
  const words = Array.from({ length: WORDS_A_TEXT }, (_, place) =>
    wordOf(chance(index * WORDS_A_TEXT + place)),
  )
  if (index % 3 === 0) words.push('entropy')
  if (index % 5 === 0) words.push('derivative')
  if (index % 100 === 7) words.push('valence')
  if (index % 1_000 === 11) words.push('微分方程')
  return words.join(' ')
}

const SYLLABLES = ['pho', 'ra', 'mi', 'ten', 'so', 'lu', 'ka', 'ne', 'di', 'phe', 'to', 'ba']

function wordOf(fraction: number): string {
  const rank = Math.floor(VOCABULARY ** fraction)
  return [rank % 12, Math.floor(rank / 12) % 12, Math.floor(rank / 144) % 12, rank % 7]
    .map((syllable) => SYLLABLES[syllable])
    .join('')
}

/** From 0 up to 1, the same for the same number. */
function chance(number: number): number {
  const mixed = Math.imul((number + 1) ^ 0x9e3779b9, 0x85ebca6b)
  return ((Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}
