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
import type { Ai, PdfPart, Prompt } from '../../adapters/ai.ts'
import type { StoredQuestion } from '../../db/tables/generation.tables.ts'
import { AppError } from '../../errors.ts'
import { BudgetExceeded, type WriteOptions } from '../ai-usage/ai-usage.service.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { checkQuestion, textOf } from '../questions/question-checks.ts'
import { BATCH_SIZE, countTypes, missingOf, sortByType, type TypeCounts, totalOf } from './batch-planning.ts'
import type { ExamTexts, KnownTexts } from './duplicates.ts'
import { draftsOf, SYSTEM, toMessages, toRewriting } from './generation-prompts.ts'
import { moveOptions } from './option-order.ts'
import type { Pages } from './sources.ts'

export const LARGEST_ANSWER_TOKENS = 16_000
/** The longest that one answer may take. */
const ANSWER_DEADLINE_MS = 600_000
/** A batch that failed is tried once more. */
const TRIES = 2
/** Retries of each request, if the model is overloaded or can't be reached. */
const RETRIES = 2

/** The model, which counts what a job takes. */
export type ModelOfJob = (
  use: 'writing' | 'checking',
  prompt: Prompt,
  options?: WriteOptions,
) => ReturnType<Ai['write']>

export interface JobMaterial {
  examId: number
  request: GenerationRequest
  pdf: PdfPart | undefined
  /** The text of the PDF; undefined where there is none, or it can't be read. */
  pages: Promise<Pages | undefined>
  /** What must not be repeated: the teacher's texts, and the job's own questions. */
  known: KnownTexts
  exam: {
    /** The newest texts of the exam's questions. */
    newest: () => Promise<string[]>
    /** All of them. */
    texts: ExamTexts
  }
  signal: AbortSignal
  log: FastifyBaseLogger
}

export interface BatchRequest {
  /** Questions of each type. undefined: any types, either the document's next questions or one batch of new ones. */
  wanted: TypeCounts | undefined
  /** Texts that the model is told of. */
  taken: readonly string[]
  /** Called before the model is asked, once there are tokens for it. */
  onStart: () => Promise<void>
  /** Whether fewer will do once the budget is spent: the job has waited for this batch before. */
  isLastChance: boolean
}

/**
 * Writes one batch of valid questions of the wanted types, without those that exist already. There can be fewer than
 * wanted: the model is asked twice at most. Throws `model_failed` if the last try failed and there are no questions,
 * and `BudgetExceeded` if it can't be asked.
 */
export async function writeBatch(
  write: ModelOfJob,
  material: JobMaterial,
  { wanted, taken: earlier, onStart, isLastChance }: BatchRequest,
): Promise<StoredQuestion[]> {
  const { request, pdf, signal } = material
  const questions: StoredQuestion[] = []
  // Extracting is content with one question, since the document may have no more; writing new ones fills the batch.
  const enough = request.mode === 'extract' ? 1 : BATCH_SIZE
  let failure: unknown
  for (let count = 1; count <= TRIES && !signal.aborted; count++) {
    const missing = wanted && missingOf(wanted, questions)
    const options = count === 1 ? { onReserved: onStart } : { waits: true }
    try {
      const taken = [...earlier, ...questions.map(({ question_text }) => question_text)]
      const drafts = await readDrafts(write, material, toMessages(request, pdf, missing, taken), options)
      failure = undefined
      for (const question of await accept(drafts, material)) {
        if (!isWanted(question, wanted, questions)) continue
        if (await material.known.take(question.question_text)) questions.push(question)
      }
      const isDone = wanted ? totalOf(missingOf(wanted, questions)) === 0 : questions.length >= enough
      const hasNoMore = request.mode === 'extract' && drafts.length === 0
      if (isDone || hasNoMore) break
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failure = error
      if (error instanceof BudgetExceeded) {
        if (isLastChance && questions.length > 0) break
        throw error
      }
    }
  }
  signal.throwIfAborted()
  if (failure !== undefined && questions.length === 0) throw failure
  return wanted ? sortByType(questions) : questions
}

/**
 * Has the disputed questions of a batch written anew, by one request. Each stands in the place of the one that it
 * replaces; what wasn't written anew stays.
 */
export async function rewriteDisputed(
  write: ModelOfJob,
  material: JobMaterial,
  questions: readonly StoredQuestion[],
  taken: readonly string[],
): Promise<StoredQuestion[]> {
  const { request, pdf, signal, log } = material
  const disputed = questions.filter(({ check }) => check?.verdict === 'disputed')
  const ownTexts = new Set(disputed.map(({ question_text }) => question_text))
  let written: StoredQuestion[] = []
  try {
    const wanted = countTypes(disputed.map(({ question_type }) => question_type))
    const others = taken.filter((text) => !ownTexts.has(text))
    const drafts = await readDrafts(write, material, toRewriting(request, pdf, disputed, wanted, others), {
      waits: true,
    })
    written = await accept(drafts, material)
  } catch (error) {
    signal.throwIfAborted()
    log.info({ err: error }, 'disputed questions could not be written anew')
  }
  const left = new Set(disputed)
  const replacements = new Map<StoredQuestion, StoredQuestion>()
  for (const question of written) {
    const ofType = [...left].filter(({ question_type }) => question_type === question.question_type)
    // The same text with another key belongs in its own place.
    const isSame = ({ question_text }: StoredQuestion) => question_text === question.question_text
    for (const replaced of [...ofType.filter(isSame), ...ofType.filter((each) => !isSame(each))]) {
      if (!(await material.known.take(question.question_text, new Set([replaced.question_text])))) continue
      left.delete(replaced)
      replacements.set(replaced, question)
      break
    }
  }
  return questions.map((question) => replacements.get(question) ?? question)
}

/**
 * Accepts more than the schema that the model gets: not every server enforces that schema, and `checkQuestion` checks
 * each question afterwards.
 */
const answers = Compile(Type.Object({ questions: Type.Array(OfferedQuestion) }))

async function readDrafts(
  write: ModelOfJob,
  { request, signal, log }: JobMaterial,
  messages: Prompt['messages'],
  options: WriteOptions = {},
): Promise<OfferedQuestion[]> {
  const prompt = {
    system: SYSTEM,
    messages,
    schema: draftsOf(request),
    maxTokens: LARGEST_ANSWER_TOKENS,
    deadlineMs: ANSWER_DEADLINE_MS,
    retries: RETRIES,
    signal,
    log,
  }
  const writing = write('writing', prompt, options)
  let text = ''
  for await (const part of writing) if ('text' in part) text += part.text
  const answer = parse(text)
  if (answers.Check(answer)) return answer.questions
  throw new AppError('model_failed', { message: 'The model’s answer has the wrong form' })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The drafts that are valid questions and not in the exam already, as they are to be kept. */
async function accept(
  drafts: readonly OfferedQuestion[],
  { examId, request, exam, pages }: JobMaterial,
): Promise<StoredQuestion[]> {
  const valid = drafts.flatMap((draft) => {
    const question = toQuestion(draft, examId, request)
    return question ? [{ draft, question }] : []
  })
  if (valid.length === 0) return []
  const texts = valid.map(({ question }) => question.question_text)
  const repeated = await exam.texts.findRepeated(texts)
  const found = await pages
  return valid
    .filter(({ question }) => !repeated.has(question.question_text))
    .map(({ draft, question }) => {
      const { page, quote } = draft as { page?: unknown; quote?: unknown }
      const stays = request.mode === 'extract' || request.older
      const placed = stays ? question : moveOptions(question)
      return { ...placed, source: found?.find(page, quote) ?? null }
    })
}

/** The question with its exam and marks; undefined if it has no text, no key or too few options. */
function toQuestion(
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
    image_alt: '',
    positive_marks: marks[type].positive,
    negative_marks: marks[type].negative,
    tolerance: marks[type].tolerance,
    variables: [],
    conditions: [],
  })
  if (!('question' in checked)) return undefined
  const { variables: _, conditions: _none, ...question } = checked.question
  if (question.question_text === '' || question.correct_answer === '') return undefined
  if (hasOptions(type) && !offersAChoice(question)) return undefined
  return {
    id: null,
    exam_id: examId,
    ...question,
    tolerance: Number(question.tolerance),
    question_type: type,
  }
}

function hasOptions(type: GeneratedType): boolean {
  return kindOf(type).letters({ ...NO_OPTIONS, more_options: [] }) !== null
}

const NO_OPTIONS = { option_a: '', option_b: '', option_c: '', option_d: '' }

/** Whether there are two or more options, all different, with the right ones among them. */
function offersAChoice({
  option_a,
  option_b,
  option_c,
  option_d,
  correct_answer,
}: Omit<QuestionFields, 'variables' | 'conditions'>): boolean {
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
