import type { FastifySchemaCompiler } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { AppError } from '../errors.ts'
import { type Explain, explainerFor } from './field-errors.ts'
import { type JsonSchema, type Plan, planFor, tidy } from './tidying.ts'

/** Answers the checked value, or a failure that names the rejected fields. */
export type Validate = (value: unknown) => { value: unknown } | { error: AppError }

/**
 * Checks bodies and frames without coercion ("1" is no number), after trimming their text unless a schema says
 * `verbatim`. null for an optional field counts as left out, unless its schema allows null.
 */
export function compileBody(schema: TSchema): Validate {
  return compile(schema, (value) => value ?? {})
}

/** Reads the JSON that a query or a form has in a field, checked as a body is. 400 names the field, or what is in it. */
export function jsonReader<T extends TSchema>(
  name: string,
  schema: T,
): (text: string | undefined) => Static<T> | undefined {
  const validate = compileBody(Type.Object({ [name]: schema }))
  return (text) => {
    if (text === undefined || text === '') return undefined
    const checked = validate({ [name]: parse(text) })
    if ('error' in checked) throw checked.error
    return (checked.value as Record<string, Static<T>>)[name]
  }
}

/** What is no JSON stays a text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Checks a query, in which an empty value counts as left out. */
function compileQuery(schema: TSchema): Validate {
  return compileParameters(schema, (text) => typeof text === 'string' && text.trim() === '')
}

/**
 * Checks parameters, whose numbers and booleans arrive as text; fills in defaults. Unknown ones are ignored: a request
 * may have thousands.
 */
export function compileParameters(
  schema: TSchema,
  isLeftOut: (text: unknown) => boolean = () => false,
): Validate {
  const properties = Object.entries((schema as JsonSchema).properties ?? {})
  return compile(schema, (value) => {
    const given = value as Record<string, unknown>
    const known: Record<string, unknown> = {}
    for (const [name, property] of properties) {
      const text = Object.hasOwn(given, name) ? given[name] : undefined
      const read = text === undefined || isLeftOut(text) ? property.default : readParameter(property, text)
      if (read !== undefined) known[name] = read
    }
    return known
  })
}

/** Checks an address. A number beyond all ids is no mistake in it: there is no such thing, 404. */
function compileAddress(schema: TSchema): Validate {
  const check = compileParameters(schema)
  const properties = Object.entries((schema as JsonSchema).properties ?? {})
  return (given) => {
    const checked = check(given)
    if (!('error' in checked)) return checked
    const isBeyond = properties.some(([name, { maximum }]) => {
      const text = (given as Record<string, string>)[name] ?? ''
      return maximum !== undefined && /^\d+$/.test(text) && Number(text) > maximum
    })
    return isBeyond ? { error: new AppError('not_found') } : checked
  }
}

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'body') return compileBody(schema)
  if (httpPart === 'querystring') return compileQuery(schema)
  return httpPart === 'params' ? compileAddress(schema) : compileParameters(schema)
}

function compile(schema: TSchema, read: (value: unknown) => unknown): Validate {
  return (given) => {
    const check = checkOf(schema)
    const value = tidy(check.plan, read(given))
    if (check.validator.Check(value)) return { value }
    check.explain ??= explainerFor(schema)
    return { error: new AppError('validation_failed', { details: { errors: check.explain(value) } }) }
  }
}

interface Check {
  validator: Validator
  plan: Plan
  explain?: Explain
}

/** The check of each schema, shared by all routes and apps of this process. */
const checks = new WeakMap<TSchema, Check>()

/** Compiled when it is first needed: most nodes never use most of the operations. */
function checkOf(schema: TSchema): Check {
  const known = checks.get(schema)
  if (known) return known
  const check = { validator: Compile(schema), plan: planFor(schema) }
  checks.set(schema, check)
  return check
}

function readParameter(schema: JsonSchema, text: unknown): unknown {
  if (typeof text !== 'string') return text
  const trimmed = text.trim()
  if ((schema.type === 'integer' || schema.type === 'number') && /^-?\d{1,15}$/.test(trimmed))
    return Number(trimmed)
  if (schema.type === 'number' && /^-?\d{0,15}\.\d{1,15}$/.test(trimmed)) return Number(trimmed)
  if (schema.type === 'boolean' && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true'
  return trimmed
}
