import { eq, or, SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type TSchema, Type } from 'typebox'
import { Score } from '../../../schemas/attempts.schemas.ts'
import { Nullable, Timestamp } from '../../../schemas/common.ts'
import { accommodations } from '../../db/tables/accommodations.tables.ts'
import { accessRequests, passwordResets } from '../../db/tables/account.tables.ts'
import {
  assistantConversations,
  assistantMessages,
  assistantQuestions,
} from '../../db/tables/assistant.tables.ts'
import { attemptMessages, attempts } from '../../db/tables/attempts.tables.ts'
import { auditEntries } from '../../db/tables/audit.tables.ts'
import {
  attachments,
  blocks,
  connections,
  conversationMembers,
  conversations,
  groupAdditions,
  isArchived,
  messages,
} from '../../db/tables/chat.tables.ts'
import {
  classComments,
  classExcused,
  classInvitations,
  classMembers,
  classNews,
} from '../../db/tables/classes.tables.ts'
import { challenges } from '../../db/tables/corrections.tables.ts'
import { comments } from '../../db/tables/discussions.tables.ts'
import { generationJobs } from '../../db/tables/generation.tables.ts'
import { materials } from '../../db/tables/materials.tables.ts'
import { assets, notebookInteractions, notebooks, pages } from '../../db/tables/notes.tables.ts'
import { notices } from '../../db/tables/notices.tables.ts'
import { practiceCards, practiceReviews, practiceSettings } from '../../db/tables/practice.tables.ts'
import { pushSettings, pushSubscriptions } from '../../db/tables/push.tables.ts'
import { reports } from '../../db/tables/reports.tables.ts'
import { identities, sessions } from '../../db/tables/sign-in.tables.ts'
import { users } from '../../db/tables/users.tables.ts'
import { foldedCase } from '../../db/text-search.ts'
import { PRESENT_SOURCES } from '../assistant/assistant.sql.ts'
import { isUnread } from '../notices/notices.sql.ts'
import type { Area, Field } from './account-export.store.ts'

const text = Type.String()
const answer = Type.Union([text, Type.Array(text)])

/** The files of a personal export by name, in their order. A column that is in none of them is in `LEFT_OUT`. */
export const AREAS: Readonly<Record<string, Area>> = {
  profile: {
    title: 'Your profile',
    single: true,
    owner: users.id,
    columns:
      'id username email email_verified email_contested full_name role google_subject suspended_at created_at updated_at',
    descriptions: {
      email_contested: 'a provider says that it is somebody else’s',
      google_subject: 'who you are to the identity provider',
    },
    fields: {
      has_password: { value: sql`users.password_hash is not null`, schema: Type.Boolean() },
      password_reset_requested_at: {
        value: sql`(select ${passwordResets.requestedAt} from password_resets
          where ${passwordResets.userId} = users.id)`.mapWith(passwordResets.requestedAt),
        schema: Nullable(Timestamp),
      },
      put_into_groups: {
        value: sql`(select jsonb_build_object('day', ${groupAdditions.day}, 'count', ${groupAdditions.count})
          from group_additions where ${groupAdditions.userId} = users.id)`,
        schema: Nullable(
          Type.Object(
            { day: text, count: Type.Integer() },
            { description: 'by others, on the latest such day' },
          ),
        ),
      },
    },
  },
  sessions: {
    title: 'Where you are signed in',
    owner: sessions.userId,
    columns: 'id kind ip user_agent created_at last_used_at expires_at',
  },
  identities: {
    title: 'Sign-ins of a school or the like that lead to your account',
    owner: identities.userId,
    columns: 'issuer subject created_at',
    descriptions: { issuer: 'the address of the provider', subject: 'who you are there' },
  },
  push_settings: {
    title: 'What you want to be told of on your devices',
    owner: pushSettings.userId,
    columns: 'messages exams practice practice_hour preview language time_zone',
    descriptions: {
      messages: 'which messages of groups; those of single people always come',
      practice_hour: 'in your time zone',
      preview: 'whether a push says what was written',
    },
    fields: {
      notices: {
        value: pushSettings.notices,
        schema: Type.Record(text, Type.Object({ push: Type.Boolean(), mail: Type.Boolean() }), {
          description: 'which notices pushes and mails tell you of, where you have changed that',
        }),
      },
    },
  },
  push_subscriptions: {
    title: 'Devices that are told, without the secrets that they gave',
    owner: pushSubscriptions.userId,
    columns: 'id session_id endpoint created_at last_used_at failing_since',
  },
  notices: {
    title: 'What you were told',
    owner: notices.userId,
    columns: 'id kind subject_id exam_id class_id minutes at',
    descriptions: {
      subject_id: 'the exam, news, challenge or request; of changed results and more time a number',
      minutes: 'how much more time it was',
    },
    fields: {
      read: { value: sql`not ${isUnread(sql`notices`)}`, schema: Type.Boolean() },
    },
  },
  access_requests: {
    title: 'Your requests for another role',
    owner: accessRequests.userId,
    columns: 'id current_access requested_access status user_reason admin_reason created_at processed_at',
  },
  attempts: {
    title: 'Your attempts with your answers, and the results that you may see',
    owner: attempts.userId,
    columns:
      'id exam_id attempt_number status started_at ends_at extra_minutes submitted_at handed_in marked_for_review revision',
    descriptions: {
      extra_minutes: 'how much longer it was made while it was under way',
      handed_in: 'a teacher handed it in for you',
    },
    fields: {
      exam_name: examName(sql`attempts.exam_id`),
      answers: {
        value: attempts.answers,
        schema: Type.Record(text, answer, { description: 'by question id' }),
      },
      // With what decides whether it may be seen: `releaseResult` makes what is exported.
      result: {
        value: sql`jsonb_build_object('score', ${attempts.score}, 'maxScore', ${attempts.maxScore},
          'percentage', ${attempts.percentage}, 'correct', ${attempts.correct}, 'incorrect', ${attempts.incorrect},
          'unattempted', ${attempts.unattempted},
          'exam', (select jsonb_build_object('resultMode', result_mode, 'resultsReleased', results_released)
            from exams where exams.id = attempts.exam_id))`,
        schema: Nullable({ ...Score, description: 'null until it may be seen' }),
      },
    },
  },
  exam_messages: {
    title: 'What you were told during exams',
    from: attemptMessages,
    owner: (userId) =>
      sql`${attemptMessages.attemptId} in (select id from attempts where user_id = ${userId})`,
    columns: 'id attempt_id text sent_at',
  },
  written_exam_messages: {
    title: 'What you told people during exams',
    owner: attemptMessages.authorId,
    columns: 'id text sent_at',
  },
  challenges: {
    title: 'What you objected to in results',
    from: challenges,
    owner: (userId) => sql`${challenges.attemptId} in (select id from attempts where user_id = ${userId})`,
    columns: 'id attempt_id question_id message status reply created_at resolved_at',
  },
  accommodations: {
    title: 'Times of exams that are other for you',
    owner: accommodations.userId,
    columns: 'exam_id extra_time_percent opens_at closes_at updated_at',
    fields: { exam_name: examName(sql`accommodations.exam_id`) },
  },
  practice_settings: {
    title: 'How you practise, and since when',
    owner: practiceSettings.userId,
    columns: 'since new_per_day retention',
  },
  practice_cards: {
    title: 'Questions that you practise, and how well you know them',
    owner: practiceCards.userId,
    columns: 'question_id exam_id state due last_review stability difficulty reps lapses introduced_at',
    descriptions: { introduced_at: 'null where it began with an exam' },
  },
  practice_reviews: {
    title: 'Your answers in practice, and those in exams that it began with',
    owner: practiceReviews.userId,
    columns:
      'client_id question_id exam_id attempt_id answered_at arrived_at outcome share sure rating took_ms scheduler undone_at',
    descriptions: {
      attempt_id: 'the attempt in which it was answered; null: in practice',
      share: 'which part of the marks a partly right answer brings',
    },
    fields: { answer: { value: practiceReviews.answer, schema: Nullable(answer) } },
  },
  classes: {
    title: 'Classes that you are in, or were',
    owner: classMembers.userId,
    columns: 'class_id role joined_at left_at email',
    descriptions: { email: 'the address that the class invited' },
    fields: {
      name: {
        value: sql`(select name from classes where classes.id = class_members.class_id)`,
        schema: text,
      },
    },
  },
  class_comments: {
    title: 'What the teachers of your classes note about you',
    owner: classComments.userId,
    columns: 'class_id text updated_at',
  },
  class_excused: {
    title: 'Exams that don’t count for you in the gradebook of a class',
    owner: classExcused.userId,
    columns: 'class_id exam_id',
  },
  class_news: {
    title: 'News that you wrote to classes',
    owner: classNews.authorId,
    columns: 'id class_id text pinned created_at edited_at',
  },
  class_materials: {
    title: 'Files that you gave to classes; they are beside it',
    from: materials,
    owner: (userId) => sql`${materials.giverId} = ${userId}`,
    columns: 'id class_id title type size status created_at',
    descriptions: { size: 'bytes', class_id: 'null: the class is deleted' },
    fields: { file: file(materials.fileKey) },
  },
  class_invitations: {
    title: 'Classes that your confirmed address is asked to join',
    from: classInvitations,
    owner: (userId) => sql`${foldedCase(classInvitations.email)} = (
      select ${foldedCase(users.email)} from users where users.id = ${userId} and users.email_verified)`,
    columns: 'class_id email full_name role invited_at',
  },
  tutor_conversations: {
    title: 'Your conversations with the tutor',
    owner: assistantConversations.userId,
    columns: 'id kind title class_id message_count created_at updated_at',
    descriptions: { class_id: 'whose materials it leans on; null: none' },
  },
  tutor_messages: {
    title: 'What you and the tutor wrote in them',
    owner: assistantMessages.userId,
    columns: 'id conversation_id is_user text created_at',
    descriptions: { is_user: 'false: what the tutor answered' },
    fields: {
      sources: {
        value: PRESENT_SOURCES,
        schema: Nullable(
          Type.Array(
            Type.Object({
              n: Type.Integer(),
              material_id: Nullable(Type.Integer()),
              title: text,
              page: Type.Integer(),
              quote: text,
            }),
            { description: 'what its marks name' },
          ),
        ),
      },
    },
  },
  tutor_questions: {
    title: 'Your questions as the daily limit counts them',
    owner: assistantQuestions.userId,
    columns: 'id conversation_id asked_at hung_up model input_tokens cached_tokens output_tokens',
  },
  conversations: {
    title: 'Conversations that you are in, or made',
    from: conversations,
    // Groups that somebody made and has left are among them.
    owner: (userId) => sql`${conversations.id} in (
      select conversation_id from conversation_members where ${conversationMembers.userId} = ${userId}
      union select id from conversations where ${conversations.creatorId} = ${userId})`,
    columns: 'id is_group name',
    descriptions: { name: 'a group’s' },
    fields: {
      with: {
        value: (userId) => sql`(
          select other.username from conversation_members member join users other on other.id = member.user_id
           where member.conversation_id = conversations.id and other.id <> ${userId} and not is_group
           limit 1)`,
        schema: Nullable(Type.String({ description: 'the other person of a direct conversation' })),
      },
      is_creator: {
        value: (userId) => sql`coalesce(creator_id = ${userId}, false)`,
        schema: Type.Boolean(),
      },
      joined_at: asMember(conversationMembers.joinedAt, { ...Timestamp, description: 'null: left' }),
      last_read_seq: asMember(conversationMembers.lastReadSeq, Type.Integer()),
      can_send: asMember(conversationMembers.canSend, Type.Boolean()),
      muted_until: asMember(conversationMembers.mutedUntil, {
        ...Timestamp,
        description: 'the end of the latest mute',
      }),
      archived: asMember(isArchived(sql`member`, sql`conversations`), Type.Boolean()),
      pinned: asMember(conversationMembers.pinned, Type.Boolean()),
    },
  },
  messages: {
    title: 'Messages that you wrote',
    owner: messages.senderId,
    columns:
      'id conversation_id seq client_id message reply_to_id reply_to_text reply_to_name mentions created_at edited_at deleted_at',
    descriptions: { mentions: 'ids of people' },
  },
  reactions: {
    title: 'Emoji that you put on messages',
    from: messages,
    owner: (userId) => sql`${messages.reactions} @> ${JSON.stringify([{ user_ids: [userId] }])}::jsonb`,
    columns: 'conversation_id',
    fields: {
      message_id: messages.id,
      emoji: {
        value: (userId) => sql`array(
          select reaction->>'emoji' from jsonb_array_elements(reactions) reaction
           where reaction->'user_ids' @> ${userId}::text::jsonb)`,
        schema: Type.Array(text),
      },
    },
  },
  connections: {
    title: 'Whom you are connected with, or asked, or were asked by',
    from: connections,
    owner: (userId) => or(eq(connections.requesterId, userId), eq(connections.recipientId, userId)),
    columns: 'id requester_id recipient_id status conversation_id created_at',
    fields: {
      requester: username(sql`connections.requester_id`),
      recipient: username(sql`connections.recipient_id`),
    },
  },
  blocks: {
    title: 'Whom you blocked',
    owner: blocks.blockerId,
    columns: 'created_at',
    fields: {
      user_id: blocks.blockedId,
      username: username(sql`blocks.blocked_id`),
    },
  },
  comments: {
    title: 'Comments that you wrote in discussions',
    owner: comments.authorId,
    columns: 'id question_id parent_id message is_pinned is_best_answer created_at edited_at deleted_at',
  },
  reports: {
    title: 'What you reported',
    owner: reports.reporterId,
    columns: 'id kind message_id comment_id reason status created_at resolved_at',
  },
  notebooks: {
    title: 'Your notebooks',
    owner: notebooks.ownerId,
    columns: 'id title description is_public created_at updated_at',
  },
  library: {
    title: 'Notebooks that you liked or bookmarked',
    from: notebooks,
    owner: (userId) => sql`${notebooks.id} in (
      select notebook_id from notebook_interactions where ${notebookInteractions.userId} = ${userId})`,
    columns: 'title',
    fields: {
      notebook_id: notebooks.id,
      kinds: {
        value: (userId) => sql`array(
          select ${notebookInteractions.kind} from notebook_interactions
           where ${notebookInteractions.notebookId} = notebooks.id and user_id = ${userId} order by 1)`,
        schema: Type.Array(Type.Enum(notebookInteractions.kind.enumValues)),
      },
    },
  },
  generation_jobs: {
    title: 'Questions that you had generated',
    owner: generationJobs.userId,
    columns:
      'id exam_id status message error question_count input_tokens cached_tokens output_tokens check_input_tokens check_cached_tokens check_output_tokens created_at finished_at',
    fields: {
      request: { value: generationJobs.request, schema: Type.Object({}, { additionalProperties: true }) },
    },
  },
  audit: {
    title: 'What you changed as an administrator',
    owner: auditEntries.actorId,
    columns: 'id at action subject_type subject_id class_id summary ip',
  },
  note_pages: {
    title: 'The pages of your notebooks with what is on them',
    from: pages,
    owner: (userId) => sql`${pages.notebookId} in (select id from notebooks where owner_id = ${userId})`,
    columns: 'id notebook_id title position version created_at updated_at',
    fields: {
      // Their numbers: they are read, some at a time, when the page is written.
      objects: {
        value: pages.stack,
        schema: Type.Array(Type.Object({ id: text }, { additionalProperties: true }), {
          description: 'from the bottom of the stack to its top',
        }),
      },
    },
  },
  note_images: {
    title: 'The images on them; their files are beside it',
    from: assets,
    owner: (userId) => sql`${assets.pageId} in (
      select pages.id from pages join notebooks on notebooks.id = notebook_id where owner_id = ${userId})`,
    columns: 'id page_id content_type size width height created_at',
    descriptions: { size: 'bytes' },
    fields: { file: file(assets.fileKey) },
  },
  chat_files: {
    title: 'Files that you put into conversations; they are beside it',
    owner: attachments.ownerId,
    columns: 'id conversation_id message_id name size width height created_at',
    descriptions: { message_id: 'null: not sent' },
    fields: { file: file(attachments.fileKey), type: attachments.contentType },
  },
}

/**
 * By table, what the export leaves out, and why: whole tables, and columns of those that are in it or whose rows belong
 * to people.
 */
export const LEFT_OUT: Readonly<Record<string, string | Record<string, string>>> = {
  users: {
    password_hash: 'a secret',
    'by_operator unclaimed': 'how the account was made',
    deleted_at: 'an account that has it has no export',
  },
  class_news: { user_ids: 'other people' },
  password_resets: { token_hash: 'a secret', email: 'where the link was mailed' },
  password_links: { 'user_id token_hash ends_at': 'a secret of a link that an administrator made for you' },
  earlier_resets: { 'token_hash user_id requested_at email': 'secrets; they go after an hour' },
  sessions: {
    'generation refresh_generation rotated_at refresh_used': 'what its tokens are checked by',
    'opened_by identity_id provider_sid ends_at': 'how it began, and what ends it with that',
  },
  refresh_tokens: 'secrets: hashes of tokens of your sessions',
  revocations: 'numbers of sessions that were ended, without names',
  identities: { id: 'a number that sessions know it by' },
  login_failures: 'wrong passwords by address and name, whoever typed them; they go after 15 minutes',
  access_failures: 'wrong names and addresses by network, whoever typed them; they go after an hour',
  access_requests: {
    signed_in: 'whether it was made in a session',
    processed_by: 'decisions of an administrator are in audit.json',
  },
  push_settings: { practice_told_on: 'keeps practice from telling you twice on a day' },
  push_subscriptions: { 'p256dh auth': 'secrets of the device', language: 'what the device asks for' },
  notices: { 'mail_due_at mail_tries mail_token_hash': 'how its mail is sent, with a secret' },
  notice_readers: {
    'user_id read_up_to': 'what `read` is made of',
    'mail_day mails': 'how many mails about notices you got on a day',
  },
  notice_causes: 'what notices are about to be made of; it goes within a minute, or when an exam closes',
  notice_closings: 'of no person',
  pushes: 'pushes that are about to be sent, of what other files have; they go within a day',
  push_causes: 'what pushes are about to be made of; it goes within seconds',
  push_keys: 'a secret of the service',
  push_cursor: 'of no person: up to which message pushes were made',
  push_gaps: 'of no person: numbers of messages that may come late',
  push_openings: 'of no person',
  attempts: {
    'paper_id seed shuffle drawn': 'which questions you got, in which order',
    'session_id is_elsewhere': 'what keeps your devices apart',
    closed_ms: 'how long it was over before it was opened again',
    'is_away last_saved_at': 'what your teachers saw while you took it',
  },
  practice_learners: { 'user_id seed arrived_on arrived': 'a secret that shuffles, and a count of one day' },
  practice_decks: { 'user_id exam_id basis asked_basis': 'which of your cards are to be looked at again' },
  practice_cards: {
    'paper_id marks guess learning_steps timezone': 'what the order of your cards is made of',
    'first_at is_first_right last_at last_outcome last_share is_last_shown':
      'told from practice_reviews.json',
  },
  practice_reviews: {
    'paper_id stored': 'what it was judged by, with the key of the question',
    expected: 'how likely the answer seemed',
  },
  practice_attempts: 'numbers of attempts whose answers are in practice_reviews.json',
  practice_papers: 'of no person',
  classes: 'of no person',
  class_members: { 'removed removed_at': 'whether the code of the class can bring you back' },
  class_invitations: {
    'id language token_hash mail_due_at mail_tries': 'how its mail is sent, with a secret',
    ended_at: 'keeps the class from mailing to you again at once',
  },
  materials: {
    'attempt pages unreadable_pages passages frequent_words error': 'what was read of the file',
  },
  material_passages: 'the texts of your files, which are beside class_materials.json',
  class_words: 'of no person: how often words are in the materials of a class',
  class_mails: 'of no person: how many mails invited to a class',
  class_accommodations: 'of no person: times of a whole class',
  join_failures: { 'user_id failures since': 'how many wrong codes of classes you tried within an hour' },
  assistant_questions: { expires_at: 'how long the tutor may take to answer' },
  conversations: { 'last_seq version members_version last_activity_at created_at': 'of all who are in it' },
  conversation_members: { archived_seq: 'what `archived` is made of' },
  messages: { version: 'of the conversation', attachments: 'your files are in chat_files.json' },
  attachments: { thumbnail_key: 'a smaller copy of the image' },
  mentions: {
    'user_id conversation_id seq message_id': 'who mentioned you is in what others wrote',
  },
  message_words: 'the words of your messages, which are in messages.json',
  search_marks: 'of no person: up to where messages can be searched by words',
  connections: { 'pushed_at asks rejected_at': 'keeps requests from being sent again and again' },
  blocks: { blocked_id: 'who blocked you is their own affair' },
  reports: {
    'author_id reported_text context': 'what others reported of you is told to administrators alone',
    'note resolved_by': 'decisions of an administrator are in audit.json',
  },
  notebooks: { 'likes bookmarks': 'how many others liked or bookmarked it' },
  notebook_interactions: { created_at: 'shown to nobody' },
  pages: { 'object_count tombstones size': 'sizes of what is on it' },
  page_objects: { 'id page_id object_id': 'where an object is, which note_pages.json shows' },
  generation_jobs: {
    'last_event total_batches completed_batches attempt waits_until': 'how far the service is with it',
  },
  generation_drafts: 'questions of batches under way; they go when the job ends',
  ai_days: 'tokens of all people together',
  ai_requests: { 'id day user_id job_id tokens expires_at': 'what the model takes, counted until midnight' },
  generation_batches: 'questions of exams',
  generation_files: 'documents that jobs are reading; they go when the job ends',
  audit_entries: { former_actor_id: 'of deleted accounts' },
  regrades: { created_by: 'corrections by an administrator are in audit.json' },
  exams: { created_by: 'the exams that you made are in audit.json' },
  exam_classes: 'of no person',
  exam_papers: 'of no person',
  extensions: 'of no person; what an extension gave you is in attempts.json',
  past_explanations: 'of no person',
  categories: 'of no person',
  questions: 'of no person',
  imports: 'of no person: what imports of questions answered; that goes after a day',
  discarded_files: 'names of files that are about to be deleted',
  counts: 'of no person: how many people, results and attempts there are',
  nodes: 'of no person: which nodes of the service run',
}

function examName(examId: SQL): Field {
  return { value: sql`(select name from exams where exams.id = ${examId})`, schema: text }
}

function username(userId: SQL): Field {
  return { value: sql`(select username from users where users.id = ${userId})`, schema: text }
}

/** Of the person's membership in a conversation; null if they are not in it. */
function asMember(value: PgColumn | SQL, schema: TSchema): Field {
  return {
    value: (userId) => {
      const read = sql`(select ${value} from conversation_members member
        where ${conversationMembers.conversationId} = conversations.id and user_id = ${userId})`
      return value instanceof SQL ? read : read.mapWith(value)
    },
    schema: Nullable(schema),
  }
}

/** A stored file, which stands beside the list and is named by its place there. */
function file(key: PgColumn): Field {
  return {
    value: key,
    schema: Nullable(Type.String({ description: 'its place in this export; null: it is lost' })),
  }
}
