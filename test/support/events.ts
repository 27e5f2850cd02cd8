import type { Static } from 'typebox'
import type { TutorEvent } from '../../schemas/assistant.schemas.ts'
import type { Client } from './client.ts'

export type ReceivedEvent = Static<typeof TutorEvent> & {
  /** Milliseconds since the request. */
  at: number
}

/** Requests server-sent events. Each is checked and yielded as it comes; `stop` hangs up. */
export async function requestEvents(client: Client, path: string, body: unknown) {
  const controller = new AbortController()
  const started = performance.now()
  const { signal } = controller
  const response = await client.fetch('POST', path, {
    body,
    signal,
    headers: { accept: 'text/event-stream' },
  })

  async function* read(): AsyncGenerator<ReceivedEvent> {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event = '', data = ''] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? []
        const received = { event, data: JSON.parse(data) }
        client.documented.checkEvent('POST', path, received)
        // Its form has just been checked.
        yield { ...received, at: performance.now() - started } as ReceivedEvent
      }
    }
  }
  return { response, events: read(), stop: () => controller.abort() }
}
