/**
 * A stand-in for a model, for development and tests: it speaks the Messages API on loopback, with streaming and
 * structured output, and invents its answers. Run `npm run model:stub`, then start the service with the address that it
 * prints as ANTHROPIC_BASE_URL.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a request is answered. */
export type Turn =
  /** Answers, with `pace` milliseconds between two pieces; waits for `until` after `hold` pieces. */
  | {
      kind: 'answer'
      text?: string | ((body: MessageRequest) => string)
      pace?: number
      hold?: number
      until?: Promise<unknown>
    }
  | { kind: 'status'; status: number; retryAfter?: number }
  /** Accepts the request and sends nothing; with `after` it sends the beginning of an answer first. */
  | { kind: 'hang'; after?: boolean }
  /** Drops the connection in the middle of the answer. */
  | { kind: 'cut' }
  /** Reports a failure in the middle of the answer. */
  | { kind: 'error_event' }
  | { kind: 'stop'; reason: 'refusal' | 'max_tokens' }

export interface MessageRequest {
  model: string
  max_tokens: number
  stream?: boolean
  system?: string
  messages: { role: string; content: string | { type: string; text?: string }[] }[]
  output_config?: { format?: { type: string; schema: object } }
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

export class ModelStub {
  /** The bodies of all requests so far, but for checks. */
  readonly requests: MessageRequest[] = []
  /** How the next requests are answered; later ones are answered as `usual`. */
  readonly script: Turn[] = []
  usual: Turn = { kind: 'answer' }
  /** The same for requests to answer questions without their keys. */
  readonly checks: MessageRequest[] = []
  readonly checkScript: Turn[] = []
  usualCheck: Turn = { kind: 'answer' }
  /** How many of ten questions get a wrong key. */
  mistakes = 0
  /** Whether questions that are written anew get the right one. */
  learns = true
  /** Whether it says what it took. */
  tellsUsage = true
  /** Answers whose reader hung up before the end. */
  aborted = 0
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #questions = 0
  /** What is right, by the text of each question that was written here. */
  readonly #right = new Map<string, { texts: string[]; value: string | null }>()

  async listen(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => {
      if (!response.writableFinished) this.aborted += 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.setHeader('request-id', `req_stub_${this.requests.length + this.checks.length + 1}`)
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') {
      refuse(response, 404)
      return
    }
    const body = JSON.parse(Buffer.concat(chunks).toString()) as MessageRequest
    const isCheck = readAsked(body) !== undefined
    ;(isCheck ? this.checks : this.requests).push(body)
    const turn = isCheck ? (this.checkScript.shift() ?? this.usualCheck) : (this.script.shift() ?? this.usual)
    if (turn.kind === 'status') refuse(response, turn.status, turn.retryAfter)
    else if (turn.kind === 'hang' && !turn.after) return
    else if (body.stream) await this.#stream(turn, body, response)
    else this.#answerWhole(turn, body, response)
  }

  async #stream(turn: Turn, body: MessageRequest, response: ServerResponse): Promise<void> {
    const send = (event: { type: string; [field: string]: unknown }) =>
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    const text = this.#textFor(turn, body)
    const usage = this.tellsUsage ? usageOf(body, text) : undefined
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    send({
      type: 'message_start',
      message: { ...messageOf(body), content: [], usage: usage && { ...usage, output_tokens: 1 } },
    })
    send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
    send({ type: 'ping' })
    const pieces = text.match(/.{1,24}/gsu) ?? []
    for (const [index, piece] of pieces.entries()) {
      if (turn.kind === 'answer' && index === turn.hold) await turn.until
      if (turn.kind === 'answer' && turn.pace) await sleep(turn.pace)
      if (response.destroyed) return
      send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } })
      if (turn.kind === 'hang') return
      if (turn.kind === 'cut') {
        await sleep(5)
        response.destroy()
        return
      }
      if (turn.kind === 'error_event') {
        send({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded (stub)' } })
        response.end()
        return
      }
    }
    const stop_reason = turn.kind === 'stop' ? turn.reason : 'end_turn'
    send({ type: 'content_block_stop', index: 0 })
    send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage })
    send({ type: 'message_stop' })
    response.end()
  }

  #answerWhole(turn: Turn, body: MessageRequest, response: ServerResponse): void {
    const text = this.#textFor(turn, body)
    const stop_reason = turn.kind === 'stop' ? turn.reason : 'end_turn'
    const message = {
      ...messageOf(body),
      content: [{ type: 'text', text }],
      stop_reason,
      usage: usageOf(body, text),
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
  }

  #textFor(turn: Turn, body: MessageRequest): string {
    const asked = readAsked(body)
    if (turn.kind === 'answer' && turn.text !== undefined) {
      const text = typeof turn.text === 'string' ? turn.text : turn.text(body)
      return asked ? text : this.#remember(text)
    }
    if (asked) return JSON.stringify({ answers: asked.map((question) => this.#answer(question)) })
    return body.output_config?.format ? this.#writeQuestions(body) : explain(lastText(body))
  }

  /** As many different questions as the last message asks for, or the next ones of an invented document. */
  #writeQuestions(body: MessageRequest): string {
    const last = lastText(body)
    const asked = [...last.matchAll(/(\d+) (MCQ|MSQ|NUMERIC)/g)]
    const mistakes = last.includes('<disputed>') && this.learns ? 0 : this.mistakes
    const questions =
      asked.length === 0
        ? nextOfDocument(last)
        : asked.flatMap(([, count, type]) =>
            Array.from({ length: Number(count) }, () => {
              this.#questions += 1
              return writeQuestion(
                type ?? 'MCQ',
                `Stub question ${this.#questions}: what is ${this.#questions} + 2?`,
                this.#questions + 2,
              )
            }),
          )
    const text = this.#remember(JSON.stringify({ questions }))
    if (mistakes === 0) return text
    const mistaken = questions.map((question, at) => (at % 10 < mistakes ? withWrongKey(question) : question))
    return JSON.stringify({ questions: mistaken })
  }

  /** Takes the keys of these questions for right. */
  #remember(text: string): string {
    for (const question of readQuestions(text)) {
      const { question_type, question_text, correct_answer } = question
      if (typeof question_text !== 'string') continue
      const letters =
        String(correct_answer ?? '')
          .toUpperCase()
          .match(/[A-D]/g) ?? []
      const texts = letters.map((letter) => String(question[`option_${letter.toLowerCase()}`] ?? '').trim())
      const right =
        question_type === 'NUMERIC' ? { texts: [], value: String(correct_answer) } : { texts, value: null }
      this.#right.set(question_text.trim(), right)
    }
    return text
  }

  #answer({ number, text, options = {} }: AskedQuestion) {
    const right = this.#right.get(text)
    if (!right)
      return {
        number,
        verdict: 'unclear',
        letters: [],
        texts: [],
        value: null,
        reason: 'The stub wrote no such question.',
      }
    const taken = Object.entries(options).filter(([, option]) => right.texts.includes(option))
    return {
      number,
      verdict: 'answered',
      letters: taken.map(([letter]) => letter),
      texts: taken.map(([, option]) => option),
      value: right.value === null ? null : Number(right.value),
      reason: 'The stub knows what it wrote.',
    }
  }
}

/** A question as it is asked in a check. */
export interface AskedQuestion {
  number: number
  type: string
  text: string
  options?: Record<string, string>
}

/** What a check asks; undefined for all other requests. */
export function readAsked(body: MessageRequest): AskedQuestion[] | undefined {
  const [, questions] = /<questions>(.*)<\/questions>/s.exec(lastText(body)) ?? []
  return questions === undefined ? undefined : JSON.parse(questions)
}

function readQuestions(text: string): Record<string, unknown>[] {
  try {
    const { questions } = JSON.parse(text)
    return Array.isArray(questions) ? questions : []
  } catch {
    return []
  }
}

/** The same question with the key of somebody who has miscalculated. */
function withWrongKey(question: ReturnType<typeof writeQuestion>) {
  const wrong = { MCQ: 'B', MSQ: 'B,D', NUMERIC: '-1' }[question.question_type]
  return { ...question, correct_answer: wrong ?? question.correct_answer }
}

/** The questions of the invented document. */
const DOCUMENT = Array.from(
  { length: 12 },
  (_, index) => `Document question ${index + 1}: what is ${index} + 7?`,
)

function nextOfDocument(taken: string) {
  return DOCUMENT.flatMap((text, index) =>
    taken.includes(text) ? [] : [writeQuestion('MCQ', text, index + 7)],
  ).slice(0, 10)
}

function writeQuestion(question_type: string, question_text: string, result: number) {
  const options = question_type === 'NUMERIC' ? ['', '', '', ''] : [0, 1, 2, 3].map((n) => `$${result + n}$`)
  const [option_a, option_b, option_c, option_d] = options
  const correct_answer = { MCQ: 'A', MSQ: 'A,C', NUMERIC: String(result) }[question_type]
  return { question_type, question_text, option_a, option_b, option_c, option_d, correct_answer }
}

function explain(question: string): string {
  const words = question
    .replace(/<\/?\w+>/g, '')
    .trim()
    .slice(0, 80)
  return `This is a made-up answer of the model stub to “${words}”.\n\nBy $a^2 + b^2 = c^2$ we get $$c = \\sqrt{9 + 16} = 5.$$\n[FINAL ANSWER] $5$`
}

function lastText({ messages }: MessageRequest): string {
  const content = messages.at(-1)?.content ?? ''
  if (typeof content === 'string') return content
  return content.flatMap(({ text }) => text ?? []).at(-1) ?? ''
}

function messageOf({ model }: MessageRequest) {
  return { id: 'msg_stub', type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null }
}

function usageOf(body: MessageRequest, text: string) {
  return {
    input_tokens: Math.ceil(JSON.stringify(body.messages).length / 4),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 7,
    output_tokens: Math.ceil(text.length / 4),
  }
}

function refuse(response: ServerResponse, status: number, retryAfter?: number): void {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  const error = { type: ERROR_TYPES[status] ?? 'api_error', message: `Status ${status} (stub)` }
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ type: 'error', error }))
}

if (process.argv[1] === import.meta.filename) {
  const stub = new ModelStub()
  stub.usual = { kind: 'answer', pace: 30 }
  stub.usualCheck = { kind: 'answer', pace: 30 }
  stub.mistakes = 2
  stub.learns = false
  const url = await stub.listen(Number(process.env.PORT ?? 4010))
  process.stdout.write(
    `STAND-IN for a model, not a real one. Start the service with it:\n\n  ANTHROPIC_BASE_URL=${url} npm start\n\n`,
  )
}
