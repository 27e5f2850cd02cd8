import type { FastifyInstance, FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'

const OF_QUESTIONS = [
  ...['more_options', 'parts', 'explanation', 'tags', 'image_alt', 'variables', 'conditions'],
]
/** Options and parts are not among them: a question that needs them is refused, not stored without them. */
const OF_FORMS = ['explanation', 'tags', 'image_alt']
const OF_PAPERS = ['more_options', 'option_order', 'parts', 'image_alt']
const OF_EXAMS = ['open_for_practice', 'shuffle', 'draw', 'class_ids', 'pool_count', 'was', 'watch_page']
const OF_CONVERSATIONS = ['settings', 'unread_mentions']

/** Fields that only the newer generation has, by the names of the schemas. */
const ADDITIONS: Readonly<Record<string, readonly string[]>> = {
  Message: ['reactions', 'attachments', 'mentions'],
  NewMessage: ['attachment_ids', 'mentions'],
  MessageEdit: ['mentions'],
  Conversation: OF_CONVERSATIONS,
  ConversationDetail: OF_CONVERSATIONS,
  LastMessage: ['attachments'],
  UnreadAnswer: ['unread_all', 'mentions'],
  Account: ['has_password'],
  Question: OF_QUESTIONS,
  GeneratedQuestion: OF_QUESTIONS,
  JobQuestion: [...OF_QUESTIONS, 'check', 'source'],
  JobStatus: ['usage'],
  GenerateForm: ['check'],
  NewQuestionForm: OF_FORMS,
  QuestionForm: OF_FORMS,
  OfferedQuestion: OF_FORMS,
  TutorQuestion: ['context', 'class_id'],
  TutorAnswer: ['sources', 'class_id', 'mode'],
  TutorConversation: ['class_id'],
  TutorMessage: ['sources'],
  PaperQuestion: OF_PAPERS,
  PaperAnswer: ['messages', 'watch_page'],
  Attempt: ['passed', 'submitted_by'],
  ResultAnswer: ['passed', 'submitted_by'],
  ReviewedQuestion: [...OF_PAPERS, 'discussed_text', 'correct', 'explanation'],
  Exam: OF_EXAMS,
  ExamStanding: OF_EXAMS,
  AdminExam: OF_EXAMS,
  NewExam: OF_EXAMS,
  ExamChanges: OF_EXAMS,
}

/** Answers of the routes that are registered from now on are written, and their bodies read, without the additions. */
export function leaveOutAdditions(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (route.schema) route.schema = withoutAdditions(route.schema)
  })
}

interface SchemaParts {
  $id?: string
  properties?: Record<string, TSchema>
  required?: string[]
  items?: TSchema
  anyOf?: TSchema[]
  /** Of an answer in several forms. */
  content?: Record<string, { schema: TSchema }>
  /** Of the events of a stream. */
  contentSchema?: TSchema
}

function withoutAdditions({ body, response, ...schema }: FastifySchema): FastifySchema {
  const answers = Object.entries((response ?? {}) as Record<string, TSchema>)
  return {
    ...schema,
    ...(body === undefined ? {} : { body: withoutIn(body as TSchema) }),
    response: Object.fromEntries(answers.map(([status, answer]) => [status, withoutIn(answer)])),
  }
}

/** Each schema without additions, the same for all apps of this process. */
const reduced = new WeakMap<TSchema, TSchema>()

/** A schema without additions, with a name of its own; the given one itself if nothing in it is an addition. */
function withoutIn(schema: TSchema): TSchema {
  const known = reduced.get(schema) ?? reduce(schema)
  reduced.set(schema, known)
  return known
}

function reduce(schema: TSchema): TSchema {
  const { $id, properties, required, items, anyOf, content, contentSchema } = schema as SchemaParts
  const left = new Set(ADDITIONS[$id ?? ''])
  const kept = Object.entries(properties ?? {}).filter(([name]) => !left.has(name))
  const parts: SchemaParts = {
    ...(properties && {
      properties: Object.fromEntries(kept.map(([name, part]) => [name, withoutIn(part)])),
    }),
    ...(required && { required: required.filter((name) => !left.has(name)) }),
    ...(items && { items: withoutIn(items) }),
    ...(anyOf && { anyOf: anyOf.map(withoutIn) }),
    ...(content && {
      content: Object.fromEntries(
        Object.entries(content).map(([type, { schema: form }]) => [type, { schema: withoutIn(form) }]),
      ),
    }),
    ...(contentSchema && { contentSchema: withoutIn(contentSchema) }),
  }
  const isSame =
    left.size === 0 &&
    kept.every(([name, part]) => parts.properties?.[name] === part) &&
    parts.items === items &&
    parts.contentSchema === contentSchema &&
    Object.entries(content ?? {}).every(
      ([type, { schema: form }]) => parts.content?.[type]?.schema === form,
    ) &&
    (anyOf ?? []).every((part, index) => parts.anyOf?.[index] === part)
  if (isSame) return schema
  return Type.Unsafe({ ...schema, ...parts, ...($id && { $id: `Older${$id}` }) })
}
