import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Answer, PASSWORD } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { type Provider, startProvider } from '../support/outside/google.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { createWorld, NEWER, OLDER, type Paths, scrub, snapshot, type World } from './world.ts'

let provider: Provider
const worlds: World[] = []

beforeAll(async () => {
  provider = await startProvider()
  for (let count = 0; count < 2; count++) worlds.push(await createWorld(provider))
})
afterAll(async () => {
  for (const { service, model } of worlds) {
    await service.close()
    await model.stub.close()
  }
  await provider.close()
})

const describeAnswer = ({ status, body }: Answer) => ({ status, body: scrub(JSON.stringify(body)) })

/** What chats, questions and exams have in the newer generation only. */
const ADDED = new Set([
  'variables',
  'conditions',
  ...['reactions', 'attachments', 'mentions', 'settings', 'unread_mentions', 'unread_all'],
  'has_password',
  ...['more_options', 'parts', 'option_order', 'explanation', 'tags', 'image_alt'],
  ...[
    'open_for_practice',
    'shuffle',
    'draw',
    'class_ids',
    'pool_count',
    'passed',
    'submitted_by',
    'watch_page',
  ],
])
/** A result's count of right answers has the name of a review's key. */
const isAdded = (name: string, value: unknown) =>
  ADDED.has(name) || (name === 'correct' && typeof value !== 'number')
const withoutAdded = ({ body, ...answer }: Answer): Answer => ({
  ...answer,
  body: JSON.parse(
    JSON.stringify(body, function (this: object, name, value) {
      // Of a paper; conversations have messages in both generations.
      const isTold = name === 'messages' && 'server_time' in this
      return isTold || isAdded(name, value) ? undefined : value
    }),
  ),
})

interface Operation {
  name: string
  /** `alike`: both generations give the same answer; `own`: each in its own form. */
  answers: 'alike' | 'own'
  /** Whether the operation changes the database. */
  stores: boolean
  newer(world: World, at: Paths): Promise<Answer>
  older(world: World, at: Paths): Promise<Answer>
}

type Run = Operation['newer']
const reads = (name: string, run: Run): Operation => ({
  name,
  answers: 'alike',
  stores: false,
  newer: run,
  older: run,
})
const stores = (name: string, run: Run): Operation => ({ ...reads(name, run), stores: true })
/** The same call in both generations, with answers of different forms. */
const reshaped = (name: string, run: Run): Operation => ({ ...stores(name, run), answers: 'own' })
const different = (name: string, newer: Run, older: Run, change = true): Operation => ({
  name,
  answers: 'own',
  stores: change,
  newer,
  older,
})

/** Without options, which only the newer one puts into an order of its own. */
const GENERATE = { mode: 'pure', topic: 'Vectors', numeric_count: 3 }
const COLUMNS =
  'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'
const NO_JOB = '9ac13a5b-5ad9-4b3f-8e7d-7f6a2d3c1b00'
const importCsv = ({ admin }: World, csv: string, at: Paths = NEWER) =>
  admin.request(
    'POST',
    `${at.admin}/questions/import-csv`,
    form({}, { field: 'csv_file', name: 'q.csv', bytes: csv }),
    200,
  )
const image = async (colour: string) => ({
  field: 'image',
  name: 'a.png',
  bytes: await makeImage('png', { colour }),
})
const saveId = async (world: World, name: string, path: string[], asked: Promise<Answer>) => {
  const answer = await asked
  world.savedIds[name] = path.reduce((value: unknown, key) => Object(value)[key], answer.body) as number
  return answer
}

const operations: Operation[] = [
  // auth
  stores('login', ({ service }, at) =>
    service.guest().post(`${at.auth}/login`, { username: 'alice', password: PASSWORD }, 200),
  ),
  stores('a failed login', ({ service }, at) =>
    service.guest().post(`${at.auth}/login`, { username: 'nobody', password: PASSWORD }, 401),
  ),
  stores('the identity provider’s login', ({ service }, at) =>
    service.guest().post(`${at.auth}/google`, { id_token: provider.sign({}) }, 200),
  ),
  stores('refresh with a new refresh token', async ({ service }, at) => {
    const client = service.guest()
    await client.login('bob')
    return client.post(`${at.auth}/refresh`, { refresh_token: client.refreshToken, rotate: true }, 200)
  }),
  stores('logout', async ({ service }, at) => {
    const client = service.guest()
    await client.login('bob')
    return client.post(`${at.auth}/logout`, { refresh_token: client.refreshToken }, 200)
  }),
  reads('the current user', ({ alice }, at) => alice.get(`${at.auth}/me`, 200)),

  // chat
  stores('sends a message', (world, at) =>
    saveId(
      world,
      'message',
      ['message', 'id'],
      world.alice.post(at.messages(world.conversationId), { message: 'Hi' }, 201),
    ),
  ),
  reads('counts unread', ({ bob }, at) => bob.get(`${at.chat}/unread`, 200)),
  reads('lists messages without marking them read', ({ bob, conversationId }, at) =>
    bob.get(`${at.messages(conversationId)}?peek=true`, 200),
  ),
  stores('lists messages, which marks them read', ({ bob, conversationId }, at) =>
    bob.get(at.messages(conversationId), 200),
  ),
  stores('edits a message', ({ alice, savedIds }, at) =>
    alice.patch(`${at.chat}/messages/${savedIds.message}`, { message: 'Hello' }, 200),
  ),
  stores('marks as read', async ({ alice, bob, conversationId }, at) => {
    await alice.send(conversationId, 'More', '9ac13a5b-5ad9-4b3f-8e7d-7f6a2d3c1b00', 201)
    return bob.post(`${at.chat}/conversations/${conversationId}/read`, { up_to_seq: 2 }, 200)
  }),
  stores('deletes a message', ({ alice, savedIds }, at) =>
    alice.delete(`${at.chat}/messages/${savedIds.message}`, 200),
  ),
  reads('changes', ({ bob, conversationId }, at) =>
    bob.get(`${at.chat}/conversations/${conversationId}/changes?since=0`, 200),
  ),
  reads('conversations', ({ alice }, at) => alice.get(`${at.chat}/conversations`, 200)),
  reads('a conversation', ({ alice, conversationId }, at) =>
    alice.get(`${at.chat}/conversations/${conversationId}`, 200),
  ),
  reads('searches people', ({ alice }, at) => alice.get(`${at.chat}/users?q=aro`, 200)),
  stores('asks to connect', (world, at) =>
    saveId(
      world,
      'connection',
      ['conn_id'],
      world.alice.post(`${at.chat}/connections`, { recipient_id: world.carol.id }, 201),
    ),
  ),
  reads('incoming requests', ({ carol }, at) => carol.get(`${at.chat}/connections/requests`, 200)),
  stores('accepts', ({ carol, savedIds }, at) =>
    carol.post(`${at.chat}/connections/${savedIds.connection}/respond`, { action: 'accept' }, 200),
  ),
  reads('presence', ({ alice }, at) => alice.get(`${at.chat}/presence`, 200)),
  stores('creates a group', (world, at) =>
    saveId(
      world,
      'group',
      ['conv_id'],
      world.alice.post(`${at.chat}/groups`, { name: 'Study', member_ids: [world.bob.id] }, 201),
    ),
  ),
  stores('renames a group', ({ alice, savedIds }, at) =>
    alice.patch(`${at.chat}/groups/${savedIds.group}`, { name: 'Study group' }, 200),
  ),
  stores('adds members', ({ alice, carol, savedIds }, at) =>
    alice.post(`${at.chat}/groups/${savedIds.group}/members`, { member_ids: [carol.id] }, 200),
  ),
  stores('removes a member', ({ alice, bob, savedIds }, at) =>
    alice.delete(`${at.chat}/groups/${savedIds.group}/members/${bob.id}`, 200),
  ),
  stores('disconnects', ({ alice, savedIds }, at) =>
    alice.delete(`${at.chat}/connections/${savedIds.connection}`, 200),
  ),
  stores('blocks', ({ alice, dave }, at) => alice.put(`${at.chat}/blocks/${dave.id}`, {}, 200)),
  reads('blocked people', ({ alice }, at) => alice.get(`${at.chat}/blocks`, 200)),
  stores('unblocks', ({ alice, dave }, at) => alice.delete(`${at.chat}/blocks/${dave.id}`, 200)),

  // discussions
  stores('posts a comment', (world, at) =>
    saveId(
      world,
      'comment',
      ['comment', 'id'],
      world.alice.post(`${at.discussion}/${world.questionIds[0]}`, { message: 'Why?' }, 201),
    ),
  ),
  stores('replies', (world, at) =>
    saveId(
      world,
      'reply',
      ['comment', 'id'],
      world.bob.post(
        `${at.discussion}/${world.questionIds[0]}`,
        { message: 'Because', parent_id: world.savedIds.comment },
        201,
      ),
    ),
  ),
  stores('edits a comment', ({ alice, savedIds }, at) =>
    alice.patch(`${at.discussion}/comments/${savedIds.comment}`, { message: 'Why so?' }, 200),
  ),
  stores('pins', ({ admin, savedIds }, at) =>
    admin.post(`${at.discussion}/comments/${savedIds.comment}/pin`, {}, 200),
  ),
  stores('marks the best answer', ({ admin, savedIds }, at) =>
    admin.post(`${at.discussion}/comments/${savedIds.reply}/best-answer`, {}, 200),
  ),
  reads('a discussion', ({ bob, questionIds }, at) => bob.get(`${at.discussion}/${questionIds[0]}`, 200)),
  reads('counts comments', ({ bob, questionIds }, at) =>
    bob.post(`${at.discussion}/counts`, { question_ids: questionIds }, 200),
  ),
  stores('deletes a comment', ({ alice, savedIds }, at) =>
    alice.delete(`${at.discussion}/comments/${savedIds.comment}`, 200),
  ),

  // the assistant
  different(
    'asks the assistant',
    ({ alice }) => alice.post('/api/v01/assistant/messages', { message: 'What is 3² + 4²?' }, 200),
    ({ alice }) => alice.post('/api/study-chat', { message: 'What is 3² + 4²?' }, 200),
  ),
  different(
    'reads the questions and answers',
    ({ alice }) => alice.get('/api/v01/assistant/conversations', 200),
    ({ alice }) => alice.get('/api/study-chat/history', 200),
    false,
  ),
  different(
    'clears the chat, but not the count of the day',
    async ({ alice }) => {
      const { body } = await alice.get('/api/v01/assistant/conversations', 200)
      return alice.delete(`/api/v01/assistant/conversations/${body.conversations[0]?.id}`, 200)
    },
    ({ alice }) => alice.delete('/api/study-chat/history', 200),
  ),

  // one's own account
  reads('a password reset for an unknown address', ({ service }, at) =>
    service.guest().post(`${at.root}/account/password-reset`, { email: 'nobody@example.org' }, 200),
  ),
  reads('a password reset with an invalid token', ({ service }, at) =>
    service
      .guest()
      .post(`${at.root}/account/password-reset/confirm`, { token: 'x', new_password: PASSWORD }, 400),
  ),
  stores('changes a name', ({ dave }, at) => dave.patch(`${at.root}/account`, { full_name: 'Dave D' }, 200)),
  reads('sessions', ({ dave }, at) => dave.get(`${at.root}/account/sessions`, 200)),
  reads('refuses to end an unknown session', ({ dave }, at) =>
    dave.delete(`${at.root}/account/sessions/999999`, 404),
  ),
  reads('refuses to delete an account without the exact word', ({ dave }, at) =>
    dave.delete(`${at.root}/account`, 400, { confirm: 'delete' }),
  ),
  reads('the roles that can be asked for', ({ carol }, at) =>
    carol.post(
      `${at.root}/account/access-requests/eligibility`,
      { username: 'carol', email: 'carol@example.org' },
      200,
    ),
  ),
  stores('asks for another role', ({ bob }, at) =>
    bob.post(
      `${at.root}/account/access-requests`,
      {
        username: 'bob',
        email: 'bob@example.org',
        current_access: 'user',
        requested_access: 'admin',
        user_reason: 'Please',
      },
      201,
    ),
  ),

  // taking an exam
  reads('exams', ({ bob }, at) => bob.get(`${at.root}/exams?q=opt`, 200)),
  reads('an exam', ({ bob, examIds }, at) => bob.get(`${at.root}/exams/${examIds[1]}`, 200)),
  stores('prepares a paper', ({ bob, examIds }, at) =>
    bob.post(`${at.root}/exams/${examIds[1]}/prepare`, {}, 200),
  ),
  stores('starts', (world, at) =>
    saveId(
      world,
      'attempt',
      ['attempt_id'],
      world.bob.post(`${at.root}/exams/${world.examIds[1]}/start`, {}, 201),
    ),
  ),
  reads('the paper', ({ bob, examIds }, at) => bob.get(`${at.root}/exams/${examIds[1]}/paper`, 200)),
  stores('saves', ({ bob, examIds, questionIds }, at) =>
    bob.put(`${at.root}/exams/${examIds[1]}/answers`, { answers: { [questionIds[3] as number]: 'A' } }, 200),
  ),
  reads('the status', ({ bob, examIds }, at) =>
    bob.get(`${at.root}/exams/${examIds[1]}/attempt-status`, 200),
  ),
  stores('submits', ({ bob, examIds }, at) => bob.post(`${at.root}/exams/${examIds[1]}/submit`, {}, 200)),
  reads('attempts', ({ bob }, at) => bob.get(`${at.root}/attempts`, 200)),
  reads('a result', ({ bob, savedIds }, at) => bob.get(`${at.root}/attempts/${savedIds.attempt}`, 200)),

  // the assistant's conversations, which are the same in both generations
  reshaped('asks in a conversation', (world, at) =>
    saveId(
      world,
      'chat',
      ['conversation_id'],
      world.bob.post(`${at.root}/assistant/messages`, { message: 'What is 1 + 1?' }, 200),
    ),
  ),
  {
    ...reads('conversations with the assistant', ({ bob }, at) =>
      bob.get(`${at.root}/assistant/conversations`, 200),
    ),
    answers: 'own',
  },
  {
    ...reads('messages of a conversation with the assistant', ({ bob, savedIds }, at) =>
      bob.get(`${at.root}/assistant/conversations/${savedIds.chat}/messages`, 200),
    ),
    answers: 'own',
  },
  reshaped('renames the conversation', ({ bob, savedIds }, at) =>
    bob.patch(`${at.root}/assistant/conversations/${savedIds.chat}`, { title: 'Sums' }, 200),
  ),
  reshaped('renames the conversation with PUT', ({ bob, savedIds }, at) =>
    bob.put(`${at.root}/assistant/conversations/${savedIds.chat}`, { title: 'More sums' }, 200),
  ),
  stores('deletes the conversation', ({ bob, savedIds }, at) =>
    bob.delete(`${at.root}/assistant/conversations/${savedIds.chat}`, 200),
  ),

  // administration
  reads('all exams', ({ admin }, at) => admin.get(`${at.admin}/exams?q=opt`, 200)),
  stores('creates an exam', (world, at) =>
    saveId(world, 'exam', ['exam', 'id'], world.admin.post(`${at.admin}/exams`, { name: 'Waves' }, 201)),
  ),
  reads('an exam with its settings', ({ admin, savedIds }, at) =>
    admin.get(`${at.admin}/exams/${savedIds.exam}`, 200),
  ),
  stores('edits an exam', ({ admin, savedIds }, at) =>
    admin.patch(`${at.admin}/exams/${savedIds.exam}`, { duration_minutes: 30 }, 200),
  ),
  reads('questions', ({ admin, examIds }, at) =>
    admin.get(`${at.admin}/questions?exam_id=${examIds[1]}`, 200),
  ),
  reads('a question', ({ admin, questionIds }, at) =>
    admin.get(`${at.admin}/questions/${questionIds[3]}`, 200),
  ),
  stores('changes a question', ({ admin, questionIds }, at) =>
    admin.request('PUT', `${at.admin}/questions/${questionIds[3]}`, form({ option_a: 'a' }), 200),
  ),
  stores('changes it again', ({ admin, questionIds }, at) =>
    admin.request('PATCH', `${at.admin}/questions/${questionIds[3]}`, form({ option_b: 'b' }), 200),
  ),
  stores('sets marks', ({ admin, examIds }, at) =>
    admin.post(
      `${at.admin}/questions/bulk-marks`,
      { exam_id: examIds[1], question_type: 'mcq', negative_marks: 2 },
      200,
    ),
  ),
  stores('deletes a question', ({ admin, questionIds }, at) =>
    admin.delete(`${at.admin}/questions/${questionIds[5]}`, 200),
  ),
  stores('imports questions', (world, at) =>
    importCsv(world, `${COLUMNS}\n${world.examIds[1]},Which?,,,,,A,MCQ,,4,1,0\n`, at),
  ),
  reads('uploads images', async ({ admin }, at) =>
    admin.request(
      'POST',
      `${at.admin}/images`,
      form({ subject_folder_id: 'Physics' }, { ...(await image('red')), field: 'images' }),
      200,
    ),
  ),
  reads('the dashboard', ({ admin }, at) => admin.get(`${at.admin}/analytics`, 200)),
  reads('jobs', ({ admin }, at) => admin.get(`${at.admin}/ai/jobs`, 200)),
  reads('an unknown job', ({ admin }, at) => admin.get(`${at.admin}/ai/status/${NO_JOB}`, 404)),
  reads('refuses to cancel an unknown job', ({ admin }, at) =>
    admin.post(`${at.admin}/ai/jobs/${NO_JOB}/cancel`, {}, 404),
  ),
  reshaped('releases results', ({ admin, examIds }, at) =>
    admin.post(`${at.admin}/exams/${examIds[0]}/toggle-results`, {}, 200),
  ),
  reshaped('deletes an exam', ({ admin, examIds }, at) =>
    admin.delete(`${at.admin}/exams/${examIds[2]}`, 200),
  ),
  reshaped('adds a question', ({ admin, examIds }, at) =>
    admin.request(
      'POST',
      `${at.admin}/questions`,
      form({
        exam_id: examIds[0] ?? 0,
        question_text: '  $x^2$? ',
        question_type: 'MSQ',
        correct_answer: 'ca',
      }),
      201,
    ),
  ),
  reshaped('adds many questions', ({ admin, examIds }, at) =>
    admin.post(
      `${at.admin}/questions/bulk-add`,
      {
        exam_id: examIds[0],
        questions: [
          { question_text: 'One', correct_answer: 'A' },
          { question_text: ' ' },
          { question_text: 'Two', correct_answer: 'E' },
          { question_text: 'Three', question_type: 'NUMERIC', correct_answer: 3, tolerance: '0.5' },
        ],
      },
      201,
    ),
  ),
  stores('deletes many questions', ({ admin, questionIds }, at) =>
    admin.post(`${at.admin}/questions/bulk-delete`, { ids: [questionIds[1], 999_999] }, 200),
  ),
  reads('users', ({ admin }, at) => admin.get(`${at.admin}/users?role=both&q=oo`, 200)),
  reads('role counts', ({ admin }, at) => admin.get(`${at.admin}/users/counts`, 200)),
  stores('changes a role', ({ admin, bob }, at) =>
    admin.post(`${at.admin}/users/role`, { user_id: bob.id, new_role: 'admin' }, 200),
  ),
  stores('changes roles', ({ admin, bob, carol }, at) =>
    admin.post(
      `${at.admin}/users/bulk-role`,
      {
        updates: [
          { user_id: bob.id, new_role: 'user' },
          { user_id: carol.id, new_role: 'teacher' },
          { user_id: -1, new_role: 'user' },
        ],
      },
      200,
    ),
  ),
  reads('overview', ({ admin }, at) => admin.get(`${at.admin}/overview`, 200)),
  different(
    'analytics',
    ({ admin }) => admin.get('/api/v01/admin/analytics', 200),
    ({ admin }) => admin.get('/admin/users/analytics', 200),
    false,
  ),
  stores('creates a category', async (world, at) =>
    saveId(
      world,
      'category',
      ['category', 'id'],
      world.admin.request(
        'POST',
        `${at.admin}/categories`,
        form({ name: 'Physics' }, await image('red')),
        201,
      ),
    ),
  ),
  stores('replaces its image and name', async ({ admin, savedIds }, at) =>
    admin.request(
      'PUT',
      `${at.admin}/categories/${savedIds.category}`,
      form({ name: 'Science' }, await image('blue')),
      200,
    ),
  ),
  stores('renames it', ({ admin, savedIds }, at) =>
    admin.request('PATCH', `${at.admin}/categories/${savedIds.category}`, form({ name: 'Chemistry' }), 200),
  ),
  reads('categories', ({ admin }, at) => admin.get(`${at.admin}/categories`, 200)),
  stores('deletes it', ({ admin, savedIds }, at) =>
    admin.delete(`${at.admin}/categories/${savedIds.category}`, 200),
  ),
  stores('adds attempts', ({ admin, alice, examIds }, at) =>
    admin.post(
      `${at.admin}/attempts/modify`,
      { student_id: alice.id, exam_id: examIds[0], action: 'increase', amount: 2 },
      200,
    ),
  ),
  reads('allowances', ({ admin, examIds }, at) =>
    admin.get(`${at.admin}/attempts?exam_id=${examIds[0]}&status=available`, 200),
  ),
  stores('removes attempts in bulk', ({ admin, alice, examIds }, at) =>
    admin.post(
      `${at.admin}/attempts/bulk-modify`,
      {
        items: [
          { student_id: alice.id, exam_id: examIds[0] },
          { student_id: alice.id, exam_id: 999_999 },
        ],
        action: 'decrease',
      },
      200,
    ),
  ),
  reads('access requests', ({ admin }, at) => admin.get(`${at.admin}/access-requests`, 200)),
  stores('approves', async ({ admin }, at) => {
    const { body } = await admin.get('/api/v01/admin/access-requests', 200)
    return admin.post(
      `${at.admin}/access-requests/${body.requests[0]?.request_id}/approve`,
      { approved_access: 'user,admin' },
      200,
    )
  }),
  stores('denies', async ({ admin }, at) => {
    const { body } = await admin.get('/api/v01/admin/access-requests', 200)
    return admin.post(
      `${at.admin}/access-requests/${body.requests[0]?.request_id}/deny`,
      { reason: 'Not yet' },
      200,
    )
  }),
  reads('access request counts', ({ admin }, at) => admin.get(`${at.admin}/access-requests/counts`, 200)),
  different(
    'generates questions',
    async ({ admin, examIds }) => {
      const fields = form({ exam_id: examIds[0] ?? 0, ...GENERATE, check: 'false' })
      const { body } = await admin.request('POST', '/api/v01/admin/ai/generate', fields, 202)
      return vi.waitUntil(
        async () => {
          const answer = await admin.get(`/api/v01/admin/ai/status/${body.job_id}`, 200)
          return answer.body.status === 'done' && answer
        },
        { timeout: PATIENCE_MS, interval: 50 },
      )
    },
    ({ admin, examIds }) =>
      admin.request('POST', '/admin/ai/generate', form({ exam_id: examIds[0] ?? 0, ...GENERATE }), 200),
  ),
  different(
    'saves generated questions',
    (world) => importCsv(world, `${COLUMNS}\n${world.examIds[1]},"Which, then?",1,2,3,4,b,MCQ,,4,1,0\n`),
    ({ admin, examIds }) =>
      admin.post(
        '/admin/ai/save',
        {
          questions: [
            {
              id: null,
              exam_id: examIds[1],
              question_text: 'Which, then?',
              option_a: '1',
              option_b: '2',
              option_c: '3',
              option_d: '4',
              correct_answer: 'b',
              question_type: 'MCQ',
              image_path: null,
              positive_marks: 4,
              negative_marks: 1,
              tolerance: 0,
            },
          ],
        },
        200,
      ),
  ),
  different(
    'exports generated questions for the import',
    (world) => importCsv(world, `${COLUMNS}\n${world.examIds[1]},Sum?,,,,,5,NUMERIC,,3,0,0.01\n`),
    async (world) => {
      const question = {
        exam_id: world.examIds[1],
        question_text: 'Sum?',
        correct_answer: '5',
        question_type: 'NUMERIC',
        positive_marks: 3,
        negative_marks: 0,
        tolerance: 0.01,
      }
      const { body } = await world.admin.post('/admin/ai/export', { questions: [question] }, 200)
      return importCsv(world, body)
    },
  ),
]

// One story: each call begins where the one before it has left both.
describe('both generations have the same effect', { shuffle: false }, () => {
  test.each(operations)('$name', async ({ answers, stores: changes, newer, older }) => {
    const [one, other] = worlds as [World, World]
    const before = await snapshot(other)
    const newerAnswer = await newer(one, NEWER)
    const olderAnswer = await older(other, OLDER)
    const after = await snapshot(other)
    expect(after).toEqual(await snapshot(one))
    if (changes) expect(after).not.toEqual(before)
    else expect(after).toEqual(before)
    if (answers === 'alike')
      expect(describeAnswer(olderAnswer)).toEqual(describeAnswer(withoutAdded(newerAnswer)))
  })

  test('and every operation of the older one is tested above', async () => {
    const { body } = await (worlds[1] as World).service.guest().get('/metrics', 200)
    const calls = [...body.matchAll(/deprecated_calls_total\{method="(\w+)",route="([^"]+)"\} (\d+)/g)]
    expect(calls.length).toBeGreaterThan(50)
    expect(
      calls.filter(([, , , count]) => count === '0').map(([, method, route]) => `${method} ${route}`),
    ).toEqual([])
  })
})
