import type { DecisionBody, Report, ReportsQuery } from '../../../schemas/reports.ts'
import type { Actor } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { lockPerson } from '../../db/locks.ts'
import { AppError } from '../../errors.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { offsetOf } from '../../paging.ts'
import { record } from '../audit/service.ts'
import * as messages from '../chat/messages/service.ts'
import * as discussions from '../discussions/service.ts'
import * as store from './store.ts'

/** Reports on a page of the administrators' list. */
export const REPORTS_PER_PAGE = 20
/** Most reports of one person within 24 hours (docs/protocol/http.md#caps). */
const MOST_A_DAY = 100
/** Messages that are shown before and after what was reported. */
const AROUND = 5

export interface Filed {
  id: number
  /** True if the same person has reported it before: nothing was stored. */
  repeated: boolean
}

/** 404 for a message that one can't see, and for a tombstone, unless one has reported it before. */
export async function reportMessage(core: Core, reporterId: number, messageId: number, reason: string) {
  return file(core, { kind: 'message', messageId, commentId: null, reporterId, reason }, async () => {
    const { senderId, message } = await messages.getVisibleMessage(core, reporterId, messageId)
    return { authorId: senderId, reportedText: message }
  })
}

export async function reportComment(
  core: Core,
  reporter: { userId: number; isAdmin: boolean },
  commentId: number,
  reason: string,
) {
  const reporterId = reporter.userId
  return file(core, { kind: 'comment', messageId: null, commentId, reporterId, reason }, async () => {
    const { authorId, message } = await discussions.getVisibleComment(core, reporter, commentId)
    return { authorId, reportedText: message }
  })
}

type Reported = Pick<store.NewReportRow, 'authorId' | 'reportedText'>

async function file(
  core: Core,
  offered: Omit<store.NewReportRow, 'createdAt' | keyof Reported>,
  find: () => Promise<Reported>,
): Promise<Filed> {
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
 * One page, newest first, and how many there are. Open reports contain the messages or comments around the reported
 * one.
 */
export async function listReports(core: Core, { status, page }: ReportsQuery) {
  const offset = offsetOf(page, REPORTS_PER_PAGE)
  const { rows, total } = await store.listReports(core.db, status, REPORTS_PER_PAGE, offset)
  return { reports: await present(core, rows), total }
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
    let publish = () => {}
    if (action === 'delete' && messageId !== null) publish = await messages.removeMessage(core, tx, messageId)
    if (action === 'delete' && commentId !== null)
      publish = await discussions.removeReported(core, tx, commentId)
    await store.updateReport(tx, id, {
      status: action === 'delete' ? 'deleted' : 'dismissed',
      note: note || null,
      resolvedBy: actor.id,
      resolvedAt: new Date(core.clock()),
    })
    const summary = `${action}: ${report.kind} ${messageId ?? commentId ?? '(gone)'} of user ${report.authorId}`
    await record(tx, actor, { action: 'report.resolve', subject: ['report', id], summary })
    return { row: await store.getReport(tx, id), publish }
  })
  publish()
  return toReport(row)
}

async function present(core: Core, rows: store.ReportRow[]): Promise<Report[]> {
  const open = rows.filter(({ status }) => status === 'open')
  const ids = (kind: 'messageId' | 'commentId') => open.flatMap((row) => row[kind] ?? [])
  const [aroundMessages, aroundComments] = await Promise.all([
    ids('messageId').length > 0 ? store.listMessagesAround(core.db, ids('messageId'), AROUND) : [],
    ids('commentId').length > 0 ? store.listCommentsAround(core.db, ids('commentId'), AROUND) : [],
  ])
  return rows.map((row) => {
    if (row.status !== 'open') return toReport(row)
    const around = row.kind === 'message' ? aroundMessages : aroundComments
    const subject = row.messageId ?? row.commentId
    return toReport(
      row,
      around.filter(({ subjectId }) => subjectId === subject),
    )
  })
}

function toReport(row: store.ReportRow, context: store.ContextRow[] = []): Report {
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
    context: context.map(toContext),
  }
}

function toPerson({ id, username, fullName }: store.PersonRow) {
  return { id, username, full_name: fullName }
}

function toContext(row: store.ContextRow) {
  return {
    id: row.id,
    author: toPerson({ id: row.authorId, username: row.username, fullName: row.fullName }),
    text: row.text,
    is_reported: row.id === row.subjectId,
    created_at: new Date(row.createdAt).toISOString(),
  }
}
