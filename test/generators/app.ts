// An app that uses the generated clients. It is compiled beside them, then run: node app.js URL
import createFetchClient from 'openapi-fetch'
import { client } from './hey-api/client.gen.js'
import * as api from './hey-api/sdk.gen.js'
import type { Exam, GenerateForm, Message, PaperQuestion } from './hey-api/types.gen.js'
import type { components, paths } from './paths.js'

const baseUrl = process.argv[2] as string
const name = () => `g${Math.random().toString(36).slice(2, 12)}`

/** A form that questions are made from: its file is typed by both generators. */
const form = { mode: 'extract' as const, exam_id: 1, pdf_file: new Blob(['%PDF-1.7']) }
export const forms = {
  heyApi: form satisfies GenerateForm,
  openapiTypescript: form satisfies components['schemas']['GenerateForm'],
}

async function withHeyApi() {
  client.setConfig({ baseUrl })
  const account = { username: name(), password: 'a password of the generators' }
  const registered = await api.register({ body: { ...account, email: `${account.username}@example.org` } })
  if (!registered.data) throw new Error(JSON.stringify(registered.error))
  client.setConfig({ auth: registered.data.data.access_token })
  const { data } = await api.listExams({ query: { page: 1 } })
  const exams: Exam[] = data?.exams ?? []
  const missing = await api.getExam({ path: { exam_id: 999_999 } })
  const code = missing.error?.code
  if (code === 'not_found')
    return {
      exams: exams.length,
      code,
      title: (await api.createNotebook({ body: { title: 'Scraps' } })).data?.notebook.title,
    }
  // @ts-expect-error this operation has no such code
  if (code === 'rate_limit') throw new Error('unreachable')
  throw new Error(`unexpected: ${code}`)
}

async function withOpenapiTypescript() {
  const client = createFetchClient<paths>({ baseUrl })
  const username = name()
  const { data, error } = await client.POST('/api/v01/auth/register', {
    body: { username, email: `${username}@example.org`, password: 'a password of the generators' },
  })
  if (!data) throw new Error(error.code)
  const headers = { authorization: `Bearer ${data.data.access_token}` }
  const { data: list } = await client.GET('/api/v01/exams', { headers })
  const exams: components['schemas']['Exam'][] = list?.exams ?? []
  const { error: refused } = await client.POST('/api/v01/chat/conversations/{id}/messages', {
    headers,
    params: { path: { id: 999_999 } },
    body: { message: 'hello' },
  })
  // @ts-expect-error the text of a message is no number
  const wrong: components['schemas']['NewMessage'] = { message: 17 }
  void wrong
  return { exams: exams.length, code: refused?.code }
}

/** Named types, as apps use them in their own code. */
export type Screen = { message: Message; question: PaperQuestion }

console.log(JSON.stringify({ heyApi: await withHeyApi(), openapiTypescript: await withOpenapiTypescript() }))
