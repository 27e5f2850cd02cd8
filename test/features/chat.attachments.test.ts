import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { hugePng, makeImage } from '../support/content/images.ts'
import { connect, connectedPair, type SharedService, sharedService } from '../support/service.ts'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})

const CHAT = '/api/v01/chat'

async function upload(
  person: Client,
  conversationId: number,
  bytes: Uint8Array | string,
  name = 'a.png',
  status = 201,
) {
  const path = `${CHAT}/conversations/${conversationId}/attachments` as const
  return person.request('POST', path, form({}, { field: 'file', name, bytes }), status)
}

async function sendFiles(
  person: Client,
  conversationId: number,
  attachment_ids: number[],
  more: object = {},
) {
  const path = `${CHAT}/conversations/${conversationId}/messages` as const
  return person.post(path, { message: '', attachment_ids, ...more })
}

/** What a browser gets. */
async function open(person: Client, url: string) {
  const answer = await person.fetch('GET', url)
  return { headers: answer.headers, status: answer.status, bytes: new Uint8Array(await answer.arrayBuffer()) }
}

const keysOf = (id: number) =>
  service.sql`select file_key, thumbnail_key from attachments where id = ${id}`.then(([row]) => row)

async function expectGone(...keys: string[]): Promise<void> {
  await expect
    .poll(() => Promise.all(keys.map((key) => service.nodes[0]?.core.files.find(key))))
    .toEqual(keys.map(() => undefined))
}

describe('a file', () => {
  test('is uploaded, sent without a text, and shown to the members alone', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const stranger = await service.person()
    const his = await bob.socket()
    const { body } = await upload(alice, conversationId, await makeImage('png', { width: 900, height: 300 }))
    const { attachment } = body
    expect(attachment).toMatchObject({ name: 'a.png', type: 'image/png', width: 900, height: 300 })
    await bob.get(`${CHAT}/attachments/${attachment.id}`, 404)

    const sent = await sendFiles(alice, conversationId, [attachment.id])
    expect(sent.status).toBe(201)
    expect(sent.body.message).toMatchObject({ message: '', attachments: [attachment], mentions: [] })
    const frame = await his.waitFor(({ type }) => type === 'message')
    expect(frame.message.attachments).toEqual([attachment])
    const { attachment: seen } = (await bob.get(`${CHAT}/attachments/${attachment.id}`, 200)).body
    expect(seen).toEqual(attachment)
    await stranger.get(`${CHAT}/attachments/${attachment.id}`, 404)
    const list = await bob.get(`${CHAT}/conversations`, 200)
    expect(list.body.conversations[0]?.last_message).toMatchObject({ message: '', attachments: 1 })

    const file = await open(bob, attachment.url)
    expect(file.status).toBe(200)
    expect(file.headers.get('content-type')).toBe('image/png')
    expect(file.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''a.png")
    expect(file.headers.get('content-security-policy')).toContain('sandbox')
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
    expect(file.bytes).toHaveLength(attachment.size)
    const preview = await sharp((await open(bob, attachment.thumbnail_url ?? '')).bytes).metadata()
    expect(preview).toMatchObject({ format: 'webp', width: 400, height: 133 })
  })

  test('loses what a camera wrote into it and keeps its turn and its animation', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const photo = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
      .withExif({ IFD0: { Copyright: 'secret' }, IFD3: { GPSLatitudeRef: 'N' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const { attachment } = (await upload(alice, conversationId, photo, 'photo.jpg')).body
    expect(attachment).toMatchObject({ type: 'image/jpeg', width: 20, height: 40 })
    const { bytes } = await open(alice, attachment.url)
    const metadata = await sharp(bytes).metadata()
    expect([metadata.exif, metadata.orientation]).toEqual([undefined, undefined])

    for (const format of ['gif', 'webp'] as const) {
      const raw = Buffer.alloc(8 * 8 * 3 * 5).map((_, at) => at % 251)
      const film = await sharp(raw, { raw: { width: 8, height: 40, channels: 3, pageHeight: 8 } })
        .toFormat(format, { loop: 0, delay: [100, 100, 100, 100, 100] })
        .toBuffer()
      const uploaded = (await upload(alice, conversationId, film, `film.${format}`)).body.attachment
      expect(uploaded).toMatchObject({ type: `image/${format}`, width: 8, height: 8 })
      const kept = await sharp((await open(alice, uploaded.url)).bytes, { animated: true }).metadata()
      expect(kept.pages).toBe(5)
    }
  })

  test.each([
    ['a text', 'notes.txt', 'hello', 'application/octet-stream', 'notes.txt'],
    ['HTML as PNG', 'cute.png', '<html><script>alert(1)</script>', 'application/octet-stream', 'cute.png'],
    ['a PDF under another name', 'a.png', '%PDF-1.7\n%âãÏÓ\n', 'application/pdf', 'a.png'],
    ['a path', '../../etc/x.txt', 'hello', 'application/octet-stream', 'x.txt'],
    ['a quotation', 'the "end" 100%.txt', 'hello', 'application/octet-stream', 'the "end" 100%.txt'],
    ['a name that turns', 'a\u202Egnp.exe', 'hello', 'application/octet-stream', 'agnp.exe'],
    ['dots', '..', 'hello', 'application/octet-stream', 'file'],
    ['a long name', `${'é'.repeat(300)}.tar`, 'x', 'application/octet-stream', `${'é'.repeat(196)}.tar`],
  ])('%s is kept as it is, and saved rather than shown', async (_case, name, bytes, type, shown) => {
    const { alice, conversationId } = await connectedPair(service)
    const { attachment } = (await upload(alice, conversationId, bytes, name)).body
    expect(attachment).toMatchObject({ name: shown, type, width: null, height: null, thumbnail_url: null })
    const file = await open(alice, attachment.url)
    expect(file.headers.get('content-type')).toBe(type)
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''/)
    expect(Buffer.from(file.bytes).toString()).toBe(bytes)
  })

  test('with too many pixels is a file without a preview', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const { attachment } = (await upload(alice, conversationId, hugePng(16_384, 16_384))).body
    expect(attachment).toMatchObject({ type: 'image/png', width: null, thumbnail_url: null })
    const { headers } = await open(alice, attachment.url)
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
  })

  test('has 1 byte to 25 MiB, and nobody uploads where they can’t send', {
    meta: { costly: 'sends files of 25 MiB' },
  }, async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const stranger = await service.person()
    await upload(alice, conversationId, '', 'empty.txt', 400)
    await alice.request('POST', `${CHAT}/conversations/${conversationId}/attachments`, form({ a: 1 }), 400)
    await upload(alice, conversationId, new Uint8Array(25 * 1024 * 1024), 'full.bin', 201)
    await upload(alice, conversationId, new Uint8Array(25 * 1024 * 1024 + 1), 'fuller.bin', 413)
    await upload(stranger, conversationId, 'x', 'a.txt', 404)
    await alice.put(`${CHAT}/blocks/${bob.id}`, {}, 200)
    await upload(bob, conversationId, 'x', 'a.txt', 403)
  })

  test('counts among the person’s files', async () => {
    const { alice, conversationId } = await connectedPair(service)
    await service.sql`
      insert into attachments (conversation_id, owner_id, name, content_type, size, file_key)
      values (${conversationId}, ${alice.id}, 'a', 'a/b', ${1024 ** 3 - 4_096}, ${randomUUID()})`
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        alice.request(
          'POST',
          `${CHAT}/conversations/${conversationId}/attachments`,
          form({}, { field: 'file', name: 'a', bytes: 'x' }),
        ),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe('sending files', () => {
  test('takes each one once: of twenty sends at once one has it', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const { id } = (await upload(alice, conversationId, 'x')).body.attachment
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendFiles(alice, conversationId, [id])),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status, body } of answers)
      if (status !== 201) expect(body).toMatchObject({ code: 'invalid_attachment' })
    const { messages } = (await alice.get(`${CHAT}/conversations/${conversationId}/messages`, 200)).body
    expect(messages).toHaveLength(1)
  })

  test('needs no text, neither by HTTP nor by the socket', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const path = `${CHAT}/conversations/${conversationId}/messages` as const
    const add = async () => (await upload(alice, conversationId, 'x')).body.attachment.id
    const { message } = (await alice.post(path, { attachment_ids: [await add()] }, 201)).body
    expect(message).toMatchObject({ message: '', attachments: [{ name: expect.any(String) }] })
    const socket = await alice.socket()
    const frame = { type: 'send', conversation_id: conversationId, attachment_ids: [await add()] }
    expect(await socket.ask(frame)).toMatchObject({ type: 'ack', message: { message: '' } })
    expect((await alice.post(path, { attachment_ids: [] }, 400)).body.errors).toEqual([
      { path: '/message', message: 'is required' },
    ])
  })

  test('keeps their order, and a repeated client_id answers the first message', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const ids: number[] = []
    for (const text of ['a', 'b', 'c'])
      ids.push((await upload(alice, conversationId, text)).body.attachment.id)
    const order = [ids[2], ids[0], ids[1]] as number[]
    const client_id = randomUUID()
    const first = await sendFiles(alice, conversationId, order, { client_id })
    expect(first.body.message.attachments.map(({ id }: { id: number }) => id)).toEqual(order)
    const again = await sendFiles(alice, conversationId, order, { client_id })
    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
  })

  test('needs one’s own files of this conversation', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const elsewhere = await connect(alice, await service.person())
    const mine = (await upload(alice, conversationId, 'x')).body.attachment.id
    const others = (await upload(alice, elsewhere, 'x')).body.attachment.id
    for (const [person, ids] of [
      [alice, [mine, others]],
      [bob, [mine]],
      [alice, [999_999]],
      [alice, [mine, mine]],
    ] as const)
      expect((await sendFiles(person, conversationId, [...ids])).body).toMatchObject({
        code: 'invalid_attachment',
      })
    expect((await sendFiles(alice, conversationId, [])).status).toBe(400)
    expect(
      (
        await sendFiles(
          alice,
          conversationId,
          Array.from({ length: 11 }, (_, n) => n + 1),
        )
      ).status,
    ).toBe(400)
    expect((await sendFiles(alice, conversationId, [mine])).status).toBe(201)
  })

  test('is too late after a day: the file is gone', async () => {
    const { alice, conversationId } = await connectedPair(service)
    const { id } = (await upload(alice, conversationId, await makeImage())).body.attachment
    const keys = await keysOf(id)
    await service.sql`update attachments set created_at = now() - interval '25 hours' where id = ${id}`
    expect((await sendFiles(alice, conversationId, [id])).body).toMatchObject({ code: 'attachment_gone' })
    const { expireUnsent } = await import('../../src/features/chat/messages/attachments.service.ts')
    const { sweepDiscardedFiles } = await import('../../src/features/uploads/discarded-uploads.ts')
    const core = service.nodes[0]?.core
    if (!core) throw new Error('no node')
    await expireUnsent(core)
    await sweepDiscardedFiles(core)
    await expectGone(keys?.file_key, keys?.thumbnail_key)
    expect((await sendFiles(alice, conversationId, [id])).body).toMatchObject({ code: 'attachment_gone' })
    await alice.get(`${CHAT}/attachments/${id}`, 404)
  })

  test('can be thought better of before, not after', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const first = (await upload(alice, conversationId, 'x')).body.attachment.id
    const keys = await keysOf(first)
    await alice.delete(`${CHAT}/attachments/${first}`, 200)
    await expectGone(keys?.file_key)
    const second = (await upload(alice, conversationId, 'x')).body.attachment.id
    await sendFiles(alice, conversationId, [second])
    expect((await alice.delete(`${CHAT}/attachments/${second}`, 409)).body.code).toBe('already_sent')
    expect((await bob.delete(`${CHAT}/attachments/${second}`, 403)).body.code).toBe('not_owner')
  })

  test('is deleted by one of many requests at once; to the others it is not there', async () => {
    const { alice, conversationId } = await connectedPair(service)
    for (let round = 0; round < 3; round++) {
      const { id } = (await upload(alice, conversationId, 'x')).body.attachment
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => alice.delete(`${CHAT}/attachments/${id}`)),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
    }
  })
})

describe('files of a message', () => {
  test('stay through an edit, and go with the message, unless an open report keeps them', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const admin = await service.admin()
    for (const isReported of [false, true]) {
      const { id } = (await upload(alice, conversationId, await makeImage())).body.attachment
      const keys = await keysOf(id)
      const message = (await sendFiles(alice, conversationId, [id])).body.message
      const edited = await alice.patch(`${CHAT}/messages/${message.id}`, { message: 'a caption' }, 200)
      expect(edited.body.message.attachments).toHaveLength(1)
      const report = isReported
        ? (await bob.post(`${CHAT}/messages/${message.id}/report`, { reason: 'bad' }, 201)).body.report_id
        : undefined
      await alice.delete(`${CHAT}/messages/${message.id}`, 200)
      await bob.get(`${CHAT}/attachments/${id}`, 404)
      if (report !== undefined) {
        const { reports } = (await admin.get('/api/v01/admin/reports?status=open', 200)).body
        const shown = reports
          .find((each) => each.id === report)
          ?.context.find(({ is_reported }) => is_reported)
        expect(shown?.attachments).toMatchObject([{ id, type: 'image/png' }])
        expect((await open(admin, shown?.attachments[0]?.url ?? '')).status).toBe(200)
        expect(await service.nodes[0]?.core.files.find(keys?.file_key)).toBeDefined()
        await admin.post(`/api/v01/admin/reports/${report}/resolve`, { action: 'dismiss' }, 200)
      }
      await expectGone(keys?.file_key, keys?.thumbnail_key)
    }
  })

  test('stay under the ghost when their sender’s account goes, unsent ones go', async () => {
    const { alice, bob, conversationId } = await connectedPair(service)
    const sent = (await upload(alice, conversationId, 'sent')).body.attachment
    const unsent = (await upload(alice, conversationId, 'unsent')).body.attachment
    const keys = await keysOf(unsent.id)
    await sendFiles(alice, conversationId, [sent.id])
    await alice.delete('/api/v01/account', 200, { confirm: 'DELETE' })
    await expect.poll(() => keysOf(unsent.id)).toBeUndefined()
    const { sweepDiscardedFiles } = await import('../../src/features/uploads/discarded-uploads.ts')
    if (service.nodes[0]) await sweepDiscardedFiles(service.nodes[0].core)
    await expectGone(keys?.file_key)
    const { attachment } = (await bob.get(`${CHAT}/attachments/${sent.id}`, 200)).body
    expect(Buffer.from((await open(bob, attachment.url)).bytes).toString()).toBe('sent')
  })
})
