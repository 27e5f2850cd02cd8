import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { AppError } from '../errors.ts'

/** Answers a checked value, or the failure that names every rejected field. */
export type Validate = (value: unknown) => { value: unknown } | { error: AppError }

/**
 * Checks bodies and frames as they are, without coercion (null stays null, "1" is no number), after
 * trimming their text. Schemas with `verbatim` are left as typed.
 */
export function compileBody(schema: TSchema): Validate {
  return compile(schema, (value) => trimText(schema, value ?? {}))
}

/** Checks query, path and form parameters, whose numbers and booleans arrive as text; fills in defaults. */
export function compileParameters(schema: TSchema): Validate {
  const properties: Record<string, JsonSchema> = (schema as JsonSchema).properties ?? {}
  const defaults = Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      property.default === undefined ? [] : [[name, property.default]],
    ),
  )
  return compile(schema, (value) => {
    const given = value as Record<string, unknown>
    return {
      ...defaults,
      ...Object.fromEntries(
        Object.entries(given).map(([name, text]) => [name, readParameter(properties[name], text)]),
      ),
    }
  })
}

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  httpPart === 'body' ? compileBody(schema) : compileParameters(schema)

interface JsonSchema {
  type?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  verbatim?: true
  default?: unknown
}

function compile(schema: TSchema, prepare: (value: unknown) => unknown): Validate {
  const validator = Compile(schema)
  return (given) => {
    const value = prepare(given)
    if (validator.Check(value)) return { value }
    return {
      error: new AppError('validation_failed', { details: { errors: describe(validator.Errors(value)) } }),
    }
  }
}

type SchemaErrors = ReturnType<ReturnType<typeof Compile>['Errors']>

function describe(errors: SchemaErrors) {
  return errors.flatMap(({ instancePath, message, params }) =>
    'requiredProperties' in params
      ? (params.requiredProperties as string[]).map((name) => ({
          path: `${instancePath}/${name}`,
          message: 'is required',
        }))
      : [{ path: instancePath, message }],
  )
}

function trimText(schema: JsonSchema, value: unknown): unknown {
  if (typeof value === 'string') {
    const text = [schema, ...(schema.anyOf ?? [])].find(({ type }) => type === 'string')
    return text && !text.verbatim ? value.trim() : value
  }
  const { items, properties } = schema
  if (Array.isArray(value)) return items ? value.map((item) => trimText(items, item)) : value
  if (typeof value !== 'object' || value === null || !properties) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, property ? trimText(property, inner) : inner]
    }),
  )
}

function readParameter(schema: JsonSchema | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text
  const trimmed = text.trim()
  if ((schema?.type === 'integer' || schema?.type === 'number') && /^-?\d{1,15}$/.test(trimmed))
    return Number(trimmed)
  if (schema?.type === 'number' && /^-?\d{0,15}\.\d{1,15}$/.test(trimmed)) return Number(trimmed)
  if (schema?.type === 'boolean' && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true'
  return trimmed
}
