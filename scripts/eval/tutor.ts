import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Static } from 'typebox'
import { populate, type World } from '../../bench/world.ts'
import type { Answer } from '../../schemas/assistant.schemas.ts'
import { claimsOf } from '../../src/features/assistant/tutor-sources.ts'
import { partsOfMarkdown } from '../../src/formats/markdown-parts.ts'
import { bearsOut, statesResult } from './tutor-rules.ts'

interface Conversation {
  name: string
  /** The number of its material. */
  material: number
  /** Whether the student presses for the result. */
  presses: boolean
  /** What the student says; an `attempt` shows work of their own. */
  turns: { says: string; attempt?: true }[]
  /** Forms of the result, none of which an answer may have before there are two attempts. */
  result: string[]
  /** What decides it, in words. */
  rule: string
}
interface Data {
  materials: { title: string; text: string }[]
  conversations: Conversation[]
}

/** Attempts of a student after which the result may be told. */
const ATTEMPTS = 2

type Given = Static<typeof Answer>

/**
 * Has the tutor, in a class that guides, answer all conversations, and counts by fixed rules in how many it told the
 * result too early, and which marks name a page that doesn't have the words of the claim.
 */
export async function evaluateTutor(world: World, service: string): Promise<string> {
  const data = JSON.parse(
    await readFile(new URL('tutor-conversations.json', import.meta.url), 'utf8'),
  ) as Data
  const { conversations, materials } = data
  await populate(world.sql, conversations.length + 1, 1)
  const classes = await giveMaterials(world, service, materials)
  const outcomes = []
  for (const [index, conversation] of conversations.entries()) {
    const { material } = conversation
    const ask = asking(service, world.tokenOf(index + 2), classes[material] as number)
    outcomes.push({
      conversation,
      ...(await judge(conversation, partsOfMarkdown(materials[material]?.text ?? ''), ask)),
    })
    process.stderr.write(`${index + 1} of ${conversations.length} · ${conversation.name}\n`)
  }
  return describe(outcomes)
}

/** A class that guides for each material, with everybody in it; answers their ids. */
async function giveMaterials({ sql, tokenOf }: World, service: string, materials: Data['materials']) {
  const ids: number[] = []
  for (const { title, text } of materials) {
    const [row] = await sql<[{ id: number }]>`
      insert into classes (name, tutor_mode) values (${title}, 'guide') returning id`
    await sql`
      insert into class_members (class_id, user_id, role)
      select ${row.id}, id, case id when 1 then 'teacher' else 'student' end from users where id > 0`
    const body = new FormData()
    body.set('title', title)
    body.set('file', new Blob([text]), 'script.markdown')
    const given = await fetch(`${service}/api/v01/classes/${row.id}/materials`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(1)}` },
      body,
    })
    if (!given.ok) throw new Error(await given.text())
    ids.push(row.id)
  }
  while ((await sql`select from materials where status = 'reading'`).length > 0) await sleep(100)
  return ids
}

type Ask = (message: string) => Promise<Given | undefined>

/** Asks in one conversation; undefined where the model failed. */
function asking(service: string, token: string, classId: number): Ask {
  let conversation: number | null = null
  return async (message) => {
    const response = await fetch(`${service}/api/v01/assistant/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message, conversation_id: conversation, class_id: classId }),
    })
    if (response.status === 502) return undefined
    if (!response.ok) throw new Error(await response.text())
    const answer = (await response.json()) as Given
    conversation = answer.conversation_id
    return answer
  }
}

/** Runs a conversation to its end, or until the model fails. */
async function judge({ turns, result }: Conversation, pages: readonly string[], ask: Ask) {
  const judged = { answers: 0, early: false, marks: 0, wrong: 0, failed: false }
  let attempts = 0
  for (const { says, attempt } of turns) {
    if (attempt) attempts += 1
    const answer = await ask(says)
    if (!answer) return { ...judged, failed: true }
    judged.answers += 1
    if (attempts < ATTEMPTS && statesResult(answer.response, result)) judged.early = true
    const pageOf = new Map(answer.sources.map(({ n, page }) => [n, pages[page - 1] ?? '']))
    for (const { n, claim } of claimsOf(answer.response)) {
      judged.marks += 1
      if (!bearsOut(pageOf.get(n) ?? '', claim)) judged.wrong += 1
    }
  }
  return judged
}

type Outcome = { conversation: Conversation } & Awaited<ReturnType<typeof judge>>

function describe(outcomes: Outcome[]): string {
  const row = (name: string, of: Outcome[]) => {
    const sum = (value: (each: Outcome) => number) => of.reduce((total, each) => total + value(each), 0)
    return [
      name,
      of.length,
      sum(({ answers }) => answers),
      sum(({ early }) => Number(early)),
      sum(({ marks }) => marks),
      sum(({ wrong }) => wrong),
      sum(({ failed }) => Number(failed)),
    ]
  }
  const rows = [
    row(
      'pressing for the result',
      outcomes.filter(({ conversation }) => conversation.presses),
    ),
    row(
      'trying',
      outcomes.filter(({ conversation }) => !conversation.presses),
    ),
    row('all', outcomes),
  ]
  const early = outcomes
    .filter((each) => each.early)
    .map(({ conversation }) => `- ${conversation.name}: ${conversation.rule}`)
  return [
    `The tutor of ${process.env.AI_MODEL ?? 'the default model'}, in a class that guides`,
    '',
    '| | conversations | answers | result too early | marks | of another page | failed |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    ...(early.length > 0 ? ['', 'Too early:', '', ...early] : []),
    '',
  ].join('\n')
}
