import { type TSchema, Type } from 'typebox'
import * as schemas from '../../../schemas/account-export.schemas.ts'
import { releaseResult } from '../attempts/result-visibility.service.ts'
import * as store from './account-export.store.ts'
import type { Source } from './account-export-rows.store.ts'

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
  identities: area(
    'Sign-ins of a school or the like that lead to your account',
    ['identities.user_id'],
    schemas.ExportedIdentity,
    store.ownIdentities,
  ),
  push_settings: area(
    'What you want to be told of on your devices',
    ['push_settings.user_id'],
    schemas.ExportedPushSettings,
    store.ownPushSettings,
  ),
  push_subscriptions: area(
    'Devices that are told, without the secrets that they gave',
    ['push_subscriptions.user_id'],
    schemas.ExportedPushSubscription,
    store.ownPushSubscriptions,
  ),
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
  practice_settings: area(
    'How you practise, and since when',
    ['practice_settings.user_id'],
    schemas.ExportedPracticeSettings,
    store.ownPracticeSettings,
  ),
  practice_cards: area(
    'Questions that you practise, and how well you know them',
    ['practice_cards.user_id'],
    schemas.ExportedPracticeCard,
    store.ownPracticeCards,
  ),
  practice_reviews: area(
    'Your answers in practice, and those in exams that it began with',
    ['practice_reviews.user_id'],
    schemas.ExportedPracticeReview,
    store.ownPracticeReviews,
  ),
  classes: area(
    'Classes that you are in, or were',
    ['class_members.user_id'],
    schemas.ExportedClass,
    store.ownClasses,
  ),
  class_invitations: area(
    'Classes that your confirmed address is asked to join',
    ['class_invitations'],
    schemas.ExportedClassInvitation,
    store.ownClassInvitations,
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
  reactions: area('Emoji that you put on messages', [], schemas.ExportedReaction, store.ownReactions),
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

export const CHAT_FILES = {
  title: 'Files that you put into conversations; they are beside it',
  holds: ['attachments.owner_id'],
  schema: schemas.ExportedChatFile,
}

/** Data that is, or looks as if it were, about people, and why the export leaves it out. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'blocks.blocked_id': 'who blocked you is their own affair',
  'mentions.user_id': 'who mentioned you is in what others wrote',
  'reports.author_id': 'what others reported of you is told to administrators alone',
  'reports.resolved_by': 'decisions of an administrator are in audit.json',
  'access_requests.processed_by': 'decisions of an administrator are in audit.json',
  'regrades.created_by': 'corrections by an administrator are in audit.json',
  'practice_learners.user_id': 'a secret that shuffles your questions, and a count of one day',
  'practice_decks.user_id': 'which of your cards are to be looked at again',
  message_words: 'the words of your messages, which are in messages.json',
  search_marks: 'of no person: up to where messages can be searched by words',
  refresh_tokens: 'secrets: hashes of tokens of your sessions',
  'earlier_resets.user_id': 'secrets: hashes of links that reset your password; they go after an hour',
  revocations: 'numbers of sessions that were ended, without names',
  login_failures: 'wrong passwords by address and name, whoever typed them; they go after 15 minutes',
  access_failures: 'wrong names and addresses by network, whoever typed them; they go after an hour',
  nodes: 'of no person: which nodes of the service run',
  generation_batches: 'questions of exams',
  generation_files: 'documents that jobs are reading; they go when the job ends',
  pushes: 'pushes that are about to be sent, of what other files have; they go within a day',
  push_causes: 'what pushes are about to be made of; it goes within seconds',
  push_keys: 'a secret of the service',
  push_cursor: 'of no person: up to which message pushes were made',
  push_gaps: 'of no person: numbers of messages that may come late',
  push_openings: 'of no person',
  counts: 'of no person: how many people, results and attempts there are',
  'exams.created_by': 'the exams that you made are in audit.json',
  classes: 'of no person',
  class_mails: 'of no person: how many mails invited to a class',
  exam_classes: 'of no person',
  class_accommodations: 'of no person: times of a whole class',
  'join_failures.user_id': 'how many wrong codes of classes you tried within an hour',
  categories: 'of no person',
  questions: 'of no person',
  exam_papers: 'of no person',
  past_explanations: 'of no person',
  extensions: 'of no person; what an extension gave you is in attempts.json',
  practice_attempts: 'numbers of attempts whose answers are in practice_reviews.json',
  practice_papers: 'of no person',
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
