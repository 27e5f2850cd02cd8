import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { indexMessages } from '../../src/features/chat/search/message-words.service.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { form } from '../support/content/forms.ts'
import { connect, connectedPair, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const CHAT = '/api/v01/chat'

async function search(person: Client, q: string, more = '') {
  const path = `${CHAT}/search?q=${encodeURIComponent(q)}${more}` as `${typeof CHAT}/search`
  return (await person.get(path, 200)).body
}
const found = async (person: Client, q: string, more = '') =>
  (await search(person, q, more)).messages.map(({ message }) => message)

async function say(from: Client, conversationId: number, ...texts: string[]): Promise<number[]> {
  const ids: number[] = []
  for (const text of texts) ids.push((await from.send(conversationId, text, undefined, 201)).body.message.id)
  return ids
}

async function index(): Promise<void> {
  for (const { core } of service.nodes) await indexMessages(core)
}

test('before anybody has written anything, nothing is found', async () => {
  const { alice } = await connectedPair(service)
  expect(await search(alice, 'anything')).toMatchObject({ messages: [], has_more: false })
})

/** Both ways of finding: before the index has followed, and after. */
const BOTH = [
  ['before the index has followed', async () => {}],
  ['by the index', index],
] as const

describe.each(BOTH)('%s', (_, settle) => {
  test.each([
    ['photo', 'Photosynthesis', [[0, 5]]],
    ['PHOTOSYNTHESIS', 'about photosynthesis!', [[6, 14]]],
    [
      'is photo',
      'Photosynthesis is green',
      [
        [0, 5],
        [15, 2],
      ],
    ],
    ['ecole', 'L’École', [[2, 5]]],
    ['cafe\u0301', 'at the CAFÉ', [[7, 4]]],
    ['strasse', 'Straße 5', [[0, 6]]],
    ['soren', '👋🏽 Søren', [[3, 5]]],
    ['istanbul', 'İSTANBUL', [[0, 8]]],
    ['微分', '求微分方程', [[1, 2]]],
    ['程', '求微分方程', [[4, 1]]],
    ['か', 'ここか', [[2, 1]]],
    ['บ้าน', 'อยู่ในบ้าน', [[6, 4]]],
    ['한', '한국어', [[0, 1]]],
    ['мир', 'Вой́на и мир', [[9, 3]]],
    [
      'a & b | !c:* "x',
      'x a b c',
      [
        [0, 1],
        [2, 1],
        [4, 1],
        [6, 1],
      ],
    ],
    [
      "o'neil\\",
      "O'Neil",
      [
        [0, 1],
        [2, 4],
      ],
    ],
    ['2', 'in 2026', [[3, 1]]],
  ])('%s is found in %s', async (q, text, matches) => {
    const { alice, bob, conversationId } = await connectedPair(service)
    await say(bob, conversationId, 'nothing of it', text)
    await settle()
    const { messages, has_more } = await search(alice, q)
    expect(messages.map(({ message }) => message)).toEqual([text])
    expect(messages[0]?.matches).toEqual(matches)
    expect(has_more).toBe(false)
  })

  test.each([
    ['synthesis', 'photosynthesis'],
    ['photo is', 'photosynthesis is green'],
    ['か', 'が'],
    ['微方', '求微分方程'],
    ['微分程', '微分 分程 微程'],
    ['cell wall', 'cell'],
    ['%', '100 %'],
    ['_', 'a_b'],
    ['🎉', '🎉'],
  ])('%s is not found in %s', async (q, text) => {
    const { alice, conversationId } = await connectedPair(service)
    await say(alice, conversationId, text)
    await settle()
    expect(await search(alice, q)).toEqual({ success: true, messages: [], has_more: false })
  })

  test('thousands of marks on one character keep nobody’s messages out of the index', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const carl = await service.person()
    const other = await connect(alice, carl)
    for (const letter of ['か', 'a'])
      await say(alice, conversationId, `${letter}${'\u3099'.repeat(3_000)} sun`)
    await say(alice, other, 'sunrise')
    await settle()
    expect((await found(bob, 'sun')).length).toBe(2)
    expect((await found(bob, 'が')).length).toBe(1)
    expect((await found(carl, 'sunrise')).length).toBe(1)
  })

  test('names of files are searched, beside the text', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const path = `${CHAT}/conversations/${conversationId}/attachments` as const
    const file = form({}, { field: 'file', name: 'Skript Thermodynamik.txt', bytes: 'x' })
    const { attachment } = (await alice.request('POST', path, file, 201)).body
    const body = { message: 'for monday', attachment_ids: [attachment.id] }
    await alice.post(`${CHAT}/conversations/${conversationId}/messages`, body, 201)
    await settle()
    for (const q of ['thermo', 'monday skript', 'TXT']) {
      const { messages } = await search(bob, q)
      expect(messages).toMatchObject([{ message: 'for monday', attachments: [{ id: attachment.id }] }])
      expect(messages[0]?.matches).toEqual(q.includes('monday') ? [[4, 6]] : [])
    }
  })

  test('an edit is found by its new text alone, a deleted message not at all', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const [edited, deleted] = await say(alice, conversationId, 'zirconium one', 'zirconium two')
    await settle()
    await alice.patch(`${CHAT}/messages/${edited}`, { message: 'beryllium one' }, 200)
    await alice.delete(`${CHAT}/messages/${deleted}`, 200)
    expect(await found(bob, 'zirconium')).toEqual([])
    expect(await found(bob, 'beryllium')).toEqual(['beryllium one'])
    await settle()
    expect(await found(bob, 'zirconium')).toEqual([])
    expect(await found(bob, 'beryllium')).toEqual(['beryllium one'])
  })

  test('one finds what one may read, without the people whom one has blocked', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const carol = await service.person()
    const withCarol = await connect(alice, carol)
    const { conv_id } = (
      await alice.post(`${CHAT}/groups`, { name: 'Physics', member_ids: [bob.id, carol.id] }, 201)
    ).body
    await say(bob, conversationId, 'entropy to alice')
    await say(carol, withCarol, 'entropy from carol')
    await say(bob, conv_id, 'entropy for all')
    await settle()
    expect(await found(alice, 'entropy')).toEqual([
      'entropy for all',
      'entropy from carol',
      'entropy to alice',
    ])
    expect(await found(bob, 'entropy')).toEqual(['entropy for all', 'entropy to alice'])
    expect(await found(alice, 'entropy', `&from_user_id=${carol.id}`)).toEqual(['entropy from carol'])
    expect(await found(alice, 'entropy', `&conversation_id=${conv_id}`)).toEqual(['entropy for all'])
    const { messages } = await search(carol, 'entropy')
    expect(messages).toMatchObject([
      { conversation_id: conv_id, conversation_name: 'Physics', sender_id: bob.id, is_own: false },
      { conversation_id: withCarol, conversation_name: alice.username, is_own: true },
    ])
    await bob.get(`${CHAT}/search?q=entropy&conversation_id=${withCarol}` as `${typeof CHAT}/search`, 404)
    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    expect(await found(alice, 'entropy')).toEqual(['entropy from carol'])
    expect(await found(bob, 'entropy')).toEqual(['entropy for all', 'entropy to alice'])
    await alice.delete(`${CHAT}/groups/${conv_id}/members/${carol.id}`, 200)
    expect(await found(carol, 'entropy')).toEqual(['entropy from carol'])
  })

  test('pages by `before` neither skip nor repeat', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const ids: number[] = []
    for (let round = 0; round < 5; round++) {
      ids.push(
        ...(await say(alice, conversationId, `quark ${round}`)),
        ...(await say(bob, conversationId, 'a quark, too')),
      )
      if (round === 2) await settle()
    }
    const seen: number[] = []
    for (let before = 2_147_483_647, more = true; more; ) {
      const page = await search(bob, 'quark', `&limit=3&before=${before}`)
      seen.push(...page.messages.map(({ id }) => id))
      more = page.has_more
      before = seen.at(-1) ?? 0
    }
    expect(seen).toEqual(ids.reverse())
  })
})

test('reads, edits and erased accounts keep index and messages equal', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const [id] = await say(alice, conversationId, 'tungsten')
  await index()
  await bob.put(
    `${CHAT}/conversations/${conversationId}/messages/${id}/reactions/${encodeURIComponent('👍')}`,
    {},
    200,
  )
  expect(await found(bob, 'tungsten')).toEqual(['tungsten'])
  await index()
  const { messages } = await search(bob, 'tungsten')
  expect(messages).toMatchObject([{ reactions: [{ emoji: '👍', mine: true }] }])
  await alice.delete('/api/v01/account', 200, { confirm: 'DELETE' })
  await expect.poll(async () => (await search(bob, 'tungsten')).messages[0]?.sender_id).toBe(-1)
  const rows = await service.sql`select words::text from message_words where message_id = ${id ?? 0}`
  expect(rows.map(({ words }) => words)).toEqual([`'${conversationId}:tungsten'`])
})

test('of many messages the newest with the words are found, however many there are', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const { sql } = service
  await sql`
    insert into messages (conversation_id, seq, version, sender_id, message, created_at)
    select ${conversationId}, n, n, ${alice.id},
           concat('common ', case when n % 50 = 0 then 'rare ' end, case when n < 1500 then 'old ' end, n),
           now() - (10000 - n) * interval '1 s'
      from generate_series(1, 9000) n`
  await sql`update conversations set last_seq = 9000, version = 9000 where id = ${conversationId}`
  await index()
  const last = async (q: string) =>
    (await found(bob, q, '&limit=2')).map((text) => Number(text.split(' ').at(-1)))
  expect(await last('common')).toEqual([9000, 8999])
  expect(await last('common rare')).toEqual([9000, 8950])
  expect(await last('old')).toEqual([1499, 1498])
  expect(await last('old rare')).toEqual([1450, 1400])
  expect(await last('common absent')).toEqual([])
})

test('bad input is refused, and nobody finds anything while an exam locks help', async () => {
  const { alice } = await connectedPair(service)
  for (const query of [
    '',
    'q=',
    `q=${'x'.repeat(201)}`,
    'q=a&before=x',
    'q=a&limit=0',
    'q=a&from_user_id=-1',
  ])
    await alice.get(`${CHAT}/search?${query}` as `${typeof CHAT}/search`, 400)
  await alice.get(`${CHAT}/search?q=a&conversation_id=999999` as `${typeof CHAT}/search`, 404)
  const { examId } = await createExam(service.sql, { lock_help: true, duration_minutes: 60 })
  await alice.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await alice.get(`${CHAT}/search?q=a`, 403)
})

/** Messages that the index has not followed, each with one text of many words. */
async function fill(conversationId: number, senderId: number, count: number): Promise<void> {
  const { sql } = service
  await sql`
    insert into messages (conversation_id, seq, version, sender_id, message, created_at)
    select ${conversationId}, n, n, ${senderId}, ${'a '.repeat(2_000)}, now() from generate_series(1, ${count}::int) n`
  await sql`update conversations set last_seq = ${count}, version = ${count} where id = ${conversationId}`
}

describe('searches that go through many texts', () => {
  /** As often as it fits, so that each word of it could be compared with each word of a text. */
  const oneWord = 'a '.repeat(99)

  test('a word that is asked for and there very often is told of a hundred times', async () => {
    const { alice, conversationId } = await connectedPair(service)
    await say(alice, conversationId, 'a '.repeat(2_000))
    for (const q of [oneWord, 'a']) {
      const { messages } = await search(alice, q)
      expect(messages[0]?.matches).toEqual(Array.from({ length: 100 }, (_, n) => [2 * n, 1]))
    }
    await say(alice, conversationId, 'あ'.repeat(4_000))
    expect((await search(alice, 'ああ あ')).messages[0]?.matches).toEqual([[0, 4_000]])
  })

  test('of very many words the first ones and the last one have to be there', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const words = Array.from({ length: 50 }, (_, n) => `w${n}`)
    await say(alice, conversationId, [...words.slice(0, 31), words.at(-1)].join(' '))
    expect((await search(alice, words.join(' '))).messages).toHaveLength(1)
    expect((await search(alice, ['absent', ...words].join(' '))).messages).toHaveLength(0)
  })

  test('others are answered while they run', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    await fill(conversationId, alice.id, 500)
    let isOver = false
    const searching = search(alice, `${oneWord}zz`).then(({ messages }) => {
      isOver = true
      expect(messages).toEqual([])
    })
    let answered = 0
    for (; !isOver; answered++) await bob.get(`${CHAT}/unread`, 200)
    await searching
    expect(answered).toBeGreaterThan(10)
  })

  test('they end when their asker hangs up, who gets the next answer before others have theirs', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    await fill(conversationId, alice.id, 1_000)
    let isBobsOver = false
    const path = `${CHAT}/search?q=${encodeURIComponent(`${oneWord}zz`)}` as const
    const bobs = bob.fetch('GET', path).finally(() => {
      isBobsOver = true
    })
    const hangUp = new AbortController()
    const alices = alice.fetch('GET', path, { signal: hangUp.signal }).catch(() => {})
    const begun = async () =>
      (
        await service.sql`
          select from pg_stat_activity
           where datname = current_database() and state like 'idle in transaction%' and query like '%conversation.name%'`
      ).length
    await expect.poll(begun).toBe(2)
    hangUp.abort()
    await alices
    await search(alice, 'a', '&before=1')
    expect(isBobsOver).toBe(false)
    await bobs
  })
})
