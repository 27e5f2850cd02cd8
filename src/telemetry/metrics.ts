import { Counter, Gauge, Histogram, type LabelValues } from '@prometheus-io/client'
import { CLOSE } from '../../schemas/close-codes.ts'
import { CLIENT_FRAMES } from '../../schemas/events.schemas.ts'

/** Everything that a node measures, by feature, beside the metrics of Node.js; the library's registry has all of it. */

const FRAMES = Object.keys(CLIENT_FRAMES)
const REASONS = Object.keys(CLOSE)
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** A counter for each value of a label, shown from 0 on. */
function countBy<Label extends string>(
  label: Label,
  values: readonly string[],
  description: { name: string; help: string },
): Counter<Label> {
  const counter = new Counter({ ...description, labelNames: [label] })
  for (const value of values) counter.inc({ [label]: value } as LabelValues<Label>, 0)
  return counter
}

export const build = new Gauge({
  name: 'exam_practice_build_info',
  help: 'Always 1, with the version of the service',
  labelNames: ['version'],
})

export const http = {
  durations: new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long answers took, by route and class of status',
    labelNames: ['method', 'route', 'status_code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  deprecated: new Counter({
    name: 'deprecated_calls_total',
    help: 'Calls of deprecated routes, refused ones included',
    labelNames: ['method', 'route'],
  }),
}

export const gateway = {
  sockets: new Gauge({ name: 'gateway_sockets', help: 'WebSockets that are open' }),
  opened: new Counter({
    name: 'gateway_sockets_opened_total',
    help: 'WebSockets that were opened',
  }),
  closed: countBy('reason', REASONS, {
    name: 'gateway_sockets_closed_total',
    help: 'WebSockets that this node closed, by reason',
  }),
  received: countBy('type', [...FRAMES, 'unreadable'], {
    name: 'gateway_frames_received_total',
    help: 'Frames from clients, by type',
  }),
  sent: new Counter({ name: 'gateway_frames_sent_total', help: 'Frames handed to sockets' }),
  sentBytes: new Counter({
    name: 'gateway_sent_bytes_total',
    help: 'Bytes of frames handed to sockets',
  }),
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

export const push = {
  sent: countBy('outcome', ['taken', 'later', 'refused', 'gone'], {
    name: 'pushes_total',
    help: 'Pushes handed to push services, by what came of them: later is tried again, gone ends the subscription',
  }),
}

export const bus = {
  published: new Counter({ name: 'bus_published_total', help: 'Events that this node published' }),
  received: new Counter({ name: 'bus_received_total', help: 'Events that other nodes published' }),
  reconnects: new Counter({
    name: 'bus_reconnects_total',
    help: 'Times that Redis came back to this node, by either of its connections',
  }),
  up: new Gauge({
    name: 'bus_up',
    help: '1 if the bus reaches all nodes, 0 if Redis is away, or other nodes do not share it',
  }),
  lag: new Gauge({
    name: 'bus_lag_seconds',
    help: 'From publishing an event to hearing it, over Redis, measured now; absent while Redis is away or not used',
  }),
}

export const database = {
  up: new Gauge({ name: 'db_up', help: '1 if the database answers, 0 if it is away' }),
  connections: new Gauge({
    name: 'db_connections_max',
    help: 'Connections that this node may open',
  }),
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
  sendBatches: new Histogram({
    name: 'db_send_batch_size',
    help: 'Messages that shared a statement',
    buckets: [1, 2, 4, 8, 16, 32, 64],
  }),
  answerBatches: new Histogram({
    name: 'db_answer_batch_size',
    help: 'Syncs of answers that shared a statement',
    buckets: [1, 2, 4, 8, 16, 32, 64],
  }),
}

export const exams = {
  started: new Counter({
    name: 'exams_attempts_started_total',
    help: 'Attempts that were started',
  }),
  saved: new Counter({
    name: 'exams_answers_saved_total',
    help: 'Syncs of answers that were stored',
  }),
  closed: countBy('how', ['submitted', 'expired'], {
    name: 'exams_attempts_closed_total',
    help: 'Attempts that were closed and graded, by how',
  }),
}

export const model = {
  calls: countBy('outcome', ['answered', 'failed', 'stopped'], {
    name: 'ai_calls_total',
    help: 'Answers that the model was asked for, by what came of it',
  }),
  seconds: new Histogram({
    name: 'ai_call_seconds',
    help: 'How long the model took for an answer',
    buckets: SECONDS,
  }),
  tokens: countBy('kind', ['input', 'cached', 'output'], {
    name: 'ai_tokens_total',
    help: 'Tokens that the model took and gave, failed answers included',
  }),
}

export const generation = {
  running: new Gauge({ name: 'generation_jobs_running', help: 'Jobs that this node works on' }),
  waiting: new Gauge({
    name: 'generation_waiting_seconds',
    help: 'How long the oldest job of all nodes has waited for a worker; 0 where none waits',
  }),
  up: new Gauge({
    name: 'generation_up',
    help: '0 if jobs wait and no node works on any, 1 otherwise',
  }),
  jobs: countBy('state', ['asked', 'done', 'failed'], {
    name: 'generation_jobs_total',
    help: 'Jobs on this node, by state: asked for, then done or failed',
  }),
}

export const accounts = {
  refused: countBy('code', ['invalid_credentials', 'wrong_password', 'locked_out'], {
    name: 'logins_refused_total',
    help: 'Logins and password checks that were refused, by code',
  }),
  erased: new Counter({
    name: 'accounts_erased_total',
    help: 'Deleted accounts of which this node erased what was left',
  }),
  mails: countBy('outcome', ['sent', 'failed'], { name: 'mails_total', help: 'Mails, by what came of them' }),
}
