import { createHash, randomUUID } from 'node:crypto'
import path from 'node:path'
import { Readable } from 'node:stream'
import {
  type ExportedItem,
  type Image,
  isGift,
  isMoodle,
  isQti,
  type Question,
  writeGift,
  writeMoodleXml,
  writeQti,
} from '@exam-practice/exchange'
import type { Content } from '../../../../schemas/common.ts'
import type { Exchanged, ExportFormat, Tried } from '../../../../schemas/exchange.schemas.ts'
import type { QuestionFields } from '../../../../schemas/questions.schemas.ts'
import type { Actor } from '../../../actor.ts'
import type { Core } from '../../../core.ts'
import { AppError } from '../../../errors.ts'
import { slicesOf } from '../../../formats/slices.ts'
import { toZip } from '../../../formats/zip-stream.ts'
import { breaks } from '../../../scheduling/breaks.ts'
import type { Asker } from '../../../scheduling/fair-queue.ts'
import { record } from '../../audit/audit.service.ts'
import { getExam } from '../../exams/exams.service.ts'
import { keepFile, putNewFile } from '../../uploads/discarded-uploads.ts'
import { checkImage, IMAGE_BYTES } from '../../uploads/images.ts'
import { isImageKey } from '../../uploads/upload-keys.ts'
import { type DrawTrials, drawTrials } from '../draw-trials.ts'
import { type ImportOptions, importRows } from '../import-copying.ts'
import { ImportReport } from '../import-report.ts'
import { checkQuestion, describeErrors } from '../question-checks.ts'
import { toFields, toValues } from '../question-mapping.ts'
import { findNamable, withKeysInForce } from '../questions.service.ts'
import { listOrder, listQuestionsById } from '../questions.store.ts'
import { writeCsv } from './csv-export.ts'
import { type ExchangeItem, type ExportedQuestion, toExported } from './exchange-mapping.ts'
import { type ExchangeFile, readFileItems } from './exchange-reader.ts'

/** Questions that a dry run shows. */
const MOST_SHOWN = 50

/** The result of reading a file. */
interface ImportOutcome {
  format: Exchanged['format']
  report: ImportReport
  questions: Tried['questions']
}

/**
 * Imports the questions of a file into an exam, all that can be or none: a file that can't be read to its end leaves
 * nothing behind. What can't be one of our questions is skipped and named. 404 without such an exam, 400 for a file
 * that can't be read or holds no questions, 413 past its limits. The same key again imports nothing and answers the
 * same.
 */
export async function importFile(
  core: Core,
  actor: Actor,
  asker: Asker,
  examId: number,
  input: ExchangeFile,
  { teacherId, ...options }: ImportOptions & { teacherId: number | undefined },
): Promise<Content<Exchanged>> {
  const namable = await findNamable(core.db, teacherId)
  const images = createImages(core, asker, namable)
  const outcome = startOutcome()
  async function* readRows() {
    await getExam(core, examId)
    for await (const { question, kept } of readQuestions(input, outcome, images.store, options.end, namable))
      yield toValues(examId, question, kept)
  }
  return importRows(core, { actor, examId }, options, readRows(), async (tx) => {
    for (const image of images.stored) await keepFile(tx, image)
    const { format, report } = outcome
    const summary = `${report.inserted} questions were imported (${format})`
    if (report.inserted > 0)
      await record(tx, actor, { action: 'question.import', subject: ['exam', examId], summary })
    return { format, ...report.toAnswer() }
  })
}

/** Reads a file as an import would, without storing anything, and answers the first questions as they would become. */
export async function tryFile(
  core: Core,
  asker: Asker,
  examId: number,
  input: ExchangeFile,
  end: AbortSignal,
): Promise<Content<Tried>> {
  await getExam(core, examId)
  const outcome = startOutcome()
  const check = async (image: Image) => {
    const checked = await checkFound(core, image, asker)
    return 'error' in checked ? checked : { key: null }
  }
  for await (const { question, hasImage, lost } of readQuestions(input, outcome, check, end))
    if (outcome.questions.length < MOST_SHOWN)
      outcome.questions.push({ ...question, has_image: hasImage, lost: [...lost] })
  const { format, report, questions } = outcome
  return { format, ...report.toAnswer(), questions }
}

function startOutcome(): ImportOutcome {
  return { format: 'csv', report: new ImportReport(), questions: [] }
}

/** Handles an image: answers its key, null in a dry run, or why it is refused. */
type TakeImage = (image: Image) => Promise<{ key: string | null } | { error: string }>

async function* readQuestions(
  input: ExchangeFile,
  outcome: ImportOutcome,
  take: TakeImage,
  end: AbortSignal,
  images?: ReadonlySet<string>,
): AsyncGenerator<{
  question: QuestionFields
  kept: Record<string, string> | undefined
  hasImage: boolean
  lost: readonly string[]
}> {
  const { report } = outcome
  const takeBreak = breaks()
  const trials = drawTrials()
  for await (const { format, item } of readFileItems(input, end)) {
    outcome.format = format
    if (!item) continue
    await takeBreak()
    if ('note' in item) {
      report.note(item.label, item.note)
      continue
    }
    const read = await readItem(item, trials, take, images)
    if ('reason' in read) report.skip(item.label, read.reason)
    else {
      report.inserted += 1
      const lost = 'question' in item ? (item.lost ?? []) : []
      for (const each of lost) report.note(item.label, each)
      yield { ...read, lost }
    }
  }
  // A CSV is recognised by its header, other formats only by their questions.
  if (outcome.format !== 'csv' && report.inserted + report.skipped === 0)
    throw new AppError('invalid_file', { message: 'The file holds no questions' })
}

function checkFound(core: Core, { name, bytes }: Image, asker: Asker) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return checkImage(core, path.posix.basename(name), buffer, IMAGE_BYTES, asker)
}

async function readItem(
  item: Exclude<ExchangeItem, { note: string }>,
  trials: DrawTrials,
  take: TakeImage,
  images: ReadonlySet<string> | undefined,
) {
  if ('reason' in item) return item
  const checked = checkQuestion(item.question, { anyImagePath: item.anyImagePath ?? false, images })
  if ('errors' in checked) return { reason: describeErrors(checked.errors) }
  const { question } = checked
  const trial = await trials.try(question)
  if (trial && 'errors' in trial) return { reason: describeErrors(trial.errors) }
  const kept = trial?.kept
  if (!item.image) return { question, kept, hasImage: false }
  const taken = await take(item.image)
  if ('error' in taken) return { reason: `its image: ${taken.error}` }
  return { question: { ...question, image_path: taken.key }, kept, hasImage: true }
}

/**
 * Stores the images of one file, equal ones only once. An image that is stored under its own key already stays there,
 * unless the importer may not name it: everybody who shares a key sees the image that replaces this one.
 */
function createImages(
  core: Core,
  asker: Asker,
  namable: ReadonlySet<string> | undefined,
): { store: TakeImage; stored: string[] } {
  const keys = new Map<string, string>()
  const stored: string[] = []
  return {
    stored,
    async store(image) {
      const checked = await checkFound(core, image, asker)
      if ('error' in checked) return checked
      const { bytes, contentType } = checked
      const hash = createHash('sha256').update(bytes).update(image.name).digest('base64')
      const known = keys.get(hash) ?? (await findStored(core, image.name, bytes, namable))
      const key = known ?? `Imported/${randomUUID()}${path.posix.extname(image.name).toLowerCase()}`
      keys.set(hash, key)
      if (known === undefined) {
        await putNewFile(core, key, bytes, contentType)
        stored.push(key)
      }
      return { key }
    },
  }
}

async function findStored(
  core: Core,
  name: string,
  bytes: Buffer,
  namable: ReadonlySet<string> | undefined,
): Promise<string | undefined> {
  const key = name.split('/').slice(-2).join('/')
  if (!isImageKey(key) || namable?.has(key) === false) return undefined
  return (await core.files.get(key))?.bytes.equals(bytes) ? key : undefined
}

export interface Download {
  /** Its name without the folder. */
  name: string
  contentType: string
  /** Questions that the format can't carry. */
  leftOut: number
  body: Readable
}

/**
 * The questions of an exam as a file, written as fast as it is read. It breaks off where `check` throws, as when its
 * reader may no longer have it. 404 without such an exam.
 */
export async function exportQuestions(
  core: Core,
  examId: number,
  format: ExportFormat,
  check: () => Promise<void>,
): Promise<Download> {
  await getExam(core, examId)
  const questions = streamQuestions(core, examId, check)
  const carries = CARRIED[format] ?? (() => true)
  const items = toItems(core, questions, carries)
  const leftOut = format === 'csv' ? 0 : await countOthers(streamQuestions(core, examId, check), carries)
  const name = `exam-${examId}`
  switch (format) {
    case 'csv':
      return {
        leftOut,
        name: `${name}.csv`,
        contentType: 'text/csv; charset=utf-8',
        body: Readable.from(writeCsv(questions)),
      }
    case 'gift':
      return {
        leftOut,
        name: `${name}.gift`,
        contentType: 'text/plain; charset=utf-8',
        body: Readable.from(writeGift(items)),
      }
    case 'moodle_xml':
      return {
        leftOut,
        name: `${name}.xml`,
        contentType: 'application/xml; charset=utf-8',
        body: Readable.from(writeMoodleXml(items)),
      }
    case 'qti':
    case 'qti3':
      return {
        leftOut,
        name: `${name}.zip`,
        contentType: 'application/zip',
        body: toZip(writeQti(format === 'qti' ? '2.1' : '3.0', items)),
      }
  }
}

/** What says whether a format, or the tool that it is for, has a form for a question; without it has one for each. */
const CARRIED: Partial<Record<ExportFormat, (question: Question) => boolean>> = {
  gift: isGift,
  moodle_xml: isMoodle,
  qti: isQti,
  qti3: isQti,
}

const PAGE = 200
/** Questions between two checks: with their images they can be megabytes. */
const CHECKED = 20

async function* streamQuestions(
  core: Core,
  examId: number,
  check: () => Promise<void>,
): AsyncGenerator<ExportedQuestion> {
  // The order as it is now: a question that moves meanwhile is neither missing nor there twice.
  for (const ids of slicesOf(await listOrder(core.db, examId), PAGE)) {
    const rows = await withKeysInForce(core.db, await listQuestionsById(core.db, ids))
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const [index, id] of ids.entries()) {
      if (index % CHECKED === 0) await check()
      const row = byId.get(id)
      if (row?.examId === examId) yield { id, exam_id: examId, kept: row.keptDraw, ...toFields(row) }
    }
  }
}

/** The questions that a format can carry, each with its image. */
async function* toItems(
  core: Core,
  questions: AsyncIterable<ExportedQuestion>,
  carries: (question: Question) => boolean,
): AsyncGenerator<ExportedItem> {
  for await (const question of questions) {
    const item = toExported(question)
    if (item && carries(item.question))
      yield { ...item, readImage: async () => await readImage(core, question) }
  }
}

async function readImage(
  core: Core,
  { image_path: key, image_alt: alt }: ExportedQuestion,
): Promise<Image | undefined> {
  const file = key !== null && isImageKey(key) ? await core.files.get(key) : undefined
  return file && { name: key as string, bytes: file.bytes, alt }
}

async function countOthers(
  questions: AsyncIterable<ExportedQuestion>,
  carries: (question: Question) => boolean,
): Promise<number> {
  let count = 0
  for await (const question of questions) {
    const item = toExported(question)
    if (!item || !carries(item.question)) count += 1
  }
  return count
}
