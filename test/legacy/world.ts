import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { CLIENT_ID, type Provider } from '../support/outside/google.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { connect, startService, type TestService } from '../support/service.ts'

/** Paths of the same operations in both generations. */
export const NEWER = {
  root: '/api/v01',
  auth: '/api/v01/auth',
  chat: '/api/v01/chat',
  messages: (conversationId: number) => `/api/v01/chat/conversations/${conversationId}/messages`,
  discussion: '/api/v01/discussions',
  admin: '/api/v01/admin',
}
export type Paths = typeof NEWER
export const OLDER: Paths = {
  root: '/api',
  auth: '/api/auth',
  chat: '/api/chat',
  messages: (conversationId) => `/api/chat/messages/${conversationId}`,
  discussion: '/api/discussion',
  admin: '/admin',
}

/** One of two services with the same people and exams: each gets the requests of one generation only. */
export interface World {
  service: TestService
  model: TestModel
  alice: Client
  bob: Client
  carol: Client
  dave: Client
  admin: Client
  conversationId: number
  examIds: number[]
  questionIds: number[]
  /** Ids of what operations created, for later ones. */
  savedIds: Record<string, number>
}

export async function createWorld(provider: Provider): Promise<World> {
  const model = await startModel()
  const service = await startService({
    config: { ai: model.ai, googleClientIds: [CLIENT_ID], googleCertsUrl: provider.certsUrl },
  })
  const admin = await service.admin('root')
  const [alice, bob, carol, dave] = [
    await service.person('alice'),
    await service.person('bob'),
    await service.person('carol'),
    await service.person('dave'),
  ]
  const exams = []
  for (const name of ['Mechanics', 'Optics', 'Doomed'])
    exams.push(await createExam(service.sql, { name, max_attempts: 3, questions: [{}, {}, {}] }))
  for (const applicant of [carol, dave])
    await applicant.post(
      '/api/v01/account/access-requests',
      {
        username: applicant.username,
        email: `${applicant.username}@example.org`,
        current_access: 'user',
        requested_access: 'user,admin',
        user_reason: 'I teach',
      },
      201,
    )
  return {
    service,
    model,
    alice,
    bob,
    carol,
    dave,
    admin,
    conversationId: await connect(alice, bob),
    examIds: exams.map(({ examId }) => examId),
    questionIds: exams.flatMap(({ questionIds }) => questionIds),
    savedIds: {},
  }
}

/** Replaces values that differ in every run: times, secrets, random parts of names. */
const RANDOM: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)?/g, '(time)'],
  [/\d{1,2} [A-Z][a-z]+ \d{4} \d\d:\d\d [AP]M/g, '(time)'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(uuid)'],
  [/\\\\x[0-9a-f]*/g, '(bytes)'],
  [/\$argon2[^"]*|\b[0-9a-f]{64}\b/g, '(hash)'],
  [/"(access|refresh)_token":\s*"[^"]*"/g, '"$1_token":"(token)"'],
  [/_[0-9a-f]{12}\.png/g, '_(random).png'],
  [/expires=\d+&signature=[\w-]+/g, '(signature)'],
  // Where the older generation saves questions, the newer one imports a CSV.
  [
    /"question.import","summary":"(\d+) questions were imported \(csv\)"/g,
    '"question.create","summary":"$1 questions were added"',
  ],
  // The older generation's chat is a conversation of another kind, with another id.
  // The older generation checks no generated questions.
  [/"(?:check":false|older":true),?/g, ''],
  [/"study_chat"/g, '"conversation"'],
  [/(?<=^assistant_conversations {"id":|^assistant_(?:messages|questions) .*"conversation_id":)\d+/g, '(id)'],
]
export const scrub = (text: string) =>
  RANDOM.reduce((scrubbed, [pattern, word]) => scrubbed.replaceAll(pattern, word), text)

/**
 * Every row of every table except the audit log, where the same operation may have different words, and the index of
 * searches and what people are told, which follow later.
 */
export async function snapshot({ service: { sql } }: World): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace 
       and relname not in ('audit_entries', 'message_words', 'search_marks') and relname !~ '^notice'`
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const found = await sql<{ row: unknown }[]>`select to_jsonb(t) as row from ${sql(name)} t`
      return found.map(({ row }) => scrub(`${name} ${JSON.stringify(row)}`))
    }),
  )
  return rows.flat().sort()
}
