import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { Errors, Pointer } from 'typebox/value'
import type { FieldError } from '../../schemas/common.ts'

/** Most errors in one answer. */
const MOST_ERRORS = 20
/** Longest name of a field of the client's own in an error's path. */
const LONGEST_NAME = 64

// The validator stops once it has that many: a field that takes several types has one for each of them.
Settings.Set({ maxErrors: 10 * MOST_ERRORS })

/** Names every wrong field of a value that doesn't fit its schema, in words for people. */
export type Explain = (value: unknown) => FieldError[]

/**
 * The entries of a body's lists are checked one by one with a compiled validator, and only wrong ones are explained:
 * the validator takes a thousand times as long to explain a value as to check it.
 */
export function explainerFor(schema: TSchema): Explain {
  const { withoutEntries, lists } = splitLists(schema)
  return (value) => {
    const findings = find(withoutEntries, value, '')
    for (const { name, entry } of lists) findings.push(...findInEntries(entry, value, name))
    return toFieldErrors(findings)
  }
}

interface List {
  name: string
  entry: Validator
}

type ObjectSchema = TSchema & { properties?: Record<string, TSchema & { items?: TSchema }> }

function splitLists(schema: ObjectSchema): { withoutEntries: TSchema; lists: List[] } {
  const lists: List[] = []
  const properties: Record<string, TSchema> = {}
  for (const [name, { items, ...property }] of Object.entries(schema.properties ?? {})) {
    if (items) lists.push({ name, entry: Compile(items) })
    properties[name] = property
  }
  return { withoutEntries: lists.length > 0 ? { ...schema, properties } : schema, lists }
}

/** What the validator says of the part of a value at `path`. */
interface Finding {
  path: string
  error: TLocalizedValidationError
  /** The part's schema. */
  schema: { errorMessage?: string } | undefined
}

function find(schema: TSchema, value: unknown, path: string): Finding[] {
  return Errors(schema, value).map((error) => ({
    path: path + error.instancePath,
    error,
    schema: Pointer.Get(schema, error.schemaPath.slice(1)) as Finding['schema'],
  }))
}

function findInEntries(entry: Validator, value: unknown, name: string): Finding[] {
  const list = Object(value)[name] as unknown
  if (!Array.isArray(list)) return []
  const findings: Finding[] = []
  let wrong = 0
  for (let at = 0; at < list.length && wrong < MOST_ERRORS; at++) {
    if (entry.Check(list[at])) continue
    findings.push(...find(entry.Type(), list[at], `/${name}/${at}`))
    wrong += 1
  }
  return findings
}

function toFieldErrors(findings: Finding[]): FieldError[] {
  const byPath = Map.groupBy(findings.flatMap(toFields), ({ path }) => path)
  const paths = [...byPath.keys()]
  const errors: FieldError[] = []
  for (const [path, found] of byPath) {
    const isOfOtherType = found.every(({ error }) => error.keyword === 'type')
    // If a value could have several types, it is taken for the one in whose parts something is wrong.
    if (isOfOtherType && paths.some((other) => other.startsWith(`${path}/`))) continue
    const message = isOfOtherType ? `must be ${nameTypes(found)}` : describeFirst(found)
    errors.push({ path: shortenNames(path), message })
    if (errors.length === MOST_ERRORS) break
  }
  return errors
}

/** The findings about the fields themselves; the validator reports missing ones at the object that lacks them. */
function toFields(finding: Finding): Finding[] {
  const { error, path } = finding
  if (error.keyword === 'anyOf' || error.keyword === 'additionalProperties') return []
  if (error.keyword !== 'required') return [finding]
  return error.params.requiredProperties.map((name) => ({ ...finding, path: `${path}/${name}` }))
}

function describeFirst(found: Finding[]): string {
  const { error, schema } = found.find(({ error }) => error.keyword !== 'type') as Finding
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'boolean':
      return 'is not known here'
    case 'enum':
      return `must be one of ${error.params.allowedValues.join(', ')}`
    case 'const':
      return `must be ${String(error.params.allowedValue)}`
    case 'minLength':
      return error.params.limit === 1
        ? 'must not be empty'
        : `must be at least ${error.params.limit} characters long`
    case 'maxLength':
      return `must be at most ${error.params.limit} characters long`
    case 'minItems':
      return error.params.limit === 1
        ? 'must not be empty'
        : `must have at least ${error.params.limit} entries`
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${error.params.limit} entries`
    case 'minimum':
      return `must be at least ${error.params.limit}`
    case 'maximum':
      return `must be at most ${error.params.limit}`
    case 'format':
      return FORMATS[error.params.format] ?? OTHER_FORM
    default:
      return schema?.errorMessage ?? OTHER_FORM
  }
}

const OTHER_FORM = 'is not in the expected form'

const FORMATS: Record<string, string> = {
  date: 'must be a date such as 2026-11-20',
  name: 'must have characters that can be seen',
  'person-name': 'must be a name that can be seen, and is nobody else’s here',
  day: 'must be a date such as 2026-11-20',
  instant: 'must be a time such as 2026-11-20T10:15:00.000Z',
  'time-zone': 'must be a time zone such as Europe/Berlin',
  'date-time': 'must be a time such as 2026-11-20T10:15:00Z',
}

const TYPES: Record<string, string> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function nameTypes(found: Finding[]): string {
  const types = found.flatMap(({ error }) => (error.keyword === 'type' ? error.params.type : []))
  return [...new Set(types)].map((type) => TYPES[type] ?? type).join(' or ')
}

function shortenNames(path: string): string {
  return path
    .split('/')
    .map((name) => name.slice(0, LONGEST_NAME))
    .join('/')
}
