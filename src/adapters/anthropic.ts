import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { Stream } from '@anthropic-ai/sdk/core/streaming'
import { AppError } from '../errors.ts'
import { toStorable } from '../formats/storable.ts'
import { model as measured } from '../telemetry/metrics.ts'
import { beginSpan } from '../telemetry/spans.ts'
import type { Ai, Prompt, PromptPart, Usage } from './ai.ts'

export interface AiOptions {
  apiKey: string | undefined
  baseUrl: string | undefined
  model: string
  /** undefined: the same one. */
  checkModel?: string | undefined
  /** The longest that the model may say nothing, in milliseconds. */
  silenceMs: number
}

/** Roughly, in most languages. */
const CHARACTERS_PER_TOKEN = 4

/** A model behind any server that speaks the Messages API. */
export function createAi({ apiKey, baseUrl, model: usual, checkModel = usual, silenceMs }: AiOptions): Ai {
  const client = new Anthropic({
    // The SDK requires a key, local models don't.
    apiKey: apiKey ?? 'none',
    baseURL: baseUrl ?? null,
    timeout: silenceMs,
    // The SDK's own log lines would contain the messages.
    logLevel: 'off',
    openTelemetry: false,
  })

  async function* write(prompt: Prompt) {
    const model = prompt.model ?? usual
    const stop = new AbortController()
    const signal = AbortSignal.any([prompt.signal, stop.signal, AbortSignal.timeout(prompt.deadlineMs)])
    const usage: Usage = { input: 0, cached: 0, output: 0 }
    let watchdog: NodeJS.Timeout | undefined
    let requestId: string | null = null
    let stopReason: string | null = null
    let written = 0
    let outcome: 'answered' | 'failed' | 'stopped' = 'stopped'
    const begun = performance.now()
    const span = beginSpan('chat', { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model })
    try {
      const request = { ...toRequest(prompt), model, stream: true as const }
      const response = await client.messages
        .create(request, { signal, maxRetries: prompt.retries, body: await toBody(request, prompt) })
        .asResponse()
      requestId = response.headers.get('request-id')
      watchdog = setTimeout(() => stop.abort(), silenceMs)
      // Raw events: while a model thinks, `ping` is its only sign of life, and the parsed events leave that out.
      for await (const { data } of Stream.rawEvents(response, stop)) {
        watchdog.refresh()
        const event = readEvent(data, response)
        if (event?.type === 'message_start') noteUsage(usage, event.message.usage)
        else if (event?.type === 'message_delta') {
          noteUsage(usage, event.usage)
          stopReason = event.delta.stop_reason
        } else if (event?.type === 'content_block_delta' && event.delta.type === 'text_delta') {
          written += event.delta.text.length
          yield { text: toStorable(event.delta.text) }
        }
      }
      // The tokens of an answer that failed are reported too.
      if (stopReason !== null && stopReason !== 'end_turn') yield { usage }
      if (stopReason !== 'end_turn')
        throw new AppError('model_failed', {
          message: INCOMPLETE[stopReason ?? ''] ?? 'The answer broke off',
        })
      outcome = 'answered'
      prompt.log.info({ model, model_request_id: requestId, tokens: usage }, 'the model answered')
      yield { usage }
    } catch (error) {
      if (prompt.signal.aborted) {
        const { reason } = prompt.signal
        throw reason instanceof AppError ? reason : new AppError('aborted')
      }
      outcome = 'failed'
      prompt.log.warn(
        { model, stop_reason: stopReason, ...describeFailure(error, requestId) },
        'the model failed',
      )
      throw toModelFailure(error)
    } finally {
      clearTimeout(watchdog)
      // A complete answer has ended by itself, and aborting is costly.
      if (outcome !== 'answered') stop.abort()
      // The model says at the end how much it wrote: it may not have come to that, and some never say it.
      if (stopReason === null || usage.output === 0)
        usage.output = Math.max(usage.output, Math.ceil(written / CHARACTERS_PER_TOKEN))
      prompt.onUsage?.(usage)
      measured.calls.inc({ outcome })
      span?.end({
        failed: outcome === 'failed',
        attributes: {
          'gen_ai.usage.input_tokens': usage.input + usage.cached,
          'gen_ai.usage.output_tokens': usage.output,
        },
      })
      measured.seconds.observe((performance.now() - begun) / 1_000)
      for (const kind of ['input', 'cached', 'output'] as const) measured.tokens.inc({ kind }, usage[kind])
    }
  }
  return { model: usual, checkModel, write }
}

const INCOMPLETE: Record<string, string> = {
  max_tokens: 'The answer grew too long',
  model_context_window_exceeded: 'The conversation grew too long for the model',
  refusal: 'The model declined to answer',
}

function toRequest({ system, messages, maxTokens, schema }: Prompt) {
  return {
    max_tokens: maxTokens,
    system,
    messages: messages.map(({ role, parts }) => ({ role, content: parts.map(toBlock) })),
    ...(schema ? { output_config: { format: { type: 'json_schema' as const, schema: { ...schema } } } } : {}),
  }
}

function toBlock(part: PromptPart): Anthropic.ContentBlockParam {
  if (typeof part === 'string') return { type: 'text', text: part }
  return {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: PLACE },
    cache_control: { type: 'ephemeral' },
  }
}

/** Stands for the next PDF in a request. Nobody else can write it there. */
const PLACE = randomUUID()
/** Bytes of a PDF that are written at once, a multiple of three. */
const PIECE = 3 * 256 * 1024

/** The request as JSON. PDFs can be large, so they are written in pieces, beside other work. */
async function toBody(request: object, { messages }: Prompt): Promise<Blob> {
  const pdfs = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (typeof part === 'string' ? [] : [part.pdf])),
  )
  const body: (string | Blob)[] = []
  for (const text of JSON.stringify(request).split(PLACE)) {
    body.push(text)
    const pdf = pdfs.shift()
    for (let at = 0; pdf && at < pdf.length; at += PIECE) {
      body.push(new Blob([pdf.toString('base64', at, at + PIECE)]))
      await setImmediate()
    }
  }
  return new Blob(body, { type: 'application/json' })
}

/** undefined for events without content. Throws what the model reports as a failure. */
function readEvent(data: string, response: Response): Anthropic.RawMessageStreamEvent | undefined {
  if (data === '') return undefined
  const event = JSON.parse(data)
  if (event.type === 'error')
    throw new APIError(undefined, event, undefined, response.headers, event.error?.type ?? null)
  return event
}

/** The counts in the stream are totals so far. Tokens that are written to the cache cost like any other input. */
function noteUsage(usage: Usage, told: Anthropic.Usage | Anthropic.MessageDeltaUsage | undefined): void {
  if (told?.input_tokens != null) usage.input = told.input_tokens + (told.cache_creation_input_tokens ?? 0)
  usage.cached = told?.cache_read_input_tokens ?? usage.cached
  usage.output = told?.output_tokens ?? usage.output
}

/** What an operator needs to find the cause, without any part of the conversation. */
function describeFailure(error: unknown, requestId: string | null | undefined) {
  if (!(error instanceof APIError)) return { model_request_id: requestId, failure: nameOf(error) }
  return {
    model_request_id: error.requestID ?? requestId,
    model_status: error.status,
    failure: error.type ?? nameOf(error),
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error
}

function toModelFailure(error: unknown): AppError {
  if (error instanceof AppError) return error
  const seconds = error instanceof APIError ? Number(error.headers?.get('retry-after')) : Number.NaN
  return new AppError('model_failed', seconds > 0 ? { retryAfter: seconds } : {})
}
