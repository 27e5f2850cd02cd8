// Printed from the documents of a running service: npm run generate -w client
import type { Challenge, ClassNews, ConnectionRequest, Conversation, Material, Message } from './openapi.ts'

export type CommentEntry = { id: number; question_id: number; parent_id: number | null; user_id: number; /** `Deleted Account` where the author has gone */ username: string; /** empty for a deleted comment */ message: string; is_own: boolean; is_edited: boolean; /** kept for the replies below it */ is_deleted: boolean; is_pinned: boolean; is_best_answer: boolean; created_at: string }

export type ReactionTotal = { emoji: string; count: number; /** the first of them, in the order of reacting */ user_ids: number[] }

export interface ServerFrames {
  /** The first frame, always. */
  ready: { type: 'ready'; user_id: number; session_id: number; server_time: string; heartbeat_seconds: number; unread: number | null; unread_all: number | null; mentions: number | null; requests: number | null; unread_notices: number | null }
  /** The request with that `ref` is done (a `send`: committed), with its result. */
  ack: { type: 'ack'; /** echoed in the ack or error */ ref?: string; [field: string]: unknown }
  /** The request failed; codes as in HTTP. */
  error: { type: 'error'; /** echoed in the ack or error */ ref?: string; code: string; message: string; /** seconds */ retry_after?: number; [field: string]: unknown }
  /** A new message; its sender has read up to it. */
  message: { type: 'message'; conversation_id: number; message: Message }
  /** The message as it is now; a client that was away when it was sent has not seen it before. */
  message_edited: { type: 'message_edited'; conversation_id: number; message: Message }
  /** A tombstone stays, with empty text. */
  message_deleted: { type: 'message_deleted'; conversation_id: number; message: Message }
  /** A message's reactions as they are now, and the change that made them so. */
  reactions: { type: 'reactions'; conversation_id: number; message_id: number; version: number; reactions: ReactionTotal[]; user_id: number; emoji: string; added: boolean }
  /** A member's read pointer moved: one's own on another device, or a peer's. */
  read: { type: 'read'; conversation_id: number; user_id: number; up_to_seq: number }
  /** The reader's counters changed; with one conversation's own where only that one did. */
  unread: { type: 'unread'; unread: number; unread_all: number; requests: number; mentions: number; conversation_id?: number; conversation_unread?: number }
  /** Somebody with whom the reader has a connection or a conversation came or went. */
  presence: { type: 'presence'; user_id: number; online: boolean }
  /** Somebody is typing; lasts 5 s. */
  typing: { type: 'typing'; conversation_id: number; user_id: number }
  /** A conversation appeared or changed; `removed` with its id alone when the reader left it. */
  conversation: { type: 'conversation'; conversation: Conversation | { id: number }; removed?: true }
  /** Somebody asks to connect. */
  connection_request: { type: 'connection_request'; request: ConnectionRequest }
  /** The other side accepted. */
  connection_accepted: { type: 'connection_accepted'; conn_id: number; user: { id: number; username: string; full_name: string }; conv_id: number }
  /** Progress of a generation job, to the administrators who subscribed to it. */
  ai_job: { type: 'ai_job'; job_id: string; status: 'running' | 'done' | 'failed'; message: string; last_event: string; total_batches: number; completed_batches: number; questions_so_far: number; percent: number; error: string | null }
  /** A comment changed, to subscribers of `question:<id>`. */
  comment: { type: 'comment'; question_id: number; action: 'created' | 'edited' | 'deleted' | 'pinned' | 'best_answer'; comment: { id: number; question_id: number; parent_id: number | null; user_id: number; /** `Deleted Account` where the author has gone */ username: string; /** empty for a deleted comment */ message: string; is_own: boolean; is_edited: boolean; /** kept for the replies below it */ is_deleted: boolean; is_pinned: boolean; is_best_answer: boolean; created_at: string; /** only of a new comment: it has none yet */ replies?: CommentEntry[] } }
  /** News of a class were published, changed or deleted, for members who subscribed to it. */
  class_news: { type: 'class_news'; class_id: number; news: ClassNews | { id: number }; /** true: `news` has its id alone */ deleted: boolean }
  /** One is told something, or has read notices on some device. */
  notice: { type: 'notice'; notice: { id: number; /** there may be more later */ kind: 'exam_published' | 'exam_closing' | 'result_released' | 'result_changed' | 'challenge_answered' | 'more_time' | 'class_news' | 'access_decided'; at: string; read: boolean; exam_id?: number; class_id?: number; /** the exam’s or the class’s name */ title: string; /** in the person’s language */ body: string } | null; /** notices that one hasn’t read */ unread: number }
  /** A material of a class was added, read, renamed or deleted, for members who subscribed to it. */
  material: { type: 'material'; class_id: number; material: Material | { id: number }; /** true: `material` has its id alone */ deleted: boolean }
  /** To students who have an attempt of that exam. */
  results_released: { type: 'results_released'; exam_id: number; released: boolean }
  /** One's own attempt under way ends at another time than before. */
  attempt_time: { type: 'attempt_time'; exam_id: number; attempt_id: number; ends_at: string | null }
  /** A teacher tells everybody, or some, who are taking an exam something. */
  exam_message: { type: 'exam_message'; exam_id: number; text: string; at: string }
  /** How students stand with an exam, of whom something has changed, for those who subscribed to it: at most once a second. */
  live: { type: 'live'; exam_id: number; class_id?: number; students: ({ user_id: number; username: string; full_name: string; state: 'absent' | 'under_way' | 'handed_in' | 'expired'; attempt_id: number | null; /** questions with a saved answer */ answered: number; /** what the attempt has, or one would get */ questions: number; /** marked for review */ marked: number; started_at: string | null; ends_at: string | null; last_saved_at: string | null; /** has a socket, and did something within the last minute */ connected: boolean; away: boolean | null })[] }
  /** You are taking an exam that locks help: until it ends you cannot use tutor, practice, chat, discussions or classes, and their frames are held back. */
  help_locked: { type: 'help_locked'; exam_id: number }
  /** That attempt is over. After the last of them comes `resync`. */
  help_unlocked: { type: 'help_unlocked'; exam_id: number }
  /** A correction has changed a result that one can see. */
  result_changed: { type: 'result_changed'; exam_id: number; attempt_id: number }
  /** A challenge of one’s own was decided. */
  challenge_resolved: { type: 'challenge_resolved'; challenge: Challenge }
  /** One has practised or changed its settings: the cards that are due, and what today still brings. */
  practice: { type: 'practice'; due: number; new: number }
  /** Events may have been missed or held back: send `resume`. */
  resync: { type: 'resync' }
  /** Instead of more than 500 changed messages: drop what is held of this conversation, list it afresh by HTTP, and go on from this version. */
  gap: { type: 'gap'; conversation_id: number; version: number }
  /** Send `auth` with a new token before then, or the socket is closed with 4001. */
  auth_expiring: { type: 'auth_expiring'; /** seconds */ expires_in: number }
  /** Answers `ping`. */
  pong: { type: 'pong'; /** echoed in the ack or error */ ref?: string }
}
export type ServerFrame = ServerFrames[keyof ServerFrames]

export interface ClientFrames {
  /** Sends a message, by the rules and the rate limit of HTTP. Ack: `message`. */
  send: { type: 'send'; /** echoed in the ack or error */ ref?: string; conversation_id: number; /** empty, or left out, only with attachments */ message?: string; /** a UUID that the client makes; a repetition stores nothing, and the answer is the first message */ client_id?: string; reply_to_id?: number | null; reply_to_text?: string | null; reply_to_name?: string | null; /** one's own files that are not sent yet */ attachment_ids?: number[]; /** ids of members; others are dropped */ mentions?: number[] }
  /** Moves the read pointer forward. Ack: `unread`. */
  read: { type: 'read'; /** echoed in the ack or error */ ref?: string; conversation_id: number; up_to_seq?: number }
  /** Tells the other members that one is typing. No ack. */
  typing: { type: 'typing'; /** echoed in the ack or error */ ref?: string; conversation_id: number }
  /** Somebody is looking: send it every 20 s while that is so. It holds pushes back. Ack with a `ref` only. */
  active: { type: 'active'; /** echoed in the ack or error */ ref?: string }
  /** Says whether the paper of one’s attempt is out of view, where the paper has `watch_page`. Ack with a `ref` only. */
  page: { type: 'page'; /** echoed in the ack or error */ ref?: string; exam_id: number; away: boolean }
  /** Asks for every change since these versions, by conversation. The changes come in order, then the ack. */
  resume: { type: 'resume'; /** echoed in the ack or error */ ref?: string; conversations: { [key: string]: number } }
  /** Asks for the frames of a topic. Ack: `topic`. */
  subscribe: { type: 'subscribe'; /** echoed in the ack or error */ ref?: string; topic: string }
  /** Ends a subscription. Ack: `topic`. */
  unsubscribe: { type: 'unsubscribe'; /** echoed in the ack or error */ ref?: string; topic: string }
  /** Goes on with a new token of the same account. Ack: `expires_in`. */
  auth: { type: 'auth'; /** echoed in the ack or error */ ref?: string; access_token: string }
  /** Answered by `pong`. */
  ping: { type: 'ping'; /** echoed in the ack or error */ ref?: string }
}
export type ClientFrame = ClientFrames[keyof ClientFrames]
