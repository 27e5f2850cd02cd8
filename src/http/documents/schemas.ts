import * as account from '../../../schemas/accounts/account.ts'
import * as auth from '../../../schemas/accounts/auth.ts'
import * as access from '../../../schemas/admin/access.ts'
import * as allowances from '../../../schemas/admin/allowances.ts'
import * as analytics from '../../../schemas/admin/analytics.ts'
import * as audit from '../../../schemas/admin/audit.ts'
import * as categories from '../../../schemas/admin/categories.ts'
import * as exams from '../../../schemas/admin/exams/exams.ts'
import * as exchange from '../../../schemas/admin/exams/exchange.ts'
import * as items from '../../../schemas/admin/exams/items.ts'
import * as questions from '../../../schemas/admin/exams/questions.ts'
import * as regrades from '../../../schemas/admin/exams/regrades.ts'
import * as timing from '../../../schemas/admin/exams/timing.ts'
import * as generation from '../../../schemas/admin/generation.ts'
import * as uploads from '../../../schemas/admin/uploads.ts'
import * as users from '../../../schemas/admin/users.ts'
import * as assistant from '../../../schemas/assistant.ts'
import * as chat from '../../../schemas/chat.ts'
import * as common from '../../../schemas/common.ts'
import * as discussions from '../../../schemas/discussions.ts'
import * as attempts from '../../../schemas/exams/attempts.ts'
import * as challenges from '../../../schemas/exams/challenges.ts'
import * as notes from '../../../schemas/notes.ts'
import * as reports from '../../../schemas/reports.ts'

/** The parts of JSON Schema that are used here. */
export interface Schema {
  $id?: string
  $ref?: string
  type?: string
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  contentSchema?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  description?: string
  default?: unknown
  [keyword: string]: unknown
}

const SOURCES: object[] = [
  ...[account, access, allowances, analytics, assistant, attempts, audit, auth, categories, challenges],
  ...[chat, common, discussions, exams, exchange, generation, items, notes, questions],
  ...[regrades, reports, timing, uploads, users],
]

/** Names in the documents that differ from those in the code. Schemas of the same form have the same name. */
const WORDS: Record<string, string> = {
  Self: 'Account',
  UserRow: 'User',
  StudentExam: 'Exam',
  StudentExamAnswer: 'ExamAnswer',
  StudentExamsAnswer: 'ExamsAnswer',
  AttemptRow: 'Attempt',
  Answer: 'TutorAnswer',
  AskBody: 'TutorQuestion',
  AssistantConversation: 'TutorConversation',
  AssistantMessage: 'TutorMessage',
  ConversationList: 'TutorConversations',
  FurtherConversations: 'FurtherTutorConversations',
  MessagePage: 'TutorMessages',
  RenameConversationBody: 'NewTitle',
  RenameAnswer: 'TutorConversationAnswer',
  ChatMessage: 'Message',
  SendBody: 'NewMessage',
  EditBody: 'NewText',
  EditCommentBody: 'NewText',
  PostCommentBody: 'NewComment',
  GroupBody: 'NewGroup',
  RenameBody: 'NewName',
  NewCategoryFields: 'NewName',
  RegradeView: 'Regrade',
  RegradeBody: 'NewRegrade',
}

/** Schemas by name, and names by form: schemas that differ only in their description have the same form. */
const NAMED = new Map<string, Schema>()
const NAMES = new Map<string, string>()
for (const source of SOURCES) nameSchemas(source)

const REFERENCE = /^#\/components\/schemas\//

/** The schemas that a document refers to; each one is added when it is first used. */
export class Components {
  readonly schemas: Record<string, Schema> = {}

  /** `schema` as a document shows it: parts that have a name in `schemas/` become references. */
  show(schema: object): Schema {
    return this.#refer(tidy(schema as Schema))
  }

  /** The collected schemas with their names as `$id`, for generators that name types by that. */
  identify(): Record<string, Schema> {
    return Object.fromEntries(
      Object.entries(this.schemas).map(([name, schema]) => [name, { $id: name, ...schema }]),
    )
  }

  #refer(schema: Schema): Schema {
    const { description, $ref } = schema
    const name = $ref?.replace(REFERENCE, '') ?? NAMES.get(formOf(schema))
    if (name === undefined) return mapParts(schema, (part) => this.#refer(part))
    this.#add(name)
    return { $ref: `#/components/schemas/${name}`, ...(description === undefined ? {} : { description }) }
  }

  #add(name: string): void {
    const schema = NAMED.get(name)
    if (!schema || name in this.schemas) return
    // Added before its parts, because these may refer to it.
    this.schemas[name] = schema
    this.schemas[name] = mapParts(schema, (part) => this.#refer(part))
  }
}

/** Registers the names of a module's schemas, except `…Params` and `…Query`, which become parameters. */
export function nameSchemas(source: object): void {
  for (const [key, schema] of Object.entries(source)) {
    if (!/^[A-Z]/.test(key) || /(Params|Query)$/.test(key) || !isPart(schema)) continue
    const name = WORDS[key] ?? key
    const shown = tidy(schema)
    const form = formOf(shown)
    const other = NAMES.get(form)
    if (other === undefined ? NAMED.has(name) : other !== name)
      throw new Error(`the schema ${key} has the name or the form of ${other ?? name}`)
    NAMED.set(name, shown)
    NAMES.set(form, name)
  }
}

function isPart(value: unknown): value is Schema {
  if (typeof value !== 'object' || value === null) return false
  const { type, properties, enum: choices, anyOf } = value as Schema
  return (
    (type === 'object' && properties !== undefined) ||
    choices !== undefined ||
    (anyOf?.every(isPart) ?? false)
  )
}

/** A text that is equal for schemas that differ only in their description or the order of their keys. */
function formOf({ description: _, ...schema }: Schema): string {
  return JSON.stringify(schema, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

/** Removes keywords that only this service's validator knows; a field with a default may be left out. */
function tidy({ $id: _, $ref, errorMessage: __, verbatim, patternProperties, ...schema }: Schema): Schema {
  const { properties = {}, required } = schema
  const needed = required?.filter((name) => properties[name]?.default === undefined) ?? []
  const values = patternProperties && Object.values(patternProperties)[0]
  return mapParts(
    {
      ...($ref === undefined ? {} : { $ref: $ref.replace(/^(\w+)#$/, '#/components/schemas/$1') }),
      ...schema,
      ...(required && { required: needed }),
      ...(values && { additionalProperties: values }),
      ...(verbatim === undefined ? {} : { 'x-verbatim': verbatim }),
    },
    tidy,
  )
}

function mapParts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { properties, items, contentSchema, anyOf, allOf, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, change(part)])),
    }),
    ...(items && { items: change(items) }),
    ...(contentSchema && { contentSchema: change(contentSchema) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(allOf && { allOf: allOf.map(change) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
  }
}
