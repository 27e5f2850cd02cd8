import type { RegradeBody, RegradeView } from '../../../schemas/regrades.schemas.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { keepExam, requireExam } from '../../db/exam-rows.ts'
import type { StoredDraws } from '../../db/tables/attempts.tables.ts'
import type { Regrade } from '../../db/tables/corrections.tables.ts'
import { GHOST_ID } from '../../db/tables/users.tables.ts'
import { AppError, invalidField } from '../../errors.ts'
import { slicesOf } from '../../formats/slices.ts'
import { listInForce, listKeysInForce, regradeAlone } from '../attempts/grading-lock.service.ts'
import { getPaper } from '../attempts/papers.service.ts'
import { type GradedQuestion, PREVIEWED } from '../attempts/regraded-questions.ts'
import { showsResults } from '../attempts/result-visibility.service.ts'
import { record } from '../audit/audit.service.ts'
import { inWords } from '../audit/audit-words.ts'
import { causeNotices } from '../notices/notices.service.ts'
import { causePushes } from '../push/push.service.ts'
import { tryQuestion } from '../questions/draw-trials.ts'
import { kindOf } from '../questions/kinds/kinds.ts'
import { checkQuestion, readTolerance } from '../questions/question-checks.ts'
import { invalidFieldsOf } from '../questions/questions.service.ts'
import { type RegradeOutcome, recompute } from './recomputing.service.ts'
import type { CorrectedQuestion } from './regrades.store.ts'
import * as store from './regrades.store.ts'

/** Regrades of an exam that are listed, the newest ones. */
const MOST_LISTED = 500
/** Attempts whose values a preview shows. */
const MOST_EXAMPLES = 5
/** Results in one event. */
const TOLD_AT_ONCE = 1_000

/** What a regrade would change, as of one instant; it changes nothing, and nobody waits for it. */
export async function previewRegrade(
  core: Core,
  actor: Actor,
  examId: number,
  input: RegradeBody,
): Promise<RegradeView> {
  const trials = await tryBefore(core, examId, input)
  return core.db.transaction(
    async (tx) => {
      const regrade = await readRegrade(tx, examId, input, trials)
      const inForce = [...(await listInForce(tx, examId)), regrade]
      const { results: _, ...outcome } = await recompute(
        core,
        tx,
        { examId, ...regrade },
        inForce,
        async () => {},
      )
      const names = await store.listUsernames(tx, [actor.id ?? GHOST_ID])
      const row: store.RegradeRow = {
        ...regrade,
        ...outcome,
        examId,
        createdAt: new Date(core.clock()),
        createdBy: actor.id ?? GHOST_ID,
        createdByName: names.get(actor.id ?? GHOST_ID) ?? '',
        undoneAt: null,
      }
      const examples = await listExamples(core, tx, examId, regrade, inForce)
      return { ...(await toRegradeView(tx, row)), id: null, ...(examples && { examples }) }
    },
    { isolationLevel: 'repeatable read' },
  )
}

/**
 * Corrects how a question of the exam is graded, in one transaction, during which no attempt is submitted. Papers
 * stay as they are. 404 if the exam never had the question, 400 for a key that doesn't fit it.
 */
export async function applyRegrade(
  core: Core,
  actor: Actor,
  examId: number,
  input: RegradeBody,
): Promise<RegradeView> {
  const trials = await tryBefore(core, examId, input)
  const { view, results } = await regradeAlone(core, examId, async (tx) => {
    await keepExam(tx, examId)
    const regrade = await readRegrade(tx, examId, input, trials)
    const inForce = [...(await listInForce(tx, examId)), regrade]
    const { results, ...outcome } = await recompute(core, tx, { examId, ...regrade }, inForce, (changed) =>
      store.updateResults(tx, changed),
    )
    const { id: _, ...values } = regrade
    const row = await store.insertRegrade(tx, {
      ...values,
      ...outcome,
      examId,
      createdAt: new Date(core.clock()),
      createdBy: actor.id ?? GHOST_ID,
    })
    await record(tx, actor, {
      action: 'regrade.apply',
      subject: ['regrade', row.id],
      summary: `${inWords(regrade.action)} for question ${regrade.questionId} of exam ${examId}: ${describe(outcome)}`,
    })
    await causeChanged(core, tx, examId, results)
    return { view: await toRegradeView(tx, row), results }
  })
  await publishChanged(core, examId, results)
  return view
}

/** Undoes a regrade: results become what grading without it gives. */
export async function undoRegrade(core: Core, actor: Actor, id: number): Promise<RegradeView> {
  const found = await store.findRegrade(core.db, id)
  if (!found) throw new AppError('not_found')
  const { examId } = found
  const { view, results } = await regradeAlone(core, examId, async (tx) => {
    await keepExam(tx, examId)
    if (!(await store.updateUndone(tx, id, new Date(core.clock())))) throw new AppError('already_undone')
    const inForce = await listInForce(tx, examId)
    const { results, ...outcome } = await recompute(core, tx, found, inForce, (changed) =>
      store.updateResults(tx, changed),
    )
    await record(tx, actor, {
      action: 'regrade.undo',
      subject: ['regrade', id],
      summary: `${inWords(found.action)} for question ${found.questionId} of exam ${examId} was undone: ${describe(outcome)}`,
    })
    await causeChanged(core, tx, examId, results)
    return { view: await toRegradeView(tx, await store.getRegrade(tx, id)), results }
  })
  await publishChanged(core, examId, results)
  return view
}

/** Newest first. 404 without such an exam. */
export async function listRegrades(core: Core, examId: number): Promise<RegradeView[]> {
  await requireExam(core.db, examId)
  const rows = await store.listRegrades(core.db, examId, MOST_LISTED)
  const names = await listNames(core.db, rows)
  return rows.map((row) => toView(row, names))
}

/** What the draws of a question came to, by the question. */
type Trials = Map<string, ReturnType<typeof tryQuestion>>

/** Tries a key in variables while nobody waits for this: under the exam's lock it is tried only if it is another one. */
async function tryBefore(core: Core, examId: number, input: RegradeBody): Promise<Trials> {
  const trials: Trials = new Map()
  if (input.action === 'new_key') await readRegrade(core.db, examId, input, trials)
  return trials
}

/** Reads a correction and checks it against the question as the exam has it, or had it last. */
async function readRegrade(
  tx: Executor,
  examId: number,
  input: RegradeBody,
  trials: Trials,
): Promise<Regrade> {
  const question = await store.findQuestion(tx, examId, input.question_id)
  if (!question) throw new AppError('not_found')
  const { question_type: questionType, keyVersion } = question
  const regrade = {
    id: PREVIEWED,
    questionId: input.question_id,
    action: input.action,
    correctAnswer: null,
    parts: null,
    tolerance: null,
    toleranceIs: null,
    questionType,
    keyVersion,
  }
  if (input.action !== 'new_key') return regrade
  const kind = kindOf(questionType)
  const { draws } = question
  const key = kind.readKey({
    ...question,
    hasVariables: Boolean(draws),
    correct_answer: String(input.correct_answer ?? '').trim(),
    parts: input.parts ?? (kind.partsAreNoKey ? question.parts : null),
  })
  if ('error' in key) throw invalidField(`/${key.field}`, key.error)
  if (key.correct_answer === '' && key.parts === null) throw invalidField('/correct_answer', 'is empty')
  if (!kind.isSameTask(question, { ...question, parts: key.parts }))
    throw invalidField('/parts', 'asks something else than the question; only what is right may change')
  const [current] = await listKeysInForce(tx, [input.question_id])
  const given = input.tolerance ?? current?.toleranceIs ?? current?.tolerance ?? question.tolerance
  const newKey = { ...regrade, correctAnswer: key.correct_answer, parts: key.parts }
  if (!draws) {
    const tolerance = readTolerance(given)
    if (tolerance === undefined) throw invalidField('/tolerance', 'is not a number from 0 on')
    return { ...newKey, tolerance }
  }
  const drawn = await checkDrawnKey({ ...question, ...key, tolerance: String(given), draws }, trials)
  return { ...newKey, ...drawn }
}

/** What is wrong with a key in variables: its places, or the draws of the question with it. */
async function checkDrawnKey(
  question: CorrectedQuestion & { draws: StoredDraws },
  trials: Trials,
): Promise<{ tolerance: string; toleranceIs: string | null }> {
  const { draws, tolerance: given, ...fields } = question
  const offered = { ...fields, ...draws, tolerance: given, more_options: [...fields.more_options] }
  const checked = checkQuestion(offered)
  if ('errors' in checked) throw invalidFieldsOf(checked.errors)
  const form = JSON.stringify(checked.question)
  const trying = trials.get(form) ?? tryQuestion(checked.question)
  trials.set(form, trying)
  const trial = await trying
  if (trial && 'errors' in trial) throw invalidFieldsOf(trial.errors)
  const { tolerance } = checked.question
  return typeof tolerance === 'string'
    ? { tolerance: '0', toleranceIs: tolerance }
    : { tolerance: String(tolerance), toleranceIs: null }
}

/** Values and keys of a few attempts; undefined for a question without variables. */
async function listExamples(
  core: Core,
  tx: Executor,
  examId: number,
  { questionId }: Regrade,
  inForce: readonly Regrade[],
): Promise<RegradeView['examples']> {
  const attempts = (await store.listAttemptsWith(tx, examId, questionId)).slice(0, MOST_EXAMPLES)
  const examples: NonNullable<RegradeView['examples']> = []
  const ids = attempts.map(({ id }) => id)
  for (const { paperId, seed } of ids.length === 0 ? [] : await store.listGraded(tx, ids)) {
    const paper = (await getPaper(core, tx, paperId)).single(questionId, seed ?? '')
    const values = paper.valuesOf(questionId)
    const place = paper.placeOf(questionId)
    const question = place === undefined ? undefined : paper.gradedBy(inForce).questions[place]
    if (values && question) examples.push({ values, correct_answer: showKey(question) })
  }
  return examples.length > 0 ? examples : undefined
}

/** A key as a teacher reads it: of a question with `parts`, the right answer. */
function showKey(question: GradedQuestion): string {
  const right = kindOf(question.question_type).rightAnswer(question)
  return question.correct_answer || (Array.isArray(right) ? right.join(', ') : (right ?? ''))
}

/** Pushes and notices for students whose results changed; when these are sent, it is seen who may see them. */
async function causeChanged(
  core: Core,
  tx: Executor,
  examId: number,
  results: RegradeOutcome['results'],
): Promise<void> {
  const userIds = results.map(({ userId }) => userId)
  if (userIds.length === 0) return
  await causePushes(tx, { kind: 'changed', subjectId: examId, userIds })
  await causeNotices(core, tx, { kind: 'result_changed', examId, userIds })
}

/** Tells students whose results changed, if they may see them. Whoever releases results later shows the new ones. */
async function publishChanged(core: Core, examId: number, results: RegradeOutcome['results']): Promise<void> {
  const exam = await store.findReleaseState(core.db, examId)
  if (!exam || !showsResults(exam)) return
  for (const some of slicesOf(results, TOLD_AT_ONCE))
    core.bus.publish('exams', { kind: 'results_changed', examId, results: some })
}

function describe({ attempts, raised, lowered }: Omit<RegradeOutcome, 'results'>): string {
  return `of ${attempts} attempts ${raised} raised, ${lowered} lowered`
}

async function toRegradeView(db: Executor, row: store.RegradeRow): Promise<RegradeView> {
  return toView(row, await listNames(db, [row]))
}

/** The names of the students whose results changed, and the ghost's. */
async function listNames(db: Executor, rows: store.RegradeRow[]): Promise<Map<number, string>> {
  const userIds = new Set(rows.flatMap(({ changes }) => changes.map(({ user_id }) => user_id)))
  return store.listUsernames(db, [GHOST_ID, ...userIds])
}

function toView(row: store.RegradeRow, names: ReadonlyMap<number, string>): RegradeView {
  return {
    id: row.id,
    exam_id: row.examId,
    question_id: row.questionId,
    action: row.action,
    correct_answer: row.correctAnswer,
    parts: row.parts,
    tolerance: row.toleranceIs ?? (row.tolerance === null ? null : Number(row.tolerance)),
    attempts: row.attempts,
    raised: row.raised,
    lowered: row.lowered,
    unchanged: row.unchanged,
    changes: row.changes.map((change) => {
      // Somebody who has deleted their account since is shown as the ghost.
      const userId = names.has(change.user_id) ? change.user_id : GHOST_ID
      return { ...change, user_id: userId, username: names.get(userId) ?? '' }
    }),
    created_at: row.createdAt.toISOString(),
    created_by: row.createdByName,
    undone_at: row.undoneAt?.toISOString() ?? null,
  }
}
