import { Format } from 'typebox/format'
import type { FieldError } from '../../../schemas/common.ts'
import { isLonger } from '../../formats/code-points.ts'

/** The parts of JSON Schema that are used here. */
export interface JsonSchema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  patternProperties?: Record<string, JsonSchema>
  additionalProperties?: boolean | JsonSchema
  maxProperties?: number
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  default?: unknown
  /** Not trimmed. */
  verbatim?: true
  /** The message for a value that doesn't fit `pattern`. */
  errorMessage?: string
}

/** Most errors in one answer. */
const MOST_ERRORS = 20
/** Longest field name of the client's own in an error's path. */
const LONGEST_NAME = 64

/** A schema prepared for checking values: what can be computed once is not computed for every request. */
export interface Plan {
  schema: JsonSchema
  alternatives: Plan[]
  items: Plan | undefined
  properties: [name: string, plan: Plan][]
  records: [names: RegExp, plan: Plan][]
  /** Whether the schema limits the size of anything, or of a part. */
  isBounded: boolean
  hasBoundedParts: boolean
  isTrimmed: boolean
}

export function planFor(schema: JsonSchema): Plan {
  const alternatives = (schema.anyOf ?? []).map(planFor)
  const items = schema.items && planFor(schema.items)
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]): [string, Plan] => [
    name,
    planFor(property),
  ])
  const records = Object.entries(schema.patternProperties ?? {}).map(
    ([pattern, property]): [RegExp, Plan] => [new RegExp(pattern, 'u'), planFor(property)],
  )
  const parts = [
    ...alternatives,
    ...(items ? [items] : []),
    ...[...properties, ...records].map(([, plan]) => plan),
  ]
  const hasBoundedParts = parts.some((part) => part.isBounded)
  const isBounded =
    hasBoundedParts || (schema.maxLength ?? schema.maxItems ?? schema.maxProperties) !== undefined
  const text = [schema, ...(schema.anyOf ?? [])].find(({ type }) => type === 'string')
  const isTrimmed = text !== undefined && !text.verbatim
  return { schema, alternatives, items, properties, records, isBounded, hasBoundedParts, isTrimmed }
}

/**
 * The errors of values that are longer, or have more entries, than their schema allows. They are looked for first, so
 * that no pattern and no loop runs over more than that.
 */
export function findOversized(plan: Plan, value: unknown): FieldError[] {
  const errors: FieldError[] = []
  visit(checkSize, plan, value, '', errors)
  return errors
}

/** The errors of a value that doesn't fit its schema, in words for people, one for each field. */
export function explain(plan: Plan, value: unknown): FieldError[] {
  const errors: FieldError[] = []
  visit(checkForm, plan, value, '', errors)
  return errors.length > 0 ? errors : [{ path: '', message: 'is not valid' }]
}

/** Adds the errors of a value itself; false if its parts must not be checked. */
type Check = (plan: Plan, value: unknown, path: string, errors: FieldError[]) => boolean

function visit(check: Check, plan: Plan, value: unknown, path: string, errors: FieldError[]): void {
  const meant = plan.alternatives.length > 0 ? chooseFor(plan, value) : plan
  if (errors.length >= MOST_ERRORS || !check(meant, value, path, errors)) return
  if (Array.isArray(value)) {
    const { items } = meant
    if (!items) return
    for (let at = 0; at < value.length && errors.length < MOST_ERRORS; at++)
      visit(check, items, value[at], `${path}/${at}`, errors)
  } else if (isObject(value)) {
    for (const [name, property] of meant.properties)
      if (value[name] !== undefined && Object.hasOwn(value, name))
        visit(check, property, value[name], `${path}/${name}`, errors)
    for (const [names, property] of meant.records) visitRecord(check, names, property, value, path, errors)
  }
}

/** Of several alternatives, the one of the value's type. */
function chooseFor(plan: Plan, value: unknown): Plan {
  return plan.alternatives.find(({ schema }) => isOfType(schema, value)) ?? plan
}

/** Checks the values whose names fit the record's pattern; `checkForm` refuses the other names. */
function visitRecord(
  check: Check,
  names: RegExp,
  property: Plan,
  record: Record<string, unknown>,
  path: string,
  errors: FieldError[],
): void {
  for (const name in record) {
    if (errors.length >= MOST_ERRORS) return
    if (name.length <= LONGEST_NAME && names.test(name))
      visit(check, property, record[name], `${path}/${name}`, errors)
  }
}

function checkSize(plan: Plan, value: unknown, path: string, errors: FieldError[]): boolean {
  if (!plan.isBounded) return false
  const message = describeExcess(plan.schema, value)
  if (message !== undefined) errors.push({ path, message })
  return message === undefined && plan.hasBoundedParts
}

function describeExcess(
  { maxLength, maxItems, maxProperties }: JsonSchema,
  value: unknown,
): string | undefined {
  if (typeof value === 'string' && maxLength !== undefined && isLonger(value, maxLength))
    return `must be at most ${maxLength} characters long`
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems)
    return `must have at most ${maxItems} entries`
  if (isObject(value) && maxProperties !== undefined && countUpTo(value, maxProperties + 1) > maxProperties)
    return `must have at most ${maxProperties} entries`
  return undefined
}

function checkForm(plan: Plan, value: unknown, path: string, errors: FieldError[]): boolean {
  const { schema } = plan
  const message = describeMismatch(schema, value)
  if (message !== undefined) {
    errors.push({ path, message })
    return false
  }
  if (!isObject(value)) return true
  for (const name of schema.required ?? [])
    if (value[name] === undefined && errors.length < MOST_ERRORS)
      errors.push({ path: `${path}/${name}`, message: 'is required' })
  if (schema.additionalProperties === false) findUnknown(plan, value, path, errors)
  return true
}

function findUnknown(
  { schema: { properties = {} }, records }: Plan,
  value: Record<string, unknown>,
  path: string,
  errors: FieldError[],
): void {
  const isKnown = (name: string) =>
    Object.hasOwn(properties, name) ||
    (name.length <= LONGEST_NAME && records.some(([names]) => names.test(name)))
  for (const name in value) {
    if (errors.length >= MOST_ERRORS) return
    if (!isKnown(name))
      errors.push({ path: `${path}/${name.slice(0, LONGEST_NAME)}`, message: 'is not known here' })
  }
}

function describeMismatch(schema: JsonSchema, value: unknown): string | undefined {
  if (!isOfType(schema, value)) return `must be ${nameTypes(schema)}`
  if (schema.enum && !schema.enum.includes(value)) return `must be one of ${schema.enum.join(', ')}`
  if (schema.const !== undefined && value !== schema.const) return `must be ${String(schema.const)}`
  if (typeof value === 'number') return describeRange(schema, value)
  if (typeof value === 'string') return describeText(schema, value)
  if (Array.isArray(value) && value.length < (schema.minItems ?? 0))
    return schema.minItems === 1 ? 'must not be empty' : `must have at least ${schema.minItems} entries`
  return undefined
}

function describeRange({ minimum, maximum }: JsonSchema, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`
  return undefined
}

function describeText({ minLength = 0, pattern, format, errorMessage }: JsonSchema, text: string) {
  if (!isLonger(text, minLength - 1))
    return minLength === 1 ? 'must not be empty' : `must be at least ${minLength} characters long`
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text))
    return errorMessage ?? 'is not in the expected form'
  if (format !== undefined && !Format.Test(format, text))
    return FORMATS[format] ?? 'is not in the expected form'
  return undefined
}

const FORMATS: Record<string, string> = {
  date: 'must be a date such as 2026-11-20',
  'date-time': 'must be a time such as 2026-11-20T10:15:00Z',
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOfType({ type, anyOf }: JsonSchema, value: unknown): boolean {
  if (anyOf) return anyOf.some((branch) => isOfType(branch, value))
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'null':
      return value === null
  }
  return true
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

function nameTypes({ type = '', anyOf }: JsonSchema): string {
  return anyOf ? anyOf.map(nameTypes).join(' or ') : (TYPES[type] ?? 'something else')
}

function countUpTo(value: object, limit: number): number {
  let count = 0
  for (const _ in value) if (++count >= limit) break
  return count
}
