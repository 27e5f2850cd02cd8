import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { AnalyticsQuery } from '../../schemas/analytics.schemas.ts'
import type { AskBody, MessagePage } from '../../schemas/assistant.schemas.ts'
import type { ExamParams, PaperQuery, ResultAnswer } from '../../schemas/attempts.schemas.ts'
import type { UnreadAnswer } from '../../schemas/chat.schemas.ts'
import type { Content, IdParams } from '../../schemas/common.ts'
import type {
  BulkMarksBody,
  ImportCsvQuery,
  Question,
  QuestionsQuery,
} from '../../schemas/questions.schemas.ts'
import { QuestionChangesForm, WasQuestion } from '../../schemas/questions.schemas.ts'
import type { Core } from '../core.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { readDashboard, readTable } from '../features/analytics/analytics.service.ts'
import type { AskEvent } from '../features/assistant/asking.service.ts'
import { askForCaller, readAnswer, sendAnswer } from '../features/assistant/assistant.routes.ts'
import { readMarks } from '../features/assistant/marks.ts'
import { openActivePaper } from '../features/attempts/attempts.service.ts'
import { requireStanding } from '../features/attempts/attempts-left.service.ts'
import { findLive } from '../features/attempts/closing.service.ts'
import type { PublicQuestion } from '../features/attempts/paper.ts'
import { paperOf, withQuestions } from '../features/attempts/papers.service.ts'
import { placesOf } from '../features/attempts/sitting.ts'
import { toRead } from '../features/audit/replica-reads.service.ts'
import { listConversations } from '../features/chat/conversations/conversations.service.ts'
import { importQuestions } from '../features/questions/question-import.service.ts'
import { foldTag } from '../features/questions/question-tags.ts'
import {
  changeMarks,
  changeQuestion,
  getQuestion,
  QUESTIONS_PER_PAGE,
  toQuestions,
} from '../features/questions/questions.service.ts'
import { questionImageUrl } from '../features/uploads/upload-addresses.ts'
import { runInTurn } from '../http/admission.ts'
import { actorOf } from '../http/callers.ts'
import { sendCsv } from '../http/csv-body.ts'
import { endSignal } from '../http/deadline.ts'
import { addRefusals } from '../http/failures.ts'
import { readFields } from '../http/form-body.ts'
import { readImport } from '../http/import-body.ts'
import { sendJson } from '../http/json-body.ts'
import { jsonReader } from '../http/validation.ts'
import { accepts } from '../http/vary.ts'
import { describePage, offsetOf } from '../paging.ts'
import * as store from './older-kinds.store.ts'
import { checkOlder, isKnownToOlder, readType } from './older-kinds.ts'

const readWas = jsonReader('was', WasQuestion)

interface Call {
  core: Core
  request: FastifyRequest
  reply: FastifyReply
  /** What the newer generation answers. */
  answer: () => unknown
}

interface OwnAnswer {
  give: (call: Call) => Promise<unknown>
  /** What it refuses with beside what the newer generation does. */
  refuses?: readonly ErrorCode[]
  takesNoQuery?: true
}

/** Operations of the newer generation whose handlers the older one replaces, by their ids; the rest is the same. */
const OWN: Readonly<Record<string, OwnAnswer>> = {
  askTutor: {
    async give({ core, request, reply }) {
      const { message, conversation_id } = request.body as Static<typeof AskBody>
      const question = { message, conversation: conversation_id ?? 'new', withoutPassages: true } as const
      const events = withoutClass(askForCaller(core)(request, reply, question))
      if (accepts(request, 'text/event-stream')) return sendAnswer(request, reply, events)
      return { success: true, ...(await readAnswer(events)) }
    },
  },

  // What a mark names is told by the newer generation alone.
  listTutorMessages: {
    async give({ answer }) {
      const page = (await answer()) as Content<Static<typeof MessagePage>>
      const messages = page.messages.map((message) =>
        message.sources.length > 0 ? { ...message, text: readMarks(message.text).plain } : message,
      )
      return { ...page, messages }
    },
  },

  startAttempt: {
    refuses: ['newer_kinds'],
    async give({ core, request: { caller, params }, answer }) {
      await requireKnownKinds(core, caller.userId, (params as Static<typeof ExamParams>).exam_id)
      return answer()
    },
  },

  getPaper: {
    async give({ core, request: { caller, params, query }, reply }) {
      const { exam_id: examId } = params as Static<typeof ExamParams>
      const { attempt_id: attemptId } = query as Static<typeof PaperQuery>
      const { attempt, paper, state } = await openActivePaper(core, caller, examId, attemptId)
      const { messages: _, watch_page: _watched, ...older } = state
      const questions = placesOf(paper, attempt)
        .map((place) => paper.questions[place] as PublicQuestion)
        .filter(isKnownToOlder)
        .map(({ more_options: _, image_alt, ...question }) => ({
          ...question,
          image_url: questionImageUrl(core, question.image_path),
        }))
      return sendJson(reply, withQuestions(JSON.stringify(questions), older))
    },
  },

  getResult: {
    async give({ answer }) {
      const result = (await answer()) as ResultAnswer
      return { ...result, review: result.review.filter(isKnownToOlder) }
    },
  },

  getUnread: {
    async give({ answer }) {
      const counters = (await answer()) as Static<typeof UnreadAnswer>
      return { ...counters, unread: counters.unread_all }
    },
  },

  // By activity alone, archived ones too.
  listConversations: {
    takesNoQuery: true,
    give: async ({ core, request }) => ({
      success: true,
      conversations: await listConversations(core, request.caller.userId, {}),
    }),
  },

  // Attempts at which nothing could be scored count as 0 percent.
  getAnalytics: {
    async give({ core, request, reply }) {
      const query = { ...(request.query as AnalyticsQuery), countsWorthless: true as const }
      const reading = await toRead(core, request.caller.userId)
      if (!accepts(request, 'text/csv')) return { success: true, ...(await readDashboard(reading, query)) }
      const { name, columns, rows } = await readTable(reading, query)
      return sendCsv(reply, name, columns, rows)
    },
  },

  listQuestions: {
    async give({ core, request }) {
      const { exam_id: examId, tag, page } = request.query as QuestionsQuery
      const filter = { examId, tagKey: tag === undefined ? undefined : foldTag(tag) }
      const offset = offsetOf(page, QUESTIONS_PER_PAGE)
      const { rows, total } = await store.listKnown(core.db, filter, QUESTIONS_PER_PAGE, offset)
      return {
        success: true,
        questions: await toQuestions(core, rows),
        ...describePage(total, page, QUESTIONS_PER_PAGE),
      }
    },
  },

  getQuestion: {
    async give({ answer }) {
      const found = (await answer()) as { question: Question }
      requireKnown(found.question)
      return found
    },
  },

  changeQuestion: {
    async give({ core, request }) {
      const { id } = request.params as Static<typeof IdParams>
      const { was, ...changes } = await readFields(request, QuestionChangesForm)
      requireKnown(await getQuestion(core, id))
      await changeQuestion(core, actorOf(request), id, changes, { check: checkOlder, was: readWas(was) })
      return { success: true, message: 'The question was changed' }
    },
  },

  setMarks: {
    async give({ core, request }) {
      const body = request.body as BulkMarksBody
      const marks = { ...body, question_type: readType(body.question_type) }
      const updated = await changeMarks(core, actorOf(request), marks, store.lockKnownOfType)
      return { success: true, updated }
    },
  },

  importCsv: {
    async give({ core, request, reply }) {
      const { key } = request.query as Static<typeof ImportCsvQuery>
      const options = { key, end: endSignal(request, reply), check: checkOlder }
      const imported = await runInTurn(core.gate.imports, request, () =>
        readImport(request, 'csv_file', (file) => importQuestions(core, actorOf(request), file, options)),
      )
      return { success: true, ...imported }
    },
  },
}

/** The routes that are registered from now on answer as the older generation does, where that differs. */
export function answerAsOlder(scope: FastifyInstance, core: Core): void {
  scope.addHook('onRoute', (route) => {
    const { operationId } = (route.schema ?? {}) as { operationId?: string }
    const own = OWN[operationId ?? '']
    if (!own) return
    const { handler } = route
    route.handler = (request, reply) =>
      own.give({ core, request, reply, answer: () => handler.call(scope, request, reply) })
    if (own.refuses) addRefusals(route, ...own.refuses)
    if (own.takesNoQuery) delete route.schema?.querystring
  })
}

/** The events of an answer, without what it says of classes and their materials. */
async function* withoutClass(events: AsyncIterable<AskEvent>): AsyncGenerator<AskEvent, void> {
  for await (const each of events) {
    if (each.event !== 'done') yield each
    else {
      const { sources: _sources, class_id: _class, mode: _mode, ...data } = each.data
      yield { event: 'done', data: data as typeof each.data }
    }
  }
}

function requireKnown(question: Question): void {
  if (!isKnownToOlder(question)) throw new AppError('not_found')
}

/** 409 `newer_kinds` where a start would begin or resume an attempt with questions unknown to the older generation. */
async function requireKnownKinds(core: Core, userId: number, examId: number): Promise<void> {
  const active = await findLive(core, userId, examId)
  if (!active) await requireStanding(core.db, userId, examId)
  const isKnown = active
    ? (await paperOf(core, core.db, active)).questions.every(isKnownToOlder)
    : !(await store.hasUnknown(core.db, examId))
  if (!isKnown) throw new AppError('newer_kinds')
}
