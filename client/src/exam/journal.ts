import type { paths } from '../generated/openapi.ts'

export type Paper =
  paths['/api/v01/exams/{exam_id}/paper']['get']['responses'][200]['content']['application/json']
export type PaperQuestion = Paper['questions'][number]
export type SubmitResult =
  paths['/api/v01/exams/{exam_id}/submit']['post']['responses'][200]['content']['application/json']
/** MCQ: a letter; MSQ: letters; NUMERIC: a number as text. */
export type Answer = string | string[]
type Answers = Record<string, Answer>
type AnswerChanges = Record<string, Answer | null>

/**
 * One attempt as it is stored on this machine: enough to go on without the service. What happens to it is a pure
 * function, `step`; `ExamSession` carries out the effects.
 */
export interface Journal {
  attemptId: number
  examId: number
  questions: PaperQuestion[]
  /** As the student sees them. */
  answers: Answers
  marked: number[]
  /** Answers that the service has not acknowledged; null clears an answer. */
  unsynced: AnswerChanges
  isMarkedUnsynced: boolean
  /** The value of `revision` when each of these was given, `marked` for the marks: syncs with a higher one hold it. */
  since: Record<string, number>
  /** The highest revision that was sent or received. */
  revision: number
  /** The revision of the service's answers on which `answers` are built: older ones are ignored. */
  base: number
  endsAt: string | null
  /** Answers that the service refused, and why. */
  rejected: Record<string, string>
  /**
   * `submitting`: somebody has asked to hand it in. `submitted`: the service has done so. `closed`: the service has
   * ended the attempt, and this machine did not hand it in.
   */
  phase: 'active' | 'submitting' | 'submitted' | 'closed'
  result?: SubmitResult
  /** The number of the writer: each new one has a higher one, and what an earlier one writes is refused. */
  writer: number
}

/** The part that changes. The paper never changes and is stored separately, so that storing an answer writes little. */
export type JournalProgress = Omit<Journal, 'questions'>

/** What the service has stored of an attempt. */
export interface StoredAnswers {
  answers: Answers
  markedForReview: number[]
  revision: number
}

/**
 * A request of the journal: a sync; an offer, which is a sync of what may be out of date, refused if it is; or handing
 * in, which comes once all answers are synced.
 */
export interface JournalRequest {
  kind: 'sync' | 'offer' | 'submit'
  revision: number
  answers: AnswerChanges
  marked: number[] | undefined
}

/** What became of a request. `fault`: nobody knows; it is repeated. `why`: a code, or the error of this program. */
export type ReplyOutcome =
  | { is: 'fault'; why: string; retryAfter: number }
  | { is: 'saved'; revision: number; endsAt: string | null; rejected: RejectedAnswers }
  | { is: 'stale'; saved: StoredAnswers }
  | { is: 'submitted'; result: SubmitResult }
  /** `arrived`: the questions whose answers the ended attempt has. */
  | { is: 'ended'; arrived: number[] }
  /** The sync is too large; `code`: so the service says, not only somebody on the way. */
  | { is: 'too large'; code: string | undefined }

export type RejectedAnswers = { question_id: number | null; message: string }[] | null

export interface JournalState {
  journal: Journal
  /** `reader`: another tab writes, or it is being asked. `stranded`: this tab writes, but the store fails. */
  role: 'reader' | 'writer' | 'stranded'
  /** What is stored, as far as this tab knows: while it is, nobody else has written. */
  known: JournalProgress
  /** The revision at which this tab began to write: what was given since then was given here. */
  beganAt: number
  /**
   * The tab is blind: its store can't even be read, so that what was given up to this revision may be out of date. It
   * is offered with this revision: whoever has sent anything newer has sent a higher one.
   */
  offerAt: number | undefined
  /**
   * The questions whose answers were offered and refused: they count again once the store can be read, if it still has
   * them.
   */
  refused: string[]
  /** The revision of the request under way. */
  sending: number | undefined
  /** The most parts of a sync, which are answers and the marks: fewer once one was too large. */
  most: number
  /** How many syncs were acknowledged. */
  acks: number
  /** Failed requests in a row. */
  faults: number
  /** Why the latest one failed. */
  fault: string | undefined
  /** The time is up: the last answers are sent, and the service will close the attempt. */
  isOver: boolean
}

export type Event =
  | { is: 'answer'; questionId: number; answer: Answer | null }
  | { is: 'mark'; questionId: number; isMarked: boolean }
  | { is: 'submit' }
  /** This tab writes from now on; `stored` is what the store had. */
  | { is: 'claimed'; stored: JournalProgress | undefined; writer: number }
  /** This tab writes from now on, though the store doesn't take that; `stored` is what it had, if it can be read. */
  | { is: 'stranded'; stored?: JournalProgress | undefined; isBlind: boolean }
  /** Another tab writes, or may. */
  | { is: 'lost' }
  /** What another tab has, or the store. */
  | { is: 'told'; journal: JournalProgress }
  /** This is stored. */
  | { is: 'kept'; journal: JournalProgress }
  | { is: 'due' }
  /** This program or its platform failed to make a request. */
  | { is: 'failed'; why: string }
  /** The page is hidden and may never run again; `mostBytes` is what it can still send. */
  | { is: 'hidden'; mostBytes: number }
  | { is: 'answered'; sent: JournalRequest; outcome: ReplyOutcome }
  /** `acks`: the state's, when the paper was asked for. */
  | { is: 'read'; paper: Paper; acks: number }
  /** The service says that this attempt isn't active, or has just closed it. */
  | { is: 'ended' }
  | { is: 'end moved'; endsAt: string | null }
  | { is: 'clock'; isOver: boolean }

export type Effect =
  /** Store the journal and show it to the other tabs. */
  | { do: 'keep' }
  /** Send this once the journal is stored. */
  | { do: 'send'; sent: JournalRequest }
  /** Send this at once, because the page may not live on. */
  | { do: 'send at once'; sent: JournalRequest }
  /** Read the paper. */
  | { do: 'read' }
  /** Report `due` after a pause, instead of any earlier one. */
  | { do: 'wait'; ms: number; faults: number }

/** Answers given within this time are sent together. */
const SYNC_AFTER_MS = 800
/** A new writer begins this much higher: an earlier one may have sent revisions that it couldn't store any more. */
const REVISIONS_OF_A_WRITER = 20
/** A blind one begins this much higher: above what it offers, and below any tab that can store that it writes. */
const REVISIONS_OF_A_BLIND_ONE = 10

/** The name of the marks among the parts of a sync. */
const MARKED = 'marked'

const ALL = Number.POSITIVE_INFINITY
/** Of a sync without its parts. */
const ENVELOPE_BYTES = 150

const KEEP: Effect = { do: 'keep' }
const READ: Effect = { do: 'read' }
const waitFor = (ms: number, faults = 0): Effect => ({ do: 'wait', ms, faults })

export function begin(journal: Journal): JournalState {
  return {
    journal,
    role: 'reader',
    known: journal,
    beganAt: 0,
    offerAt: undefined,
    refused: [],
    sending: undefined,
    most: ALL,
    acks: 0,
    faults: 0,
    fault: undefined,
    isOver: false,
  }
}

/** What an event makes of the state, and what has to be done then. */
export function step(state: JournalState, event: Event): [JournalState, Effect[]] {
  const { journal } = state
  const become = (next: Partial<Journal>, ...effects: Effect[]): [JournalState, Effect[]] => [
    { ...state, journal: { ...journal, ...next } },
    effects,
  ]
  switch (event.is) {
    case 'answer':
    case 'mark':
    case 'submit': {
      if (!canWrite(state)) return [state, []]
      return become(change(journal, event), KEEP, waitFor(event.is === 'submit' ? 0 : SYNC_AFTER_MS))
    }
    case 'claimed': {
      const next = takeUp(state, event.stored)
      const claimed = { ...next.journal, writer: event.writer }
      return [{ ...next, role: 'writer', sending: undefined, journal: claimed }, [KEEP, waitFor(0)]]
    }
    case 'stranded': {
      const isNew = state.role === 'reader'
      const canSeeAgain = state.offerAt !== undefined && !event.isBlind
      if (state.role === 'writer' || !(isNew || canSeeAgain)) return [state, []]
      const next = event.isBlind ? goBlind(state) : takeUp(state, event.stored)
      return [{ ...next, role: 'stranded' }, [waitFor(0)]]
    }
    case 'lost':
      return [{ ...state, role: 'reader', sending: undefined, faults: 0, fault: undefined }, []]
    case 'told': {
      const told = event.journal
      // What this tab couldn't store is newer, unless somebody else has written since.
      if (state.role !== 'reader' || isSame(told, state.known)) return [state, []]
      return [{ ...state, known: told, journal: { ...journal, ...told } }, []]
    }
    case 'kept':
      return [{ ...state, known: event.journal }, []]
    case 'due': {
      if (state.role === 'reader' || state.sending !== undefined || !hasWork(journal)) return [state, []]
      const revision = journal.revision + 1
      const [sent] = isSynced(journal)
        ? [{ kind: 'submit', revision, answers: {}, marked: undefined } as const]
        : syncsOf(state)
      if (!sent) return [state, []]
      return [{ ...state, sending: sent.revision, journal: { ...journal, revision } }, [{ do: 'send', sent }]]
    }
    case 'failed': {
      const faults = state.faults + 1
      return [{ ...state, sending: undefined, faults, fault: event.why }, [waitFor(0, faults)]]
    }
    case 'hidden': {
      if (state.role === 'reader' || !isOpen(journal) || isSynced(journal)) return [state, []]
      const syncs = syncsOf(state, event.mostBytes)
      if (syncs.length === 0) return [state, []]
      const revision = journal.revision + 1
      return become({ revision }, KEEP, ...syncs.map((sent): Effect => ({ do: 'send at once', sent })))
    }
    case 'answered':
      if (state.role === 'reader' || !isOpen(journal)) return [state, []]
      return answered(state, event)
    case 'read': {
      const { attempt_id, ends_at } = event.paper
      if (attempt_id !== journal.attemptId) return step(state, { is: 'ended' })
      if (journal.phase === 'submitted') return [state, []]
      // Its time had closed it, and a teacher has given it more.
      if (journal.phase === 'closed')
        return become({ ...reopen(journal, event.paper), endsAt: ends_at }, KEEP, waitFor(0))
      // The answers come from the tab that writes.
      if (state.role === 'reader') return become({ endsAt: ends_at })
      // A sync may have overtaken it; what other devices have saved by now is read after that.
      const { revision } = event.paper
      const isOvertaken = event.acks !== state.acks
      if (revision < journal.base || (revision === journal.base && isOvertaken))
        return become({ endsAt: ends_at }, KEEP, ...(isOvertaken ? [READ] : []))
      return become({ ...rebase(journal, event.paper as StoredAnswers), endsAt: ends_at }, KEEP)
    }
    case 'ended':
      // A submit is repeated, because its answer tells whether it was the one that ended the attempt.
      if (!isOpen(journal) || (journal.phase === 'submitting' && isSynced(journal))) return [state, []]
      // The refusal of a sync tells more, here or in the tab that writes: what had arrived.
      if (!isSynced(journal)) return [state, [waitFor(0)]]
      return become({ phase: 'closed' }, KEEP)
    case 'end moved':
      return become({ endsAt: event.endsAt }, KEEP)
    case 'clock':
      return [{ ...state, isOver: event.isOver }, event.isOver ? [waitFor(0)] : []]
  }
}

function answered(
  state: JournalState,
  { sent, outcome }: Event & { is: 'answered' },
): [JournalState, Effect[]] {
  const { journal } = state
  const sending = state.sending === sent.revision ? undefined : state.sending
  const go = (next: Partial<JournalState>, ...effects: Effect[]): [JournalState, Effect[]] => [
    { ...state, sending, faults: 0, fault: undefined, ...next },
    effects,
  ]
  // The store could be read meanwhile: what was offered may be something else than what it has.
  if (sent.kind === 'offer' && sent.revision !== state.offerAt) return go({}, waitFor(0))
  const again = (retryAfter: number, fault: string) => {
    const faults = state.faults + 1
    return go({ faults, fault }, waitFor(retryAfter, faults))
  }
  switch (outcome.is) {
    case 'fault':
      return again(outcome.retryAfter, outcome.why)
    case 'too large': {
      const parts = partsOf(sent)
      if (parts > 1) return go({ most: Math.ceil(parts / 2) }, waitFor(0))
      // Whatever is smaller was sent before, and goes on being sent.
      if (outcome.code === undefined) return again(0, 'payload_too_large')
      const reasons = Object.keys(sent.answers).map((id) => [id, outcome.code as string])
      const refused = settle(journal, sent, Object.fromEntries(reasons))
      return go({ most: ALL, journal: refused }, KEEP, waitFor(0))
    }
    case 'saved': {
      const saved = acknowledge(journal, sent, outcome)
      const most = isSynced(saved) ? ALL : state.most
      return go({ most, acks: state.acks + 1, journal: saved }, KEEP, waitFor(0))
    }
    case 'stale': {
      if (sent.kind !== 'offer') return go({ journal: rebase(journal, outcome.saved) }, KEEP, waitFor(0))
      // Out of date, or this tab's own sync has overtaken it: only the store can tell.
      const refused = [...state.refused, ...Object.keys(sent.answers)]
      return go({ refused, journal: rebase(settle(journal, sent), outcome.saved) }, KEEP, waitFor(0))
    }
    case 'submitted':
      return go({ journal: { ...journal, phase: 'submitted', result: outcome.result } }, KEEP)
    case 'ended': {
      const unsynced = without(journal, sent, outcome.arrived)
      return go({ journal: { ...journal, phase: 'closed', unsynced } }, KEEP)
    }
  }
}

/** A journal that nothing has happened to, as the service answers the attempt. */
export function openJournal(paper: Paper, examId: number): Journal {
  return {
    attemptId: paper.attempt_id,
    examId,
    questions: paper.questions,
    answers: paper.answers as Answers,
    marked: paper.markedForReview,
    unsynced: {},
    isMarkedUnsynced: false,
    since: {},
    revision: paper.revision,
    base: paper.revision,
    endsAt: paper.ends_at,
    rejected: {},
    phase: 'active',
    writer: 0,
  }
}

/** An attempt that goes on though it was closed: what had come too late is sent now. */
function reopen(journal: Journal, paper: Paper): Journal {
  return { ...rebase(journal, paper as StoredAnswers), phase: 'active' }
}

/** Whether the attempt goes on, as far as this machine knows. */
export function isOpen({ phase }: JournalProgress): boolean {
  return phase === 'active' || phase === 'submitting'
}

function isSynced(journal: JournalProgress): boolean {
  return !isMissing(journal) && !journal.isMarkedUnsynced
}

/** Whether the service has everything that was given here, so that its end needs no waiting for. */
export function hasArrived({ role, journal, sending }: JournalState): boolean {
  return role !== 'reader' && journal.phase === 'active' && sending === undefined && isSynced(journal)
}

export function hasWork(journal: JournalProgress): boolean {
  return journal.phase === 'submitting' || (journal.phase === 'active' && !isSynced(journal))
}

/** Whether answers have not arrived; marks help nobody once the attempt is over. */
export function isMissing({ unsynced }: JournalProgress): boolean {
  return Object.keys(unsynced).length > 0
}

/** Whether nothing of it is needed any more. */
export function isDone(journal: JournalProgress): boolean {
  return !isOpen(journal) && !isMissing(journal)
}

export function canWrite({ role, journal, isOver }: JournalState): boolean {
  return role !== 'reader' && journal.phase === 'active' && !isOver
}

/** Goes on without the store, which may have something newer. */
function goBlind(state: JournalState): JournalState {
  const { journal } = state
  const beganAt = journal.revision + REVISIONS_OF_A_BLIND_ONE
  return { ...state, beganAt, offerAt: journal.revision, journal: { ...journal, revision: beganAt } }
}

/** Goes on from what is stored, with what this tab could not store. */
function takeUp(state: JournalState, stored: JournalProgress | undefined): JournalState {
  const { journal, role, known } = state
  const revision = Math.max(stored?.revision ?? 0, journal.revision) + REVISIONS_OF_A_WRITER
  const isNew = role === 'reader'
  const beganAt = isNew ? revision : state.beganAt
  const taken = { ...state, known: stored ?? known, beganAt, offerAt: undefined, refused: [] }
  // This tab's own journal holds all of it, and perhaps more, except what it has offered in vain.
  if (!stored || isSame(stored, known))
    return { ...taken, journal: { ...takeBack(journal, stored, state), revision } }
  const merged = { ...merge(stored, journal), revision }
  return { ...taken, journal: isNew ? merged : giveAgain(merged, state) }
}

/** What was offered and refused, and that nobody has written over: it is unsynced as it was before. */
function takeBack(
  journal: Journal,
  stored: JournalProgress | undefined,
  { refused, beganAt }: JournalState,
): Journal {
  const isStill = ([id]: [string, unknown]) => refused.includes(id) && (journal.since[id] ?? 0) < beganAt
  const back = Object.fromEntries(Object.entries(stored?.unsynced ?? {}).filter(isStill))
  return {
    ...journal,
    answers: apply(journal.answers, back),
    unsynced: { ...back, ...journal.unsynced },
  }
}

/**
 * What was given in this tab is newer than what others have stored. Answers too that were given after another tab was
 * asked to hand in: they are synced before, or listed as undelivered.
 */
function giveAgain(merged: Journal, { journal, beganAt }: JournalState): Journal {
  const isGiven = ([name]: [string, unknown]) => (journal.since[name] ?? 0) >= beganAt
  const given = Object.entries(journal.since).filter(isGiven)
  const answers = given.map(([name]) => [name, journal.answers[name] ?? null])
  const others = Object.entries(merged.unsynced).filter((each) => !isGiven(each))
  const unsynced = Object.entries(journal.unsynced).filter(isGiven)
  const { marked, isMarkedUnsynced } = isGiven([MARKED, undefined]) ? journal : merged
  return {
    ...merged,
    answers: apply(merged.answers, Object.fromEntries(answers)),
    unsynced: Object.fromEntries([...others, ...unsynced]),
    marked,
    isMarkedUnsynced,
    since: { ...merged.since, ...Object.fromEntries(given) },
    rejected: { ...merged.rejected, ...journal.rejected },
    phase: merged.phase === 'active' ? journal.phase : merged.phase,
  }
}

/** Whether nobody has written in between. */
function isSame(one: JournalProgress, other: JournalProgress): boolean {
  const print = ({ phase, base, answers, unsynced, marked, isMarkedUnsynced }: JournalProgress) =>
    JSON.stringify([phase, base, answers, unsynced, marked, isMarkedUnsynced])
  return print(one) === print(other)
}

/**
 * A stored journal, with what this tab has heard of the service since: it may have handed in, and a closed one goes on
 * if the service says so.
 */
function merge(stored: JournalProgress, own: Journal): Journal {
  const isNewer = own.phase === 'submitted' || (own.phase === 'active' && stored.phase === 'closed')
  const { phase, result } = isNewer ? own : stored
  const journal = { ...stored, phase, ...(result && { result }), questions: own.questions }
  if (!isSynced(own) || own.base < stored.base) return journal
  return {
    ...rebase(journal, { answers: own.answers, markedForReview: own.marked, revision: own.base }),
    endsAt: own.endsAt,
  }
}

type StudentEvent = Event & { is: 'answer' | 'mark' | 'submit' }

function change(journal: Journal, event: StudentEvent): Partial<Journal> {
  if (event.is === 'submit') return { phase: 'submitting' }
  const { questionId } = event
  const name = event.is === 'answer' ? questionId : MARKED
  const since = { ...journal.since, [name]: journal.revision }
  if (event.is === 'mark') {
    const others = journal.marked.filter((id) => id !== questionId)
    const marked = event.isMarked ? [...others, questionId] : others
    return { marked, isMarkedUnsynced: true, since }
  }
  const changed = { [questionId]: event.answer }
  const { [questionId]: _, ...rejected } = journal.rejected
  return {
    answers: apply(journal.answers, changed),
    unsynced: { ...journal.unsynced, ...changed },
    since,
    rejected,
  }
}

/** Takes over answers that another device has saved, unless newer ones are known, and applies the unsynced ones. */
function rebase(journal: Journal, saved: StoredAnswers): Journal {
  if (saved.revision < journal.base) return journal
  return {
    ...journal,
    answers: apply(saved.answers, journal.unsynced),
    marked: journal.isMarkedUnsynced ? journal.marked : saved.markedForReview,
    revision: Math.max(journal.revision, saved.revision),
    base: saved.revision,
  }
}

function acknowledge(journal: Journal, sent: JournalRequest, saved: ReplyOutcome & { is: 'saved' }): Journal {
  const rejected = (saved.rejected ?? []).map(({ question_id, message }) => [question_id, message])
  return {
    ...settle(journal, sent, Object.fromEntries(rejected)),
    revision: Math.max(journal.revision, saved.revision),
    base: Math.max(journal.base, saved.revision),
    endsAt: saved.endsAt,
  }
}

/**
 * What was sent is decided, except what has changed since; `reasons`: which answers the service has refused, and why.
 */
function settle(journal: Journal, sent: JournalRequest, reasons: Record<string, string> = {}): Journal {
  const rejected = Object.entries(reasons).filter(([id]) => isIn(journal, sent, id))
  return {
    ...journal,
    unsynced: without(journal, sent, Object.keys(sent.answers)),
    isMarkedUnsynced: journal.isMarkedUnsynced && !(sent.marked && isIn(journal, sent, MARKED)),
    rejected: { ...journal.rejected, ...Object.fromEntries(rejected) },
  }
}

/** The unsynced answers without those that the service has got of these questions. */
function without(journal: Journal, sent: JournalRequest, got: (number | string)[]): AnswerChanges {
  const names = got.map(String)
  const rest = Object.entries(journal.unsynced).filter(
    ([id]) => !(names.includes(id) && isIn(journal, sent, id)),
  )
  return Object.fromEntries(rest)
}

/** Whether a request holds the latest change. */
function isIn({ since }: Journal, { kind, revision }: JournalRequest, name: string): boolean {
  const at = since[name] ?? 0
  return kind === 'offer' ? at <= revision : at < revision
}

/**
 * What is to be synced, and before that what a blind tab offers. The smallest parts come first, so that a large one
 * holds up no other.
 */
function syncsOf({ journal, offerAt = -1, most }: JournalState, mostBytes = ALL): JournalRequest[] {
  const { unsynced, marked, isMarkedUnsynced, since, revision } = journal
  const sizeOf = (part: unknown) => bytesOf(JSON.stringify(part)) + 1
  const parts = Object.entries({ ...unsynced, ...(isMarkedUnsynced && { marked }) })
    .map(([name, part]) => ({ name, part, bytes: sizeOf({ [name]: part }) }))
    .sort((one, other) => one.bytes - other.bytes)
  let left = mostBytes
  const toSent = (kind: 'sync' | 'offer', at: number): JournalRequest => {
    const fitting = parts.filter(({ name }) => kind === ((since[name] ?? 0) <= offerAt ? 'offer' : 'sync'))
    const sent: Record<string, unknown> = {}
    left -= ENVELOPE_BYTES
    for (const { name, part, bytes } of fitting.slice(0, most)) {
      left -= bytes
      if (left >= 0) sent[name] = part
    }
    const { marked: sentMarked, ...answers } = sent
    return {
      kind,
      revision: at,
      answers: answers as AnswerChanges,
      marked: sentMarked as number[] | undefined,
    }
  }
  const own = toSent('sync', revision + 1)
  return [toSent('offer', offerAt), own].filter((each) => partsOf(each) > 0)
}

/** In UTF-8. Not every phone has `TextEncoder`. */
function bytesOf(text: string): number {
  const count = (some: RegExp) => text.match(some)?.length ?? 0
  // Either half of a surrogate pair takes two.
  return text.length + count(/[\u0080-\uffff]/g) + count(/[\u0800-\ud7ff\ue000-\uffff]/g)
}

function partsOf({ answers, marked }: JournalRequest): number {
  return Object.keys(answers).length + (marked ? 1 : 0)
}

function apply(answers: Answers, changes: AnswerChanges): Answers {
  const changed: Answers = { ...answers }
  for (const [id, answer] of Object.entries(changes)) {
    if (answer === null) delete changed[id]
    else changed[id] = answer
  }
  return changed
}
