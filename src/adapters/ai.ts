import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.ts'

/** Tokens as they are billed: `input` is without what was `cached`, that is, read from the provider's cache. */
export interface Usage {
  input: number
  cached: number
  output: number
}

/** `pages` are those of the document, as far as they can be counted. */
export type PdfPart = { pdf: Buffer; pages: number }
export type PromptPart = string | PdfPart

export interface Prompt {
  /** Instructions for the model. Only the service itself writes here. */
  system: string
  messages: { role: 'user' | 'assistant'; parts: PromptPart[] }[]
  maxTokens: number
  /** Another model than the usual one. */
  model?: string
  /** Makes the answer JSON of this shape. Ranges, lengths and patterns are not enforced. */
  schema?: object
  /** The longest that the whole answer may take. */
  deadlineMs: number
  /** How often to try again while nothing of an answer has come. */
  retries: number
  signal: AbortSignal
  log: FastifyBaseLogger
  /** Told once, at the end, what it took, as far as that is known: also of an answer that failed or that nobody read on. */
  onUsage?: (usage: Usage) => void
}

export interface Ai {
  readonly model: string
  /** The model that checks what the other one wrote. */
  readonly checkModel: string
  /**
   * The answer while the model writes it and, last, the tokens that it took. When the reader stops, so does the
   * model. Throws `aborted`, or the signal's own AppError, when the signal aborts, and `model_failed` if the answer
   * is not complete; where the model itself ended it, after the tokens.
   */
  write(prompt: Prompt): AsyncIterable<{ text: string } | { usage: Usage }>
}

/** The model, or 503 `not_configured`. */
export function requireAi({ ai }: { ai: Ai | undefined }): Ai {
  if (ai) return ai
  throw new AppError('not_configured', {
    // Students read it too.
    message:
      'There is no model here yet. Whoever runs this service sets ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a model of their own.',
  })
}

/** The tags of all prompts, between which stands what somebody else wrote. */
const TAGS = ['disputed', 'material', 'reviewed', 'student', 'taken', 'topic', 'wishes'] as const
const ANY_TAG = new RegExp(`<(?=[/\\s]*(?:${TAGS.join('|')}))`, 'gi')

/**
 * Marks text that somebody else wrote as data. The text can neither open nor close a mark of any kind, or a document or a
 * student could speak as the service, or as another one.
 */
export function asData(tag: (typeof TAGS)[number], text: string): string {
  return `<${tag}>\n${text.replaceAll(ANY_TAG, '‹')}\n</${tag}>`
}
