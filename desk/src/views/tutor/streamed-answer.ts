import { client, Refusal } from '../../client.ts'

interface EventHandlers {
  start?: (conversation: { conversation_id: number; title: string }) => void
  delta: (text: string) => void
}

/** The last event. */
interface FinishedAnswer {
  response: string
  conversation_id: number
  title: string
  questions_remaining: number
}

/** Asks the tutor and passes on its answer as it is written. Throws a `Refusal`. */
export async function askTutor(
  message: string,
  conversationId: number | undefined,
  { start, delta }: EventHandlers,
  signal: AbortSignal,
): Promise<FinishedAnswer> {
  const response = await client.fetch(
    new Request(`${client.baseUrl}/api/v01/assistant/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({
        message,
        ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
      }),
      signal,
    }),
  )
  if (!response.ok || !response.body) throw new Refusal(await response.json(), response.status)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (true) {
    const { value, done } = await reader.read()
    if (done) throw new Refusal({ code: 'cut_off', message: 'The answer was cut off. Ask again.' }, 502)
    text += value
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const name = /^event: ?(.*)$/m.exec(event)?.[1]
      const data = JSON.parse(
        [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n') || 'null',
      )
      if (name === 'start') start?.(data)
      if (name === 'delta') delta(data.text)
      if (name === 'error') throw new Refusal(data, 502)
      if (name === 'done') return data
    }
  }
}
