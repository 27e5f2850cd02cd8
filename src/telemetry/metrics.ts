import { CLOSE, type CloseReason } from '../../schemas/close-codes.ts'
import { CLIENT_FRAMES } from '../../schemas/events.ts'
import { Counter, Counters, Gauge, Histogram } from './metric-types.ts'

/** Everything that a node measures, by feature, beside the metrics of Node.js and HTTP. */

const FRAMES = Object.keys(CLIENT_FRAMES) as (keyof typeof CLIENT_FRAMES)[]
const REASONS = Object.keys(CLOSE) as CloseReason[]
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export const gateway = {
  sockets: new Gauge({ name: 'gateway_sockets', help: 'WebSockets that are open' }),
  opened: new Counter({ name: 'gateway_sockets_opened_total', help: 'WebSockets that were opened' }),
  closed: new Counters(
    { name: 'gateway_sockets_closed_total', help: 'WebSockets that this node closed, by reason' },
    'reason',
    REASONS,
  ),
  received: new Counters(
    { name: 'gateway_frames_received_total', help: 'Frames from clients, by type' },
    'type',
    [...FRAMES, 'unreadable'],
  ),
  sent: new Counter({ name: 'gateway_frames_sent_total', help: 'Frames handed to sockets' }),
  sentBytes: new Counter({ name: 'gateway_sent_bytes_total', help: 'Bytes of frames handed to sockets' }),
  slowReaders: new Counter({
    name: 'gateway_slow_readers_total',
    help: 'WebSockets that were closed because too much waited for their reader',
  }),
}

export const chat = {
  messages: new Counter({ name: 'chat_messages_total', help: 'Messages that were stored' }),
  deliveries: new Counter({
    name: 'chat_deliveries_total',
    help: 'Changes of conversations that were handed to sockets, once for each socket',
  }),
}

export const bus = {
  published: new Counter({ name: 'bus_published_total', help: 'Events that this node published' }),
  received: new Counter({ name: 'bus_received_total', help: 'Events that other nodes published' }),
  reconnects: new Counter({
    name: 'bus_reconnects_total',
    help: 'Times that Redis came back to this node, by either of its connections',
  }),
  lag: new Gauge({
    name: 'bus_lag_seconds',
    help: 'From publishing an event to hearing it, over Redis, measured now; absent while Redis is away or not used',
  }),
}

export const database = {
  connections: new Gauge({ name: 'db_connections_max', help: 'Connections that this node may open' }),
  underWay: new Gauge({
    name: 'db_work_under_way',
    help: 'Statements and transactions that were begun and not ended; each needs a connection',
  }),
  waiting: new Gauge({
    name: 'db_work_waiting',
    help: 'Those of them that are more than there are connections',
  }),
  waits: new Counter({
    name: 'db_waits_total',
    help: 'Statements and transactions that began when all connections were taken',
  }),
  sendBatches: new Histogram(
    { name: 'db_send_batch_size', help: 'Messages that shared a statement' },
    [1, 2, 4, 8, 16, 32, 64],
  ),
  answerBatches: new Histogram(
    { name: 'db_answer_batch_size', help: 'Syncs of answers that shared a statement' },
    [1, 2, 4, 8, 16, 32, 64],
  ),
}

export const exams = {
  started: new Counter({ name: 'exams_attempts_started_total', help: 'Attempts that were started' }),
  saved: new Counter({ name: 'exams_answers_saved_total', help: 'Syncs of answers that were stored' }),
  closed: new Counters(
    { name: 'exams_attempts_closed_total', help: 'Attempts that were closed and graded, by how' },
    'how',
    ['submitted', 'expired'],
  ),
}

export const model = {
  calls: new Counters(
    { name: 'ai_calls_total', help: 'Answers that the model was asked for, by what came of it' },
    'outcome',
    ['answered', 'failed', 'stopped'],
  ),
  seconds: new Histogram({ name: 'ai_call_seconds', help: 'How long the model took for an answer' }, SECONDS),
  tokens: new Counters(
    { name: 'ai_tokens_total', help: 'Tokens that the model took and gave, failed answers included' },
    'kind',
    ['input', 'cached', 'output'],
  ),
}

export const generation = {
  running: new Gauge({ name: 'generation_jobs_running', help: 'Jobs that this node works on' }),
  jobs: new Counters(
    { name: 'generation_jobs_total', help: 'Jobs on this node, by state: asked for, then done or failed' },
    'state',
    ['asked', 'done', 'failed'],
  ),
}

export const accounts = {
  refused: new Counters(
    { name: 'logins_refused_total', help: 'Logins and password checks that were refused, by code' },
    'code',
    ['invalid_credentials', 'wrong_password', 'locked_out'],
  ),
  erased: new Counter({
    name: 'accounts_erased_total',
    help: 'Deleted accounts of which this node erased what was left',
  }),
  mails: new Counters({ name: 'mails_total', help: 'Mails, by what came of them' }, 'outcome', [
    'sent',
    'failed',
  ]),
}

/** In the order in which they are shown. */
export const MEASURES = [gateway, chat, bus, database, exams, model, generation, accounts].flatMap(
  (feature) => Object.values(feature),
)
