import { type TSchema, Type } from 'typebox'
import * as schemas from '../../../../schemas/accounts/export.ts'
import { releaseResult } from '../../attempts/releasing.ts'
import type { Source } from './rows/store.ts'
import * as store from './store.ts'

/** A JSON file of a personal export. */
export interface Area {
  title: string
  /** The columns that refer to a person, and the tables that depend on such rows. */
  holds: string[]
  /** The schema of one row. */
  schema: TSchema
  source: Source<unknown>
}

function area<Row>(
  title: string,
  holds: string[],
  schema: TSchema,
  source: Source<Row>,
  toRow: (row: Row) => object = (row) => row as object,
): Area {
  const listRows: Source<unknown>['listRows'] = async (...asked) =>
    (await source.listRows(...asked)).map(toRow)
  return { title, holds, schema, source: { ...source, listRows } }
}

export const PROFILE = area(
  'Your profile',
  ['users', 'password_resets.user_id', 'group_additions.user_id'],
  schemas.ExportedProfile,
  store.profile,
)

/** The lists by name. Notes and their images are files of other kinds. */
export const LISTS: Readonly<Record<string, Area>> = {
  sessions: area('Where you are signed in', ['sessions.user_id'], schemas.ExportedSession, store.ownSessions),
  access_requests: area(
    'Your requests for another role',
    ['access_requests.user_id'],
    schemas.ExportedAccessRequest,
    store.ownAccessRequests,
  ),
  attempts: area(
    'Your attempts with your answers, and the results that you may see',
    ['attempts.user_id'],
    schemas.ExportedAttempt,
    store.ownAttempts,
    toAttempt,
  ),
  challenges: area(
    'What you objected to in results',
    ['challenges'],
    schemas.ExportedChallenge,
    store.ownChallenges,
  ),
  accommodations: area(
    'Times of exams that are other for you',
    ['accommodations.user_id'],
    schemas.ExportedAccommodation,
    store.ownAccommodations,
  ),
  tutor_conversations: area(
    'Your conversations with the tutor',
    ['assistant_conversations.user_id'],
    schemas.ExportedTutorConversation,
    store.tutorConversations,
  ),
  tutor_messages: area(
    'What you and the tutor wrote in them',
    ['assistant_messages.user_id'],
    schemas.ExportedTutorMessage,
    store.tutorMessages,
  ),
  tutor_questions: area(
    'Your questions as the daily limit counts them',
    ['assistant_questions.user_id'],
    schemas.ExportedTutorQuestion,
    store.tutorQuestions,
  ),
  conversations: area(
    'Conversations that you are in, or made',
    ['conversations.creator_id', 'conversation_members.user_id'],
    schemas.ExportedConversation,
    store.ownConversations,
  ),
  messages: area(
    'Messages that you wrote',
    ['messages.sender_id'],
    schemas.ExportedMessage,
    store.ownMessages,
  ),
  connections: area(
    'Whom you are connected with, or asked, or were asked by',
    ['connections.requester_id', 'connections.recipient_id'],
    schemas.ExportedConnection,
    store.ownConnections,
  ),
  blocks: area('Whom you blocked', ['blocks.blocker_id'], schemas.ExportedBlock, store.ownBlocks),
  comments: area(
    'Comments that you wrote in discussions',
    ['comments.author_id'],
    schemas.ExportedComment,
    store.ownComments,
  ),
  reports: area('What you reported', ['reports.reporter_id'], schemas.ExportedReport, store.ownReports),
  notebooks: area('Your notebooks', ['notebooks.owner_id'], schemas.ExportedNotebook, store.ownNotebooks),
  library: area(
    'Notebooks that you liked or bookmarked',
    ['notebook_interactions.user_id'],
    schemas.ExportedInteraction,
    store.ownInteractions,
  ),
  generation_jobs: area(
    'Questions that you had generated',
    ['generation_jobs.user_id'],
    schemas.ExportedJob,
    store.ownJobs,
  ),
  audit: area(
    'What you changed as an administrator',
    ['audit_entries.actor_id'],
    schemas.ExportedAuditEntry,
    store.ownChanges,
  ),
}

export const NOTE_PAGES = {
  title: 'The pages of your notebooks with what is on them',
  holds: ['pages', 'page_objects'],
  schema: schemas.ExportedNotePage,
}

export const NOTE_IMAGES = {
  title: 'The images on them; their files are beside it',
  holds: ['assets'],
  schema: schemas.ExportedNoteImage,
}

/** Data that is, or looks as if it were, about people, and why the export leaves it out. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'blocks.blocked_id': 'who blocked you is their own affair',
  'reports.author_id': 'what others reported of you is told to administrators alone',
  'reports.resolved_by': 'decisions of an administrator are in audit.json',
  'access_requests.processed_by': 'decisions of an administrator are in audit.json',
  'regrades.created_by': 'corrections by an administrator are in audit.json',
  refresh_tokens: 'secrets: hashes of tokens of your sessions',
  'earlier_resets.user_id': 'secrets: hashes of links that reset your password; they go after an hour',
  revocations: 'numbers of sessions that were ended, without names',
  login_failures: 'wrong passwords by address and name, whoever typed them; they go after 15 minutes',
  generation_batches: 'questions of exams',
  generation_files: 'documents that jobs are reading; they go when the job ends',
  counts: 'of no person: how many people, results and attempts there are',
  exams: 'of no person',
  categories: 'of no person',
  questions: 'of no person',
  exam_papers: 'of no person',
  extensions: 'of no person; what an extension gave you is in attempts.json',
  imports: 'of no person: what imports of questions answered; that goes after a day',
  discarded_files: 'names of files that are about to be deleted',
}

function toAttempt(row: Awaited<ReturnType<typeof store.ownAttempts.listRows>>[number]) {
  const { attempt, exam } = row
  return {
    id: attempt.id,
    exam_id: exam.id,
    exam_name: exam.name,
    attempt_number: attempt.attemptNumber,
    status: attempt.status,
    started_at: attempt.startedAt,
    ends_at: attempt.endsAt,
    extra_minutes: attempt.extraMinutes,
    submitted_at: attempt.submittedAt,
    answers: attempt.answers,
    marked_for_review: attempt.markedForReview,
    revision: attempt.revision,
    result: releaseResult(row)?.score ?? null,
  }
}

/** The schema of a list's file. */
export function listSchema(name: string, { title, schema }: Pick<Area, 'title' | 'schema'>) {
  return schemas.exportFile(name, title, Type.Array(schema))
}
