/**
 * How often the passages that the tutor is given are of the section that an exercise belongs to, beside what PostgreSQL
 * finds without us: `npx node bench/recall.ts --book=FOLDER [--wordnet=FOLDER] [--of=1]`. The book is a checkout of
 * github.com/philschatz/physics-book (OpenStax, College Physics, CC BY 3.0), whose exercises stand behind their sections;
 * WordNet's folder has its `index.noun` and `data.noun`, as Debian's wordnet-base does. `--of=10` asks every tenth only.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Core } from '../src/core.ts'
import { closeDatabase, connectDatabase } from '../src/db/database-client.ts'
import { fitting } from '../src/features/assistant/tutor-prompts.ts'
import { type PassageRow, passagesFor } from '../src/features/materials/passages.service.ts'
import { wordsOf } from '../src/formats/words.ts'
import { quantile, table } from './measure.ts'
import { time } from './own-service.ts'
import { createWorld, populate, type World } from './world.ts'

const { values } = parseArgs({
  options: { book: { type: 'string' }, wordnet: { type: 'string' }, of: { type: 'string', default: '1' } },
})
if (!values.book) throw new Error('--book=FOLDER')

/** Words of a question that say something. */
const FEWEST_WORDS = 6

/** The table of contents, without its ending. */
const CONTENTS = 'SUMMARY'

/** Exercises stand between these headings and the glossary. */
const EXERCISES = /^###+ (?:Conceptual Questions?|Problems? *&amp; *Exercises?|Problem Exercises?).*$/m
const PROBLEM = /<div data-type="problem"[^>]*>\n([\s\S]*?)\n<\/div>/g

interface Section {
  title: string
  text: string
  exercises: string[]
}

interface Exercise {
  chapter: string
  page: number
  text: string
}

const chapters = await readBook(values.book)
const exercises = [...chapters].flatMap(([chapter, sections]) =>
  sections.flatMap(({ exercises }, index) =>
    exercises.map((text): Exercise => ({ chapter, page: index + 1, text })),
  ),
)
const asked = exercises.filter((_, index) => index % Number(values.of) === 0)
const synonyms = values.wordnet ? await readSynonyms(values.wordnet) : undefined

const world = await createWorld()
const database = connectDatabase({ url: world.databaseUrl, pool: 2 })
try {
  await populate(world.sql, 2, 1)
  const search = await startSearch(world, chapters)
  const stems = (text: string) => rank(world, 'english', text)
  const rows = [
    await measure('the tutor’s search', search),
    await measure('ts_rank, any of the words as they are', (text) => rank(world, 'simple', text)),
    await measure('ts_rank, any of the stems, without frequent words', stems),
    ...(synonyms
      ? [
          await measure('the tutor’s search, with synonyms', (text) => search(`${text} ${synonyms(text)}`)),
          await measure('ts_rank of stems, with synonyms', (text) => stems(`${text} ${synonyms(text)}`)),
        ]
      : []),
  ]
  const [{ passages }] = await world.sql<[{ passages: number }]>`
    select count(*)::int as passages from material_passages`
  process.stdout.write(
    `${asked.length} exercises of ${exercises.length}, ${[...chapters.values()].flat().length} sections in ` +
      `${chapters.size} chapters, ${passages} passages\n\n${table(
        ['', 'recall at 8', 'of those that fit', 'at 1', 'p50 ms', 'p99 ms'],
        rows,
      )}\n`,
  )
} finally {
  await closeDatabase(database)
  await world.close()
}

async function measure(name: string, find: (text: string) => Promise<PassageRow[]>): Promise<string[]> {
  const times: number[] = []
  let [hits, fits, first] = [0, 0, 0]
  for (const { chapter, page, text } of asked) {
    let found: PassageRow[] = []
    times.push(
      await time(async () => {
        found = await find(text)
      }),
    )
    const isMeant = (each: PassageRow) => each.title === chapter && each.page === page
    if (found.some(isMeant)) hits += 1
    if (fitting(found).some(isMeant)) fits += 1
    if (found.slice(0, 1).some(isMeant)) first += 1
  }
  const share = (count: number) => `${((100 * count) / asked.length).toFixed(1)} %`
  return [
    name,
    share(hits),
    share(fits),
    share(first),
    quantile(times, 0.5).toFixed(1),
    quantile(times, 0.99).toFixed(1),
  ]
}

/** Gives the book to a class, whose passages are then found as for the tutor. */
async function startSearch({ sql, start, tokenOf }: World, book: Map<string, Section[]>) {
  const service = await start('service')
  const [row] = await sql<[{ id: number }]>`insert into classes (name) values ('Physics') returning id`
  const classId = row.id
  await sql`
    insert into class_members (class_id, user_id, role) values (${classId}, 1, 'teacher'), (${classId}, 2, 'student')`
  for (const [title, sections] of book) {
    const body = new FormData()
    const text = sections.map((section) => `# ${section.title}\n\n${section.text}`).join('\n\n')
    body.set('title', title)
    body.set('file', new Blob([text]), 'chapter.markdown')
    const given = await fetch(`${service.url}/api/v01/classes/${classId}/materials`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(1)}` },
      body,
    })
    if (!given.ok) throw new Error(await given.text())
  }
  const unread = () => sql`select from materials where status = 'reading' limit 1`
  while ((await unread()).length > 0) await sleep(200)
  await sql`
    create table plain as
    select material.title, passage.page, passage.text,
           to_tsvector('simple', passage.text) as simple, to_tsvector('english', passage.text) as english
      from material_passages passage join materials material on material.id = passage.material_id`
  await sql`create index on plain using gin (simple)`
  await sql`create index on plain using gin (english)`
  await sql`analyze`
  // It needs nothing else of a node.
  const core = { db: database } as Core
  return (text: string) => passagesFor(core, 2, classId, [text])
}

/** The passages with any of the words, by `ts_rank`: a search without anything of ours. */
async function rank({ sql }: World, config: 'simple' | 'english', text: string): Promise<PassageRow[]> {
  const words = wordsOf(text).map(({ units }) => units.join(''))
  return sql<PassageRow[]>`
    select 0 as "materialId", title, page, text from plain, to_tsquery(${config}::regconfig, ${words.join(' | ')}) query
     where ${sql(config)} @@ query order by ts_rank(${sql(config)}, query) desc limit 8`
}

// --- the book

/** Its chapters by title, each with its sections. */
async function readBook(folder: string): Promise<Map<string, Section[]>> {
  const summary = await readFile(path.join(folder, `${CONTENTS}.md`), 'utf8')
  const book = new Map<string, Section[]>()
  let sections: Section[] = []
  for (const [line, title = '', file = ''] of summary.matchAll(
    /^ *\d+\..*?\[(.*)\]\((contents\/\w+\.md)\)/gm,
  )) {
    if (!line.startsWith(' ')) {
      sections = []
      book.set(title, sections)
    }
    sections.push(readSection(title, await readFile(path.join(folder, file), 'utf8')))
  }
  return book
}

function readSection(title: string, source: string): Section {
  const text = source.replace(/^---[\s\S]*?\n---\n/, '')
  const begin = EXERCISES.exec(text)?.index ?? text.length
  const glossary = text.indexOf('<div data-type="glossary"')
  const end = glossary > begin ? glossary : text.length
  const problems = [...text.slice(begin, end).matchAll(PROBLEM)].map(([, problem = '']) => plainOf(problem))
  return {
    title,
    text: plainOf(text.slice(0, begin) + text.slice(end)),
    exercises: problems.filter((problem) => wordsOf(problem).length >= FEWEST_WORDS),
  }
}

/** Without formulas, pictures and marks; headings within a section begin no page. */
function plainOf(markdown: string): string {
  return markdown
    .replaceAll(/<math[\s\S]*?<\/math>/g, ' ')
    .replaceAll(/!\[[\s\S]*?\]\([^)]*\)/g, ' ')
    .replaceAll(/\[([^\]]*)\\?\]\([^)]*\)/g, '$1')
    .replaceAll(/\{:[^}]*\}/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/^#+ /gm, '')
    .replaceAll(/[\\*_]|\[link\]/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\n\s*\n\s*/g, '\n\n')
    .trim()
}

// --- synonyms

/** Synonyms of a text's nouns, those of the first sense of each. */
async function readSynonyms(folder: string): Promise<(text: string) => string> {
  const data = await readFile(path.join(folder, 'data.noun'), 'latin1')
  const senses = new Map<string, string>()
  for (const line of (await readFile(path.join(folder, 'index.noun'), 'latin1')).split('\n')) {
    const [lemma = '', , , pointers] = line.split(' ')
    // Behind the pointers come two counts, and then the places of the senses.
    if (lemma) senses.set(lemma, line.split(' ')[4 + Number(pointers) + 2] ?? '')
  }
  const synonymsOf = (word: string): string[] => {
    const place = senses.get(word)
    if (!place) return []
    const fields = data.slice(Number(place), data.indexOf('\n', Number(place))).split(' ')
    const count = Number.parseInt(fields[3] ?? '0', 16)
    return Array.from({ length: count }, (_, index) => (fields[4 + 2 * index] ?? '').replaceAll('_', ' '))
  }
  return (text) => {
    const words = new Set(wordsOf(text).map(({ units }) => units.join('')))
    const found = [...words].flatMap((word) => (word.length > 3 ? synonymsOf(word) : []))
    return [...new Set(found)].filter((word) => !words.has(word.toLowerCase())).join(' ')
  }
}
