/**
 * Every failure that a client can get: its stable code, HTTP status and default message. Sockets use the same codes.
 * How failures are rendered: docs/protocol/http.md#envelopes.
 */
export const CATALOGUE = {
  // requests
  validation_failed: [400, 'The request is not valid'],
  forbidden: [403, 'You may not do that'],
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_request: [400, 'The request could not be read'],
  nothing_to_update: [400, 'There is nothing to change'],
  changed: [409, 'It was changed meanwhile'],
  unsupported_media_type: [415, 'This content type is not accepted here'],
  payload_too_large: [413, 'The request is too large'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'This address takes other methods; `Allow` names them'],
  range_not_satisfiable: [416, 'The file ends before that'],
  nodes_differ: [409, 'The service is being updated; try again when that is done'],
  internal_error: [500, 'Something went wrong on our side'],
  unavailable: [503, 'A part of the service is not reachable; try again shortly'],
  draining: [503, 'This node is shutting down; try again'],
  // who may do what
  authentication_required: [401, 'Authentication required'],
  token_expired_or_invalid: [401, 'The token has expired or is not valid'],
  invalid_credentials: [401, 'Invalid credentials'],
  locked_out: [429, 'Too many failed attempts'],
  invalid_id_token: [401, 'The identity provider does not vouch for this sign-in'],
  oidc_denied: [403, 'The sign-in was refused'],
  oidc_state: [400, 'This sign-in was begun elsewhere, or too long ago; try again'],
  oidc_failed: [401, 'The sign-in could not be confirmed; try again'],
  email_unverified: [403, 'The sign-in gave no confirmed e-mail address'],
  registration_closed: [
    403,
    'People do not make their accounts themselves here; ask whoever runs this service',
  ],
  account_suspended: [403, 'This account is suspended; ask whoever runs this service'],
  oidc_only: [403, 'Sign in the way that this service offers: its own passwords are off'],
  identity_provider_down: [503, 'The sign-in can’t be reached at the moment; try again shortly'],
  admin_required: [403, 'Admin access required'],
  cross_site_request: [403, 'This request comes from another site'],
  not_configured: [503, 'This is not set up on this service'],
  username_taken: [409, 'That username is taken'],
  email_taken: [409, 'That e-mail address is taken'],
  account_exists: [
    409,
    'An account has this e-mail address, and nobody has confirmed whose it is: say if it is yours',
  ],
  wrong_password: [403, 'The current password is not right'],
  fresh_sign_in_required: [403, 'Sign in again first: this needs a sign-in of the last ten minutes'],
  invalid_token: [400, 'The link has expired or was used already'],
  confirmation_required: [400, 'Confirm with the exact word DELETE'],
  ghost_account: [403, 'The placeholder of deleted accounts cannot be changed'],
  last_admin: [409, 'The last administrator cannot go'],
  request_pending: [409, 'A request is pending already'],
  already_processed: [409, 'This request was processed already'],
  // chat
  rate_limited: [429, 'Too fast: wait a moment before the next one'],
  not_connected: [403, 'You are not connected to this person'],
  already_connected: [409, 'You are connected already'],
  already_pending: [409, 'A request is pending already'],
  already_answered: [409, 'This request was answered already'],
  self_connection: [400, 'You cannot connect to yourself'],
  not_owner: [403, 'Only its owner may do that'],
  owner_only: [403, 'Only the owner of the group may do this'],
  deleted: [409, 'The message is deleted'],
  invalid_attachment: [400, 'A file is not there, not yours, or was sent already'],
  attachment_gone: [400, 'A file was not sent within a day and is gone'],
  already_sent: [409, 'The file is sent already'],
  invalid_reply: [400, 'The message replied to is not in this conversation'],
  // the model
  model_failed: [502, 'The model did not answer; try again'],
  aborted: [400, 'The request was ended by its sender'],
  daily_limit: [429, 'Daily limit reached.'],
  ai_budget_spent: [429, 'What the model may do here in a day is used up; it goes on after midnight'],
  conversation_limit: [400, 'This conversation has reached its limit; start a new one.'],
  already_finished: [409, 'The job has ended already'],
  // managing exams
  unknown_category: [400, 'There is no such category'],
  missing_columns: [400, 'The CSV lacks columns'],
  invalid_csv: [400, 'The file is not a valid CSV'],
  invalid_file: [400, 'The file could not be read'],
  // notes
  version_conflict: [409, 'The page has changed since'],
  notes_full: [409, 'There is no room for more here'],
  // classes
  wrong_code: [404, 'No class has this code: check its letters, or ask your teacher for a new one'],
  class_archived: [409, 'The class is archived'],
  is_student: [409, 'Somebody is a student of the class, and would not be any more'],
  class_in_use: [409, 'An exam is for this class alone'],
  keys_open: [
    409,
    'You may know the answers of this exam by now: only an administrator, or the teacher whose own exam it is, can let people take it again',
  ],
  class_group: [403, 'Its members are those of the class'],
  // taking exams
  attempts_exhausted: [403, 'There are no attempts left for this exam'],
  teaches_exam: [403, 'Teachers of a class that this exam is for cannot take it'],
  exam_not_open: [403, 'This exam is not open yet'],
  exam_closed: [403, 'This exam is closed'],
  exam_in_progress: [403, 'Not while your exam is in progress'],
  attempt_active: [409, 'An exam is under way; finish it first'],
  exam_empty: [409, 'This exam has no questions yet'],
  newer_kinds: [409, 'This exam has questions that only the newer generation of the API can show'],
  ends_attempts: [409, 'That would end attempts that are under way'],
  order_changed: [409, 'The questions of this exam have changed meanwhile'],
  draw_too_few: [409, 'There are too few questions to draw from'],
  already_submitted: [409, 'It was handed in already'],
  no_active_attempt: [409, 'There is no attempt under way'],
  stale_revision: [409, 'A newer revision is stored already'],
  another_attempt: [409, 'Another attempt at this exam is under way'],
  results_not_released: [403, 'The results of this exam are not released yet'],
  // corrections
  too_slow: [400, 'To try the draws of its variables takes too long; make them or their conditions simpler'],
  too_many: [409, 'That is as many as there may be'],
  already_undone: [409, 'This regrade was undone already'],
  // practice
  not_newest: [409, 'The card was reviewed again since'],
  not_practisable: [409, 'You may not practise any question of this exam'],
  // files
  invalid_signature: [403, 'This address has expired or is not valid'],
  // gateway
  upgrade_required: [426, 'This address speaks WebSocket only'],
  invalid_frame: [400, 'The frame is not valid'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof CATALOGUE

/** Failures of authentication rather than of the request: their bodies carry both `status` and `success`. */
const AUTH_CODES: ReadonlySet<ErrorCode> = new Set([
  'authentication_required',
  'token_expired_or_invalid',
  'admin_required',
  'cross_site_request',
  'invalid_credentials',
  'locked_out',
])

export interface ErrorOptions {
  /** Instead of the code's usual status. */
  status?: number
  message?: string
  /** Seconds after which it makes sense to try again: the `Retry-After` header and `retry_after`. */
  retryAfter?: number
  /** Further fields of the body. */
  details?: Record<string, unknown>
  cause?: unknown
}

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly status: number
  readonly retryAfter: number | undefined
  readonly details: Record<string, unknown>

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    const [status, message] = CATALOGUE[code]
    super(options.message ?? message, { cause: options.cause })
    this.code = code
    this.status = options.status ?? status
    this.retryAfter =
      options.retryAfter === undefined ? undefined : Math.max(1, Math.ceil(options.retryAfter))
    this.details = options.details ?? {}
  }

  get isAuthFailure(): boolean {
    return AUTH_CODES.has(this.code)
  }
}

/** Until it makes sense to try again: once less is asked for, and once an operator has made room. */
const RETRY_WHEN_BUSY_SECONDS = 2
const RETRY_WHEN_FULL_SECONDS = 60

/** 503 while the service or its database has too much to do, or can't be reached. */
export function busy(cause?: unknown): AppError {
  return new AppError('unavailable', { retryAfter: RETRY_WHEN_BUSY_SECONDS, cause })
}

/** 503 for what can't be stored any more: a disk is full. */
export function noRoom(message: string, cause: unknown): AppError {
  return new AppError('unavailable', { message, retryAfter: RETRY_WHEN_FULL_SECONDS, cause })
}

/** 400 for one field of a request; `path` is a JSON pointer to it. */
export function invalidField(path: string, message: string): AppError {
  return invalidFields([{ path, message }])
}

/** 400 for several fields. */
export function invalidFields(errors: { path: string; message: string }[]): AppError {
  return new AppError('validation_failed', { details: { errors } })
}
