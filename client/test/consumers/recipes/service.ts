// As much of the service as the recipes need, and a client of it as somebody's browser would have it.
import { type Client, createClient, type Locks } from '@exam-practice/client'
import { memoryStore } from '@exam-practice/client/memory'
import { node } from '@exam-practice/client/node'

/** What was answered, by question. */
export const answers: Record<string, unknown> = {}

let revision = 0

/** Begins anew. */
export function forget(): void {
  for (const id of Object.keys(answers)) delete answers[id]
  revision = 0
}

const paper = () => ({
  success: true,
  attempt_id: 1,
  questions: [{ id: 1, question_text: 'Why?' }],
  answers,
  markedForReview: [],
  revision,
  ends_at: null,
  server_time: new Date().toISOString(),
})

const REPLIES: Record<string, (body: { answers?: object; revision?: number }) => object> = {
  'auth/login': () => ({
    status: 'success',
    data: {
      user: { id: 1, username: 'alice', full_name: 'Alice' },
      available_portals: ['user'],
      access_token: 'token',
      refresh_token: 'refresh',
      expires_in: 3_600,
    },
  }),
  'exams/7': () => ({ success: true, exam: { id: 7, name: 'Optics' } }),
  'exams/7/start': () => ({ success: true, attempt_id: 1 }),
  'exams/7/paper': paper,
  'exams/7/answers': (body) => {
    Object.assign(answers, body.answers)
    revision = body.revision ?? revision
    const saved_at = new Date().toISOString()
    return { success: true, attempt_id: 1, revision, rejected: null, saved_at, ends_at: null }
  },
  'exams/7/submit': () => ({ success: true, attempt_id: 1, result_mode: 'on_release', message: 'Later' }),
}

export async function fetchFromService(request: Request): Promise<Response> {
  const name = new URL(request.url).pathname.replace('/api/v01/', '')
  const text = await request.text()
  const reply = REPLIES[name]?.(text === '' ? {} : JSON.parse(text)) ?? { code: 'not_found', message: '' }
  return new Response(JSON.stringify(reply), {
    status: 'code' in reply ? 404 : 200,
    headers: { 'content-type': 'application/json', 'x-request-id': 'recipe' },
  })
}

/** Node.js has the locks of a browser. */
const locks = navigator.locks as unknown as Locks

export async function openApp(store = memoryStore()): Promise<Client> {
  const client = createClient({
    baseUrl: 'http://service.test',
    platform: { ...node({ store }), locks, fetch: fetchFromService },
  })
  await client.session.ready
  if (!client.session.$user.get()) await client.session.login({ username: 'alice', password: 'practice' })
  return client
}

/** Waits until something holds. */
export async function until(holds: () => unknown): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 200) throw new Error(`It never came about: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Answers in the page, and looks whether it arrives. */
export async function tryPage(): Promise<void> {
  await until(() => document.body.textContent?.includes('Why? (1 question, writable)'))
  document.querySelector('button')?.click()
  await until(() => document.body.textContent?.includes('B'))
  await until(() => answers[1] === 'B')
}
