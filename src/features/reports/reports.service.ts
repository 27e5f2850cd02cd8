import type { Attachment } from '../../../schemas/chat.schemas.ts'
import type { DecisionBody, Report, ReportsQuery } from '../../../schemas/reports.schemas.ts'
import type { Actor, Viewer } from '../../actor.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { lockPerson } from '../../db/locks.ts'
import { GHOST_ID } from '../../db/tables/users.tables.ts'
import { AppError } from '../../errors.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { offsetOf } from '../../paging.ts'
import { record } from '../audit/audit.service.ts'
import { listReportedFiles } from '../chat/messages/attachments.service.ts'
import * as messages from '../chat/messages/messages.service.ts'
import * as discussions from '../discussions/discussions.service.ts'
import { trySweepDiscardedFiles } from '../uploads/discarded-uploads.ts'
import * as store from './reports.store.ts'

/** Reports on a page of the administrators' list. */
export const REPORTS_PER_PAGE = 20
/** Most reports of one person within 24 hours (docs/protocol/http.md#caps). */
const MOST_A_DAY = 100
/** How long the texts of a decided report are kept, so that the decision can be reviewed. */
const KEPT_MS = 90 * DAY_MS
/** Messages that are shown before and after what was reported. */
const AROUND = 5

export interface FiledReport {
  id: number
  /** True if the same person has reported it before: nothing was stored. */
  repeated: boolean
}

/** 404 for a message that one can't see, and for a tombstone, unless one has reported it before. */
export async function reportMessage(core: Core, reporterId: number, messageId: number, reason: string) {
  return fileReport(core, { kind: 'message', messageId, commentId: null, reporterId, reason }, async () => {
    const { senderId, message } = await messages.getVisibleMessage(core, reporterId, messageId)
    return { authorId: senderId, reportedText: message }
  })
}

export async function reportComment(core: Core, reporter: Viewer, commentId: number, reason: string) {
  const reporterId = reporter.userId
  return fileReport(core, { kind: 'comment', messageId: null, commentId, reporterId, reason }, async () => {
    const { authorId, message } = await discussions.getVisibleComment(core, reporter, commentId)
    return { authorId, reportedText: message }
  })
}

type ReportedContent = Pick<store.NewReportRow, 'authorId' | 'reportedText'>

async function fileReport(
  core: Core,
  offered: Omit<store.NewReportRow, 'createdAt' | keyof ReportedContent>,
  find: () => Promise<ReportedContent>,
): Promise<FiledReport> {
  const before = await store.findOwnReport(core.db, offered)
  if (before !== undefined) return { id: before, repeated: true }
  const report = { ...offered, ...(await find()) }
  return core.db.transaction(async (tx) => {
    await lockPerson(tx, report.reporterId)
    const known = await store.findOwnReport(tx, report)
    if (known !== undefined) return { id: known, repeated: true }
    const now = core.clock()
    if ((await store.countReportsSince(tx, report.reporterId, new Date(now - DAY_MS))) >= MOST_A_DAY)
      throw new AppError('too_many', { message: `At most ${MOST_A_DAY} reports a day` })
    const id = await store.insertReport(tx, { ...report, createdAt: new Date(now) })
    return { id, repeated: false }
  })
}

/**
 * One page, newest first, and how many there are, with the messages or comments around the reported one.
 */
export async function listReports(core: Core, { status, page }: ReportsQuery) {
  const offset = offsetOf(page, REPORTS_PER_PAGE)
  const { rows, total } = await store.listReports(core.db, status, REPORTS_PER_PAGE, offset)
  return { reports: await toReports(core, rows), total }
}

/**
 * Dismisses a report, or deletes what was reported as its author would: it becomes a tombstone, and everybody who
 * sees it is told.
 */
export async function resolveReport(
  core: Core,
  actor: Actor,
  id: number,
  { action, note }: DecisionBody,
): Promise<Report> {
  const { row, publish } = await core.db.transaction(async (tx) => {
    const report = await store.findReportForUpdate(tx, id)
    if (!report) throw new AppError('not_found')
    if (report.status !== 'open') throw new AppError('already_processed')
    const { messageId, commentId } = report
    const around = await listAround(tx, report.kind, [messageId ?? commentId ?? 0])
    let publish = () => {}
    if (action === 'delete' && messageId !== null)
      publish = await messages.removeReportedMessage(core, tx, messageId)
    if (action === 'delete' && commentId !== null)
      publish = await discussions.removeReportedComment(core, tx, commentId)
    await store.updateReport(tx, id, {
      status: action === 'delete' ? 'deleted' : 'dismissed',
      note: note || null,
      resolvedBy: actor.id,
      resolvedAt: new Date(core.clock()),
      context: around.map(({ id, authorId, text, createdAt }) => ({
        id,
        authorId,
        text,
        createdAt: createdAt.toISOString(),
      })),
    })
    if (messageId !== null) await messages.releaseAttachments(tx, messageId)
    const done = action === 'delete' ? 'Deleted' : 'Dismissed'
    const summary = `${done}: ${report.kind} ${messageId ?? commentId ?? '(gone)'} of user ${report.authorId}`
    await record(tx, actor, { action: 'report.resolve', subject: ['report', id], summary })
    return { row: await store.getReport(tx, id), publish }
  })
  publish()
  await trySweepDiscardedFiles(core)
  const [resolved] = await toReports(core, [row])
  if (!resolved) throw new AppError('not_found')
  return resolved
}

/** Forgets what was reported once its decision is old. */
export function forgetDecided(core: Core): Promise<void> {
  return store.forgetTexts(core.db, new Date(core.clock() - KEPT_MS))
}

function listAround(db: Executor, kind: Report['kind'], ids: number[]): Promise<store.ContextRow[]> {
  return kind === 'message'
    ? store.listMessagesAround(db, ids, AROUND)
    : store.listCommentsAround(db, ids, AROUND)
}

async function toReports(core: Core, rows: store.ReportRow[]): Promise<Report[]> {
  const open = rows.filter(({ status }) => status === 'open')
  const ids = (kind: 'messageId' | 'commentId') => open.flatMap((row) => row[kind] ?? [])
  const keptIds = rows.flatMap(({ context }) => context?.map(({ authorId }) => authorId) ?? [])
  const [aroundMessages, aroundComments, authors] = await Promise.all([
    ids('messageId').length > 0 ? listAround(core.db, 'message', ids('messageId')) : [],
    ids('commentId').length > 0 ? listAround(core.db, 'comment', ids('commentId')) : [],
    keptIds.length > 0 ? store.listPeople(core.db, [GHOST_ID, ...new Set(keptIds)]) : [],
  ])
  const files = await listReportedFiles(core, [...new Set(aroundMessages.map(({ id }) => id))])
  const people = new Map(authors.map((person) => [person.id, person]))
  return rows.map((row) => {
    const subjectId = row.messageId ?? row.commentId
    if (row.context !== null) {
      const kept = row.context.flatMap(({ authorId, ...near }) => {
        const author = people.get(authorId) ?? people.get(GHOST_ID)
        if (!author) return []
        const { id, ...names } = author
        const createdAt = new Date(near.createdAt)
        return toContext({ ...near, ...names, authorId: id, subjectId: subjectId ?? 0, createdAt })
      })
      return toReport(row, kept)
    }
    if (row.status !== 'open') return toReport(row)
    const isMessage = row.kind === 'message'
    const around = (isMessage ? aroundMessages : aroundComments).filter(
      (near) => near.subjectId === subjectId,
    )
    return toReport(
      row,
      around.map((near) => toContext(near, isMessage ? files.get(near.id) : undefined)),
    )
  })
}

function toReport(row: store.ReportRow, context: Report['context'] = []): Report {
  return {
    id: row.id,
    kind: row.kind,
    message_id: row.messageId,
    comment_id: row.commentId,
    text: row.reportedText,
    author: toPerson(row.author),
    reporter: toPerson(row.reporter),
    reason: row.reason,
    status: row.status,
    note: row.note,
    resolved_by: row.resolver,
    resolved_at: row.resolvedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    context,
  }
}

function toPerson({ id, username, fullName }: store.PersonRow) {
  return { id, username, full_name: fullName }
}

function toContext(row: store.ContextRow, attachments: Attachment[] = []) {
  return {
    id: row.id,
    author: toPerson({ id: row.authorId, username: row.username, fullName: row.fullName }),
    text: row.text,
    attachments,
    is_reported: row.id === row.subjectId,
    created_at: row.createdAt.toISOString(),
  }
}
