import {
  createClient,
  type Owner,
  type ServerFrame,
  type StorageState,
  type Store,
} from '@exam-practice/client'
import { createChat, type RoomMessage } from '@exam-practice/client/chat'
import { openExam } from '@exam-practice/client/exam'
import { withProgress } from '@exam-practice/client/files'
import { memoryStore } from '@exam-practice/client/memory'
import { node } from '@exam-practice/client/node'
import { Outbox } from '@exam-practice/client/outbox'
import { watchDiscussion, watchJob } from '@exam-practice/client/topics'
import { askTutor } from '@exam-practice/client/tutor'

const client = createClient({ baseUrl: 'https://exams.example.org', platform: node() })

export async function use(): Promise<void> {
  const { data, error } = await client.GET('/api/v01/exams/{exam_id}', { params: { path: { exam_id: 7 } } })
  const name: string | undefined = data?.exam.name
  const code: 'not_found' | undefined = error?.code === 'not_found' ? error.code : undefined
  const chat = createChat(client)
  chat.room(1).$messages.subscribe((messages: readonly RoomMessage[]) => messages.map(({ key }) => key))
  const { clientId: sent, storage }: { clientId: string; storage: StorageState } = await chat.send(1, 'hello')
  const { exam } = await openExam(client, 7)
  const kept: StorageState | undefined = await exam?.answer(1, ['A', 'C'])
  const user = await client.session.ready
  for await (const event of askTutor(client, { message: 'Why?' }))
    if (event.type === 'delta') event.text.trim()
  watchJob(client, 'id').$value.get().data?.percent.toFixed()
  watchDiscussion(client, 7).close()
  const upload = withProgress(client, (bytes) => bytes.toFixed())
  const own: Store = memoryStore()
  client.live.listen((frame: ServerFrame) => frame.type === 'message' && frame.message.seq)
  const outbox = new Outbox<string>(client, client.session.owner() as Owner, {
    name: 'likes',
    lane: (id) => id,
    change: (id, key) => ({ method: 'POST', path: `likes/${id}`, body: { key } }),
    isSettled: () => true,
  })
  await outbox.add('7')
  console.log(name, code, sent, storage, kept, user?.username, upload, own)
}

export async function misuse(): Promise<void> {
  // @ts-expect-error: no such operation
  await client.GET('/api/v01/exam')
  // @ts-expect-error: its parameter is missing
  await client.GET('/api/v01/exams/{exam_id}')
  // @ts-expect-error: another body is meant
  await client.POST('/api/v01/chat/connections', { body: { recipient: 7 } })
  const { error } = await client.GET('/api/v01/auth/me')
  // @ts-expect-error: never answered there
  if (error?.code === 'attempts_exhausted') return
  // @ts-expect-error: a text is meant
  await createChat(client).send(1, 7)
  // @ts-expect-error: an answer is a text, texts or null
  await (await openExam(client, 7)).exam?.answer(1, 7)
  // @ts-expect-error: a platform has to be handed over
  createClient({ baseUrl: '' })
  // @ts-expect-error: no such frame
  client.live.post({ type: 'shout' })
  // @ts-expect-error: a password is missing
  await client.session.login({ username: 'alice' })
}
