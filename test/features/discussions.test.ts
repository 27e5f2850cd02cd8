import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { type SharedService, sharedService, withService } from '../support/service.ts'

let service: SharedService
let admin: Client
beforeAll(async () => {
  service = await sharedService()
  admin = await service.admin()
})

const base = '/api/v01/discussions'

async function newQuestion(): Promise<number> {
  return (await createExam(service.sql)).questionIds[0] as number
}

async function post(person: Client, questionId: number, message: string, parentId?: number): Promise<number> {
  const comment = { message, ...(parentId === undefined ? {} : { parent_id: parentId }) }
  const { body } = await person.post(`${base}/${questionId}`, comment, 201)
  return body.comment.id
}

interface Node {
  message: string
  replies: Node[]
}
/** Each message followed by the list of its replies, if it has any: `['first', ['a reply']]`. */
function outline(comments: Node[]): unknown[] {
  return comments.flatMap(({ message, replies }) =>
    replies.length > 0 ? [message, outline(replies)] : [message],
  )
}

async function read(person: Client, questionId: number) {
  const { body } = await person.get(`${base}/${questionId}`, 200)
  return { count: body.count, outline: outline(body.comments), comments: body.comments }
}

describe('the questions of an exam that is not published', () => {
  test('don’t exist for students, by any route; people with attempts of it, and administrators, still see them', async () => {
    const { examId, questionIds } = await createExam(service.sql)
    const questionId = questionIds[0] as number
    const [alice, taker] = [await service.person(), await service.person()]
    await taker.post(`/api/v01/exams/${examId}/start`, {}, 201)
    const mine = await post(alice, questionId, 'mine')
    const theirs = await post(taker, questionId, 'theirs')
    const socket = await alice.socket()
    const subscribe = (to: typeof socket) => to.ask({ type: 'subscribe', topic: `question:${questionId}` })
    await service.sql`update exams set published = false where id = ${examId}`

    const none = await alice.get(`${base}/999999`, 404)
    const counts = async (by: Client) =>
      (await by.post(`${base}/counts`, { question_ids: [questionId] }, 200)).body.counts[questionId]
    for (const path of [base, '/api/discussion']) {
      expect((await alice.get(`${path}/${questionId}`, 404)).body).toEqual(none.body)
      await alice.post(`${path}/${questionId}`, { message: 'x' }, 404)
      await alice.post(`${path}/${questionId}`, { message: 'x', exam_id: examId + 1 }, 404)
      await alice.post(`${path}/${questionId}`, { message: 'x', parent_id: theirs }, 404)
      for (const id of [mine, theirs]) {
        await alice.patch(`${path}/comments/${id}`, { message: 'x' }, 404)
        await alice.delete(`${path}/comments/${id}`, 404)
      }
    }
    expect(await counts(alice)).toBe(0)
    expect(await subscribe(socket)).toMatchObject({ type: 'error', code: 'not_found' })

    for (const reader of [taker, admin]) {
      expect((await read(reader, questionId)).count).toBe(2)
      expect(await counts(reader)).toBe(2)
      expect(await subscribe(await reader.socket())).toMatchObject({ type: 'ack' })
    }
    await taker.patch(`${base}/comments/${theirs}`, { message: 'still theirs' }, 200)
    await admin.delete(`${base}/comments/${mine}`, 200)
    await service.sql`update exams set published = true where id = ${examId}`
    expect(await counts(alice)).toBe(1)
    expect(await subscribe(socket)).toMatchObject({ type: 'ack' })
  })
})

describe('discussions', () => {
  test('comments and replies form a tree, each level oldest first', async () => {
    const questionId = await newQuestion()
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const answer = await alice.post(`${base}/${questionId}`, { message: '  Why B? 😀 ' }, 201)
    expect(answer.body).toEqual({
      success: true,
      comment: {
        id: expect.any(Number),
        question_id: questionId,
        parent_id: null,
        user_id: alice.id,
        username: alice.username,
        message: 'Why B? 😀',
        is_own: true,
        is_edited: false,
        is_deleted: false,
        is_pinned: false,
        is_best_answer: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        replies: [],
      },
    })
    const first = answer.body.comment.id
    const second = await post(bob, questionId, 'Second')
    const reply = await post(bob, questionId, 'Because', first)
    await post(alice, questionId, 'Thanks', reply)
    await post(alice, questionId, 'Or not', first)

    const thread = await read(bob, questionId)
    expect(thread.count).toBe(5)
    expect(thread.outline).toEqual(['Why B? 😀', ['Because', ['Thanks'], 'Or not'], 'Second'])
    expect(thread.comments[0]).toEqual({
      ...answer.body.comment,
      is_own: false,
      replies: [expect.objectContaining({ id: reply, is_own: true, parent_id: first }), expect.anything()],
    })
    expect(thread.comments[1]?.id).toBe(second)
    expect(await read(alice, await newQuestion())).toMatchObject({ count: 0, comments: [] })
  })

  test('a parent of another question, a wrong exam and an unknown question are refused', async () => {
    const { examId, questionIds } = await createExam(service.sql, { questions: [{}, {}] })
    const [one, other] = questionIds as [number, number]
    const alice = await service.person()
    const parent = await post(alice, one, 'here')
    const elsewhere = await alice.post(`${base}/${other}`, { message: 'x', parent_id: parent }, 400)
    expect(elsewhere.body).toMatchObject({ code: 'validation_failed', errors: [{ path: '/parent_id' }] })
    await alice.post(`${base}/${other}`, { message: 'x', exam_id: examId, parent_id: null }, 201)
    const both = { message: 'x', exam_id: examId + 1, parent_id: 999_999 }
    const refused = await alice.post(`${base}/${other}`, both, 400)
    expect(refused.body.errors?.map(({ path }) => path)).toEqual(['/exam_id', '/parent_id'])
    await alice.post(`${base}/${other}`, { message: ' ' }, 400)
    await alice.post(`${base}/${other}`, { message: '😀'.repeat(4_001) }, 400)
    await alice.post(`${base}/999999`, { message: 'x' }, 404)
    await alice.get(`${base}/999999`, 404)
    await service.guest().get(`${base}/${one}`, 401)
  })

  test('people edit and delete their own comments; administrators delete any', async () => {
    const questionId = await newQuestion()
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const id = await post(alice, questionId, 'first')
    await post(bob, questionId, 'reply', id)

    expect((await bob.patch(`${base}/comments/${id}`, { message: 'mine' }, 403)).body.code).toBe('not_owner')
    expect((await admin.patch(`${base}/comments/${id}`, { message: 'mine' }, 403)).body.code).toBe(
      'not_owner',
    )
    expect((await bob.delete(`${base}/comments/${id}`, 403)).body.code).toBe('not_owner')
    const edited = await alice.patch(`${base}/comments/${id}`, { message: 'better' }, 200)
    expect(edited.body.comment).toMatchObject({ message: 'better', is_edited: true, is_own: true })
    expect(outline([edited.body.comment])).toEqual(['better', ['reply']])

    await admin.delete(`${base}/comments/${id}`, 200)
    await alice.delete(`${base}/comments/${id}`, 404)
    await alice.patch(`${base}/comments/${id}`, { message: 'again' }, 404)
    await alice.patch(`${base}/comments/999999`, { message: 'again' }, 404)
  })

  test('a deleted comment with replies stays as a tombstone until the last reply is deleted', async () => {
    const questionId = await newQuestion()
    const alice = await service.person()
    const root = await post(alice, questionId, 'root')
    const middle = await post(alice, questionId, 'middle', root)
    const leaf = await post(alice, questionId, 'leaf', middle)
    await admin.post(`${base}/comments/${middle}/pin`, {}, 200)

    await alice.delete(`${base}/comments/${middle}`, 200)
    const kept = await read(alice, questionId)
    expect(kept).toMatchObject({ count: 2, outline: ['root', ['', ['leaf']]] })
    expect(kept.comments[0]?.replies[0]).toMatchObject({ is_deleted: true, is_pinned: false, message: '' })
    await admin.post(`${base}/comments/${middle}/pin`, {}, 404)

    await alice.delete(`${base}/comments/${leaf}`, 200)
    expect(await read(alice, questionId)).toMatchObject({ count: 1, outline: ['root'] })
    await alice.delete(`${base}/comments/${root}`, 200)
    expect(await read(alice, questionId)).toMatchObject({ count: 0, outline: [] })
  })

  test('no reply is lost when the comment it replies to is deleted at the same time', async () => {
    const questionId = await newQuestion()
    const alice = await service.person()
    const parents = await Promise.all(Array.from({ length: 15 }, (_, n) => post(alice, questionId, `p${n}`)))
    const answers = await Promise.all(
      parents.flatMap((parent) => [
        alice.post(`${base}/${questionId}`, { message: 'reply', parent_id: parent }),
        alice.delete(`${base}/comments/${parent}`),
      ]),
    )
    const stored = answers.filter(({ status }) => status === 201).length
    expect(answers.every(({ status }) => [200, 201, 400].includes(status))).toBe(true)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(15)
    const thread = await read(alice, questionId)
    expect(thread.count).toBe(stored)
    expect(thread.outline).toEqual(Array.from({ length: stored }, () => ['', ['reply']]).flat())
  })

  test('deleting the last reply deletes any number of tombstones above it, and no other', async () => {
    const alice = await service.person()
    const questionId = await newQuestion()
    const [root, kept] = [await post(alice, questionId, 'root'), await post(alice, questionId, 'kept')]
    await post(alice, questionId, 'reply of the kept one', kept)
    await alice.delete(`${base}/comments/${kept}`, 200)
    const depth = 10_000
    const [{ last } = {}] = await service.sql`
      with inserted as (
        insert into comments (id, question_id, parent_id, author_id, message, deleted_at)
        select 1000000 + n, ${questionId}, case when n = 1 then ${kept} else 1000000 + n - 1 end, ${alice.id}, '', now()
          from generate_series(1, ${depth}::int) n returning id)
      select max(id) as last from inserted`
    const bob = await service.person()
    const leaf = await post(bob, questionId, 'leaf', last)
    const started = performance.now()
    await bob.delete(`${base}/comments/${leaf}`, 200)
    expect(performance.now() - started).toBeLessThan(5_000)
    const left =
      await service.sql`select id, message from comments where question_id = ${questionId} order by id`
    expect(left.map(({ message }) => message)).toEqual(['root', '', 'reply of the kept one'])
    expect(left[0]?.id).toBe(root)
  })

  test('counts cover every question that was asked for, without tombstones', async () => {
    const { questionIds } = await createExam(service.sql, { questions: [{}, {}] })
    const [one, other] = questionIds as [number, number]
    const alice = await service.person()
    const root = await post(alice, one, 'root')
    await post(alice, one, 'reply', root)
    await alice.delete(`${base}/comments/${root}`, 200)
    const { body } = await alice.post(`${base}/counts`, { question_ids: [one, other, 999_999] }, 200)
    expect(body).toEqual({ success: true, counts: { [one]: 1, [other]: 0, 999999: 0 } })
    const ids = Array.from({ length: 101 }, (_, n) => n + 1)
    await alice.post(`${base}/counts`, { question_ids: ids }, 400)
    const most = await alice.post(`${base}/counts`, { question_ids: ids.slice(1) }, 200)
    expect(Object.keys(most.body.counts)).toHaveLength(100)
    expect((await alice.post(`${base}/counts`, { question_ids: [] }, 200)).body.counts).toEqual({})
  })

  test('pinned comments come first, then the best answer; both are toggled or set', async () => {
    const questionId = await newQuestion()
    const alice = await service.person()
    const ids = []
    for (const message of ['a', 'b', 'c', 'd']) ids.push(await post(alice, questionId, message))
    const [, b, c, d] = ids
    const pin = `${base}/comments/${d}/pin` as const
    expect((await admin.post(pin, {}, 200)).body).toEqual({ success: true, is_pinned: true })
    expect((await admin.post(pin, { is_pinned: true }, 200)).body.is_pinned).toBe(true)
    const mark = (id: number | undefined, body = {}) =>
      admin.post(`${base}/comments/${id}/best-answer`, body, 200)
    expect((await mark(b)).body).toEqual({ success: true, is_best_answer: true })
    expect((await mark(c)).body.is_best_answer).toBe(true)
    const thread = await read(alice, questionId)
    expect(thread.outline).toEqual(['d', 'c', 'a', 'b'])
    expect(thread.comments.map((each) => each.is_best_answer)).toEqual([false, true, false, false])
    expect((await mark(c, { is_best_answer: true })).body.is_best_answer).toBe(true)
    expect((await mark(c)).body.is_best_answer).toBe(false)
    expect((await admin.post(pin, {}, 200)).body.is_pinned).toBe(false)
    expect((await read(alice, questionId)).outline).toEqual(['a', 'b', 'c', 'd'])

    expect((await alice.post(pin, {}, 403)).body.code).toBe('admin_required')
    await alice.post(`${base}/comments/${c}/best-answer`, {}, 403)
    await service.guest().post(pin, {}, 401)
    await admin.post(`${base}/comments/999999/best-answer`, {}, 404)
  })

  test('20 best answers marked at once leave one', async () => {
    const questionId = await newQuestion()
    const alice = await service.person()
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => post(alice, questionId, `c${n}`)))
    await Promise.all(
      ids.map((id) => admin.post(`${base}/comments/${id}/best-answer`, { is_best_answer: true }, 200)),
    )
    const { comments } = await read(alice, questionId)
    expect(comments.filter((each) => each.is_best_answer)).toHaveLength(1)
  })

  test('a deleted account leaves its comments to the ghost; a deleted question deletes them', async () => {
    const questionId = await newQuestion()
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const root = await post(alice, questionId, 'root')
    await post(bob, questionId, 'reply', root)
    await service.sql`delete from users where id = ${alice.id}`
    const thread = await read(bob, questionId)
    expect(thread.outline).toEqual(['root', ['reply']])
    expect(thread.comments[0]).toMatchObject({ username: 'Deleted Account', user_id: -1, is_own: false })
    await service.sql`delete from questions where id = ${questionId}`
    await bob.get(`${base}/${questionId}`, 404)
    expect(await service.sql`select id from comments where question_id = ${questionId}`).toEqual([])
  })

  test('take 500 comments of one person, tombstones included', async () => {
    const [questionId, other] = [await newQuestion(), await newQuestion()]
    const [alice, bob] = [await service.person(), await service.person()]
    await service.sql`
      insert into comments (question_id, author_id, message, deleted_at)
      select ${questionId}, ${alice.id}, 'again', case when n % 2 = 0 then now() end from generate_series(1, 499) n`
    const last = await post(alice, questionId, 'the last one')
    const { body } = await alice.post(`${base}/${questionId}`, { message: 'one too many' }, 409)
    expect(body).toMatchObject({ success: false, code: 'too_many' })
    await post(bob, questionId, 'mine')
    await post(alice, other, 'elsewhere')
    await alice.delete(`${base}/comments/${last}`, 200)
    await post(alice, questionId, 'in its place')
  })

  test('a chain of 20,000 replies is answered whole', async () => {
    const questionId = await newQuestion()
    const alice = await service.person()
    await service.sql`
      with recursive first as (
        select nextval('comments_id_seq')::int + 1 as id, setval('comments_id_seq', nextval('comments_id_seq') + 20000)
      )
      insert into comments (id, question_id, parent_id, author_id, message)
      select first.id + n, ${questionId}, case when n > 0 then first.id + n - 1 end, ${alice.id}, 'm' || n
        from first, generate_series(0, 19999) n order by n`
    const { body } = await alice.get(`${base}/${questionId}`, 200)
    let depth = 0
    for (let comment = body.comments[0]; comment; comment = comment.replies[0]) depth += 1
    expect([body.count, depth]).toEqual([20_000, 20_000])
  })
})

describe('the limit of posts', () => {
  const nodeCount = inject('redisUrl') ? 2 : 1
  test(`stores one of 20 at once by one person on ${nodeCount} node(s), and refuses the others with 429`, async () => {
    const slow = await withService({ nodes: nodeCount, config: { discussions: { postIntervalMs: 10_000 } } })
    const questionId = (await createExam(slow.sql)).questionIds[0] as number
    const alice = await slow.person()
    const everywhere = slow.urls.map((url) => alice.at(url))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (everywhere[n % everywhere.length] as Client).post(`${base}/${questionId}`, { message: `post ${n}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(19)
    expect(refused[0]?.body).toMatchObject({ success: false, code: 'rate_limited', retry_after: 10 })
    expect(refused[0]?.headers.get('retry-after')).toBe('10')
    expect((await alice.get(`${base}/${questionId}`, 200)).body.count).toBe(1)
  })

  test('does not count refused posts', async () => {
    let now = Date.now()
    const slow = await withService({
      config: { discussions: { postIntervalMs: 10_000 } },
      clock: () => now,
    })
    const questionId = (await createExam(slow.sql)).questionIds[0] as number
    const [alice, bob] = await Promise.all([slow.person(), slow.person()])
    await alice.post(`${base}/999999`, { message: 'x' }, 404)
    await alice.post(`${base}/${questionId}`, { message: 'x', parent_id: 999_999 }, 400)
    await alice.post(`${base}/${questionId}`, { message: '' }, 400)
    await alice.post(`${base}/${questionId}`, { message: 'first' }, 201)
    await bob.post(`${base}/${questionId}`, { message: 'another person' }, 201)
    now += 9_000
    expect((await alice.post(`${base}/${questionId}`, { message: 'soon' }, 429)).body.retry_after).toBe(1)
    now += 1_001
    await alice.post(`${base}/${questionId}`, { message: 'second' }, 201)
  })
})

describe('subscribers of a question', () => {
  test('get every change, each with their own is_own', async () => {
    const questionId = await newQuestion()
    const [alice, bob] = await Promise.all([service.person(), service.person()])
    const [hers, his] = await Promise.all([alice.socket(), bob.socket()])
    for (const socket of [hers, his]) await socket.ask({ type: 'subscribe', topic: `question:${questionId}` })

    const { body } = await alice.post(`${base}/${questionId}`, { message: 'hello' }, 201)
    const { id } = body.comment
    const frame = { type: 'comment', question_id: questionId, action: 'created', comment: body.comment }
    expect(await hers.waitFor(({ type }) => type === 'comment')).toEqual(frame)
    const received = await his.waitFor(({ type }) => type === 'comment')
    expect(received).toEqual({ ...frame, comment: { ...body.comment, is_own: false } })

    const other = await post(bob, questionId, 'other')
    await alice.patch(`${base}/comments/${id}`, { message: 'hello all' }, 200)
    await admin.post(`${base}/comments/${id}/pin`, {}, 200)
    await admin.post(`${base}/comments/${id}/best-answer`, {}, 200)
    await admin.post(`${base}/comments/${other}/best-answer`, {}, 200)
    await alice.delete(`${base}/comments/${id}`, 200)
    await his.until(() => his.of('comment').length >= 8)
    const { replies: _, ...entry } = body.comment
    const now = { ...entry, is_own: false, message: 'hello all', is_edited: true }
    expect(his.of('comment').slice(2)).toEqual([
      { ...frame, action: 'edited', comment: now },
      { ...frame, action: 'pinned', comment: { ...now, is_pinned: true } },
      { ...frame, action: 'best_answer', comment: { ...now, is_pinned: true, is_best_answer: true } },
      { ...frame, action: 'best_answer', comment: { ...now, is_pinned: true } },
      {
        ...frame,
        action: 'best_answer',
        comment: expect.objectContaining({ id: other, is_own: true, is_best_answer: true }),
      },
      { ...frame, action: 'deleted', comment: { ...now, message: '', is_deleted: true } },
    ])
    expect(his.of('comment')[1]?.comment.is_own).toBe(true)
    expect(hers.of('comment')[1]?.comment.is_own).toBe(false)
  })

  test('get nothing of other questions, nor after they unsubscribed', async () => {
    const [one, other] = [await newQuestion(), await newQuestion()]
    const alice = await service.person()
    const socket = await alice.socket()
    await socket.ask({ type: 'subscribe', topic: `question:${one}` })
    await post(alice, other, 'elsewhere')
    await post(alice, one, 'here')
    await socket.waitFor(({ type }) => type === 'comment')
    await socket.ask({ type: 'unsubscribe', topic: `question:${one}` })
    await post(alice, one, 'unheard')
    await socket.ask({ type: 'subscribe', topic: `question:${one}` })
    await post(alice, one, 'heard')
    await socket.until(() => socket.of('comment').at(-1)?.comment.message === 'heard')
    expect(socket.of('comment').map(({ comment }) => comment.message)).toEqual(['here', 'heard'])
  })
})
