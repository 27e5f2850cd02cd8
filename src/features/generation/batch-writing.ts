import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  GENERATED_TYPES,
  type GeneratedQuestion,
  type GeneratedType,
  type GenerationRequest,
} from '../../../schemas/generation.schemas.ts'
import { OfferedQuestion, type QuestionFields } from '../../../schemas/questions.schemas.ts'
import type { Ai, Usage } from '../../adapters/ai.ts'
import { AppError } from '../../errors.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { checkQuestion, textOf } from '../questions/question-checks.ts'
import { BATCH_SIZE, missingOf, sortByType, type TypeCounts, totalOf } from './batch-planning.ts'
import { KnownTexts } from './duplicates.ts'
import { Drafts, SYSTEM, toMessages } from './generation-prompts.ts'

const LARGEST_ANSWER_TOKENS = 16_000
/** The longest that one answer may take. */
const ANSWER_DEADLINE_MS = 600_000
/** A batch that failed is tried once more. */
const TRIES = 2
/** Retries of each request, if the model is overloaded or can't be reached. */
const RETRIES = 2

export interface GeneratedBatch {
  questions: GeneratedQuestion[]
  usage: Usage
}

export interface BatchRequest {
  examId: number
  request: GenerationRequest
  pdf: Buffer | undefined
  /** Questions of each type. undefined: any types, either the document's next questions or one batch of new ones. */
  wanted: TypeCounts | undefined
  /** Texts of earlier batches. */
  taken: readonly string[]
  signal: AbortSignal
  log: FastifyBaseLogger
}

/**
 * Writes one batch of valid questions of the wanted types, without those that exist already. There can be fewer than
 * wanted: the model is asked twice at most. Throws `model_failed` if the last try failed and there are no questions.
 */
export async function writeBatch(ai: Ai, options: BatchRequest): Promise<GeneratedBatch> {
  const { examId, request, wanted } = options
  const earlier = [...request.excludedTexts, ...options.taken]
  const known = new KnownTexts()
  await known.add(earlier)
  const questions: GeneratedQuestion[] = []
  const usage: Usage = { input: 0, cached: 0, output: 0 }
  // Extracting is content with one question, since the document may have no more; writing new ones fills the batch.
  const enough = request.mode === 'extract' ? 1 : BATCH_SIZE
  let failure: unknown
  for (let count = 1; count <= TRIES && !options.signal.aborted; count++) {
    const missing = wanted && missingOf(wanted, questions)
    try {
      const taken = [...earlier, ...questions.map(({ question_text }) => question_text)]
      const drafts = await readDrafts(ai, usage, options, missing, taken)
      failure = undefined
      for (const draft of drafts) {
        const question = accept(draft, examId, request)
        if (!question || !isWanted(question, wanted, questions)) continue
        if (await known.has(question.question_text)) continue
        await known.add([question.question_text])
        questions.push(question)
      }
      const isDone = wanted ? totalOf(missingOf(wanted, questions)) === 0 : questions.length >= enough
      const hasNoMore = request.mode === 'extract' && drafts.length === 0
      if (isDone || hasNoMore) break
    } catch (error) {
      failure = error
    }
  }
  options.signal.throwIfAborted()
  if (failure !== undefined && questions.length === 0) throw failure
  return { questions: wanted ? sortByType(questions) : questions, usage }
}

/**
 * Accepts more than the schema that the model gets: not every server enforces that schema, and `checkQuestion` checks
 * each question afterwards.
 */
const answers = Compile(Type.Object({ questions: Type.Array(OfferedQuestion) }))

async function readDrafts(
  ai: Ai,
  usage: Usage,
  { request, pdf, signal, log }: BatchRequest,
  missing: TypeCounts | undefined,
  taken: readonly string[],
): Promise<OfferedQuestion[]> {
  const writing = ai.write({
    system: SYSTEM,
    messages: toMessages(request, pdf, missing, taken),
    schema: Drafts,
    maxTokens: LARGEST_ANSWER_TOKENS,
    deadlineMs: ANSWER_DEADLINE_MS,
    retries: RETRIES,
    signal,
    log,
  })
  let text = ''
  for await (const part of writing) {
    if ('usage' in part) addUsage(usage, part.usage)
    else text += part.text
  }
  const answer = parse(text)
  if (answers.Check(answer)) return answer.questions
  throw new AppError('model_failed', { message: 'The model’s answer has the wrong form' })
}

function addUsage(sum: Usage, { input, cached, output }: Usage): void {
  sum.input += input
  sum.cached += cached
  sum.output += output
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The question with its exam and marks; undefined if it has no text, no key or too few options. */
function accept(
  draft: OfferedQuestion,
  examId: number,
  { marks }: GenerationRequest,
): GeneratedQuestion | undefined {
  const type = GENERATED_TYPES.find((each) => each === textOf(draft.question_type).toUpperCase())
  if (type === undefined) return undefined
  const checked = checkQuestion({
    ...draft,
    ...(hasOptions(type) ? {} : NO_OPTIONS),
    more_options: [],
    parts: null,
    tags: [],
    image_path: null,
    positive_marks: marks[type].positive,
    negative_marks: marks[type].negative,
    tolerance: marks[type].tolerance,
  })
  if (!('question' in checked)) return undefined
  const { question } = checked
  if (question.question_text === '' || question.correct_answer === '') return undefined
  if (hasOptions(type) && !offersAChoice(question)) return undefined
  return { id: null, exam_id: examId, ...question, question_type: type }
}

function hasOptions(type: GeneratedType): boolean {
  return kindOf(type).letters({ ...NO_OPTIONS, more_options: [] }) !== null
}

const NO_OPTIONS = { option_a: '', option_b: '', option_c: '', option_d: '' }

/** Whether there are two or more options, all different, with the right ones among them. */
function offersAChoice({ option_a, option_b, option_c, option_d, correct_answer }: QuestionFields): boolean {
  const options = new Map(Object.entries({ A: option_a, B: option_b, C: option_c, D: option_d }))
  const given = [...options.values()].filter((option) => option !== '')
  const isRightGiven = correct_answer.split(',').every((letter) => options.get(letter) !== '')
  return given.length >= 2 && new Set(given).size === given.length && isRightGiven
}

/** False once there are enough questions of its type. */
function isWanted(
  { question_type }: GeneratedQuestion,
  wanted: TypeCounts | undefined,
  questions: readonly GeneratedQuestion[],
): boolean {
  return wanted ? missingOf(wanted, questions)[question_type] > 0 : questions.length < BATCH_SIZE
}
