import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createClass } from '../support/content/classes.ts'
import { createExam } from '../support/content/exams.ts'
import { addPage, createNotebook } from '../support/content/notes.ts'
import { connect, startService, type TestService } from '../support/service.ts'

let service: TestService
let admin: Client
beforeAll(async () => {
  service = await startService({ nodes: 2 })
  admin = await service.admin()
})
afterAll(() => service.close())

const start = (client: Client, examId: number) => client.post(`/api/v01/exams/${examId}/start`, {}, 201)
const submit = (client: Client, examId: number) => client.post(`/api/v01/exams/${examId}/submit`, {}, 200)
const lockingExam = () => createExam(service.sql, { lock_help: true, duration_minutes: 60 })

/** Somebody with a finished attempt at the exam. */
async function finisher(examId: number): Promise<Client> {
  const person = await service.person()
  await start(person, examId)
  await submit(person, examId)
  return person
}

/**
 * Every operation that stays open to a student whose exam locks help, and why nothing that somebody else says or does
 * gets through it. Any other operation has to be locked.
 */
const OPEN: Record<string, readonly string[]> = {
  'for people without a session, who can’t be told apart': [
    ...['register', 'login', 'loginWithGoogle', 'loginWithOidc', 'refreshToken', 'exchangeSession', 'logout'],
    ...['requestPasswordReset', 'confirmPasswordReset'],
  ],
  'one’s own account alone': ['getMe', 'changeAccount', 'deleteAccount', 'listSessions', 'endSession'],
  'one’s own devices; nothing is pushed to them during such an exam': [
    ...['getPush', 'addPushSubscription', 'removePushSubscription', 'changePushSettings'],
  ],
  'a request to administrators': ['checkAccessEligibility', 'requestAccess'],
  'the exam itself': [
    ...[
      'prepareExam',
      'startAttempt',
      'getPaper',
      'saveAnswers',
      'submitAttempt',
      'endAttempt',
      'getAttemptStatus',
    ],
    'listActiveAttempts',
  ],
  'written by administrators': ['listExams', 'getExam', 'listCategories'],
  'one’s own marks; a review of the same exam is locked': ['listAttempts', 'getResult'],
  'one’s own notes; other people’s are locked': [
    ...[
      'listNotebooks',
      'createNotebook',
      'getNotebook',
      'changeNotebook',
      'deleteNotebook',
      'printNotebook',
    ],
    ...['listPages', 'addPage', 'getPage', 'changePage', 'deletePage', 'listObjects', 'syncPage'],
    ...['listAssets', 'uploadAsset', 'getAsset', 'replaceAsset', 'deleteAsset'],
  ],
  'a signed address, which ends by itself and always has the same bytes': ['getFile'],
  'each kind of frame is withheld or not (features/help-lock/help-lock.live.ts)': ['openSocket'],
}

test('every operation is locked during an exam, for administrators, or stays open for a reason', {
  meta: { costly: 'asks every operation' },
}, async () => {
  const { examId } = await lockingExam()
  const alice = await service.person()
  await start(alice, examId)
  expect(await unexplained(alice)).toEqual([])
})

test('a student in an exam who teaches a class reaches nothing more than other students', async () => {
  const teacher = await service.person()
  const classId = await createClass(service.sql, { teachers: [teacher] })
  const { examId: ownExam, questionIds } = await createExam(service.sql)
  await service.sql`update exams set created_by = ${teacher.id}, for_classes = true where id = ${ownExam}`
  await service.sql`insert into exam_classes (class_id, exam_id) values (${classId}, ${ownExam})`
  const challenges = `/api/v01/admin/challenges?exam_id=${ownExam}` as const
  const settings = `/api/v01/admin/exams/${ownExam}` as const
  const questions = `/api/v01/admin/questions?exam_id=${ownExam}` as const
  for (const path of [challenges, settings, questions]) await teacher.get(path, 200)
  const { examId } = await lockingExam()
  await start(teacher, examId)
  expect(await unexplained(teacher)).toEqual([])
  for (const path of [challenges, settings, questions])
    expect((await teacher.get(path, 403)).body).toMatchObject({ code: 'exam_in_progress', exam_id: examId })
  const note = { question_text: 'Ask B' }
  const change = await teacher.patch(`/api/v01/admin/questions/${questionIds[0] as number}`, note, 403)
  expect(change.body.code).toBe('exam_in_progress')
  await submit(teacher, examId)
  for (const path of [challenges, settings, questions]) await teacher.get(path, 200)
})

/** The operations that neither are refused to this person nor are among those that stay open. */
async function unexplained(person: Client): Promise<string[]> {
  const { paths } = (await service.guest().get('/openapi.json', 200)).body
  const reasons = new Set(Object.values(OPEN).flat())
  const found: string[] = []
  for (const [path, operations] of Object.entries<Record<string, { operationId: string }>>(paths)) {
    if (!path.startsWith('/api/')) continue
    for (const [method, { operationId }] of Object.entries(operations)) {
      // The older generation's operations are the same, named `oldLogin` and so on.
      const name = operationId.replace(/^old(.)/, (_, first) => first.toLowerCase())
      if (reasons.has(name)) continue
      const { status, body } = await person.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'))
      if (status !== 403 || !['exam_in_progress', 'admin_required'].includes(String(body.code)))
        found.push(`${operationId}: ${method} ${path} ${status}`)
    }
  }
  return found
}

test('four helpers who come and go say nothing to a student in an exam', async () => {
  const { examId } = await lockingExam()
  const alice = await service.person()
  const helpers = await Promise.all(Array.from({ length: 4 }, () => service.person()))
  for (const helper of helpers) await connect(alice, helper)
  const device = await alice.at(service.urls[1] as string).socket()
  await start(alice, examId)
  await device.waitFor(({ type }) => type === 'help_locked')
  const seen = device.frames.length
  for (const helper of helpers) {
    const socket = await helper.socket()
    await expect.poll(() => isOnline(helper, admin)).toBe(true)
    await socket.close()
  }
  await sleep(500)
  expect(device.frames.slice(seen).map(({ type }) => type)).toEqual([])
  await submit(alice, examId)
  await device.waitFor(({ type }) => type === 'resync')
  const socket = await (helpers[0] as Client).socket()
  await device.waitFor(({ type, online }) => type === 'presence' && online)
  await socket.close()
})

/** Whether somebody who shares a conversation with them sees them online. */
async function isOnline(person: Client, observer: Client): Promise<boolean> {
  if (!observers.has(person.id)) {
    await connect(observer, person)
    observers.add(person.id)
  }
  const { body } = await observer.get('/api/v01/chat/presence', 200)
  return body.status[String(person.id)] === true
}
const observers = new Set<number>()

test('a challenge of an earlier attempt can be neither made nor read, and its answer waits', async () => {
  const { examId, questionIds } = await lockingExam()
  const [questionId] = questionIds as [number]
  const alice = await service.person()
  const attemptId = (await start(alice, examId)).body.attempt_id
  await submit(alice, examId)
  const path = `/api/v01/attempts/${attemptId}/challenges` as const
  const asked = { question_id: questionId, message: 'Is it C?' }
  const { id } = (await alice.post(path, asked, 201)).body.challenge
  const device = await alice.socket()
  await start(alice, examId)
  await device.waitFor(({ type }) => type === 'help_locked')
  const answer = { status: 'rejected', reply: 'the key is B' } as const
  await admin.post(`/api/v01/admin/challenges/${id}/resolve`, answer, 200)
  expect((await alice.post(path, asked, 403)).body.code).toBe('exam_in_progress')
  expect((await alice.get(path, 403)).body.code).toBe('exam_in_progress')
  await sleep(500)
  expect(JSON.stringify(device.frames)).not.toContain('the key is B')
  await submit(alice, examId)
  expect((await alice.get(path, 200)).body.challenges).toMatchObject([{ reply: 'the key is B' }])
})

test('comments on a locking exam are for those who have finished it: not read, counted, answered or followed before', async () => {
  const { examId, questionIds } = await lockingExam()
  const [questionId] = questionIds as [number]
  const path = `/api/v01/discussions/${questionId}` as const
  const bob = await finisher(examId)
  const { comment } = (await bob.post(path, { message: 'It was B' }, 201)).body
  const alice = await service.person()
  await service.sql`
    insert into attempts (user_id, exam_id, attempt_number, status, started_at)
    values (${alice.id}, ${examId}, 1, 'manual', now())`
  const device = await alice.socket()
  await alice.get(path, 404)
  await alice.post(path, { message: 'What was it?' }, 404)
  await alice.post(`/api/v01/discussions/comments/${comment.id}/report`, { reason: 'x' }, 404)
  const counts = await alice.post('/api/v01/discussions/counts', { question_ids: [questionId] }, 200)
  expect(counts.body.counts).toEqual({ [questionId]: 0 })
  const topic = `question:${questionId}`
  expect(await device.ask({ type: 'subscribe', topic })).toMatchObject({ type: 'error', code: 'not_found' })
  await start(alice, examId)
  await submit(alice, examId)
  expect((await alice.get(path, 200)).body.count).toBe(1)
})

test('nothing more comes of a question that was hidden after somebody subscribed', async () => {
  const { examId, questionIds } = await createExam(service.sql)
  const topic = `question:${questionIds[0]}`
  const path = `/api/v01/discussions/${questionIds[0]}` as const
  const [alice, bob] = [await service.person(), await finisher(examId)]
  const device = await alice.at(service.urls[1] as string).socket()
  expect(await device.ask({ type: 'subscribe', topic })).toMatchObject({ type: 'ack' })
  await bob.post(path, { message: 'One' }, 201)
  await device.until(() => device.of('comment').length === 1)
  for (const change of [{ is_published: false }, { is_published: true, lock_help: true }]) {
    await admin.patch(`/api/v01/admin/exams/${examId}`, change, 200)
    await bob.post(path, { message: 'Hidden' }, 201)
    await bob.at(service.urls[1] as string).post(path, { message: 'Hidden, too' }, 201)
  }
  await admin.patch(`/api/v01/admin/exams/${examId}`, { lock_help: false }, 200)
  await bob.post(path, { message: 'Two' }, 201)
  await device.until(() => device.of('comment').length === 2)
  expect(device.of('comment').map(({ comment }) => comment.message)).toEqual(['One', 'Two'])
})

test('a friend’s notebook that is being read when the exam begins says nothing that is written later', {
  meta: { costly: 'reads a notebook many times' },
}, async () => {
  const { examId } = await lockingExam()
  const [alice, bob] = [await service.person(), await service.person()]
  const notebookId = await createNotebook(bob, { is_public: true })
  const draw = async (objects: object[]) => {
    const pageId = await addPage(bob, notebookId)
    await bob.post(`/api/v01/pages/${pageId}/sync`, { objects }, 200)
    return pageId
  }
  // More than is sent ahead of a reader.
  const text = () => randomBytes(45_000).toString('base64')
  for (let page = 0; page < 24; page++)
    await draw(Array.from({ length: 15 }, (_, n) => ({ id: `o${n}`, text: text() })))
  const pageId = await draw([{ id: 'hint', text: 'nothing' }])
  const path = `/api/v01/notebooks/${notebookId}/print` as const
  const body = (await alice.fetch('GET', path)).body?.getReader()
  await body?.read()
  await start(alice, examId)
  const objects = [{ id: 'hint', text: 'It is B' }]
  await bob.post(`/api/v01/pages/${pageId}/sync`, { objects, start_index: 0 }, 200)
  await expect(
    (async () => {
      while (!(await body?.read())?.done);
    })(),
  ).rejects.toThrow()
  await submit(alice, examId)
  expect(await (await alice.fetch('GET', path)).text()).toContain('It is B')
})
