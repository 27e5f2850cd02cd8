import type { paths } from '../generated/openapi.ts'
import { jsonRequest, toJsonAnswer } from '../http/request.ts'
import type { Client } from '../index.ts'
import { Disconnected, Refused } from '../socket/errors.ts'

type AskOperation = paths['/api/v01/assistant/messages']['post']
export type Question = AskOperation['requestBody']['content']['application/json']
export type TutorAnswer = AskOperation['responses'][200]['content']['application/json']

export type TutorEvent =
  | { type: 'start'; conversation_id: number; title: string }
  | { type: 'delta'; text: string }
  | { type: 'done'; answer: TutorAnswer }

/**
 * Asks the study assistant, and yields its answer as it is written. Leaving the loop or aborting `signal` stops the
 * model; what it has written by then is stored. Throws `Refused` with a code of the service, and `Disconnected` if the
 * answer is cut off: without an error the last event is `done`.
 */
export async function* askTutor(
  client: Client,
  question: Question,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<TutorEvent, void, undefined> {
  const response = await client.fetch(
    jsonRequest('POST', `${client.baseUrl}/api/v01/assistant/messages`, question, {
      signal: signal ?? null,
      headers: { accept: 'text/event-stream' },
    }),
  )
  if (!response.ok) throw new Refused((await toJsonAnswer(response)).body)
  for await (const { event, data } of readEvents(response)) {
    if (event === 'error') throw new Refused(JSON.parse(data))
    if (event === 'done') {
      yield { type: 'done', answer: JSON.parse(data) }
      return
    }
    yield { type: event, ...JSON.parse(data) }
  }
  throw new Disconnected()
}

/** Reads server-sent events, as far as the service uses them. On platforms without streams all come at the end. */
async function* readEvents(response: Response): AsyncGenerator<{ event: string; data: string }> {
  let text = ''
  for await (const chunk of readText(response)) {
    text += chunk
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const lines of events) {
      const fields = new Map(
        lines
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      const event = fields.get('event')
      if (event) yield { event, data: fields.get('data') ?? '{}' }
    }
  }
}

async function* readText(response: Response): AsyncGenerator<string> {
  if (!response.body) {
    yield await response.text()
    return
  }
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        // What `fetch` calls a connection that broke.
        throw error instanceof TypeError ? new Disconnected() : error
      })
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
