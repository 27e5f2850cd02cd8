import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

type BuildSerializer = ReturnType<typeof SerializerSelector>
type Serialize = (value: unknown) => string

/** The serialiser of each schema, shared by all routes and apps of this process. */
const serializers = new WeakMap<object, Serialize>()

/** Builds a serialiser when it is first needed: building all of them would take most of the start. */
export const buildSerializer: BuildSerializer = (externalSchemas, options) => {
  const make = SerializerSelector()(externalSchemas, options)
  return (route) => {
    const schema = route.schema as object
    return (value: unknown) => {
      let serialize = serializers.get(schema)
      if (!serialize) {
        serialize = make({ ...route, schema: simplify(schema) })
        serializers.set(schema, serialize)
      }
      return serialize(value)
    }
  }
}

type WrittenSchema = { $id?: string; anyOf?: WrittenSchema[]; type?: string }

/**
 * The schema for a serialiser, with `nullable` for what is something or null: between alternatives it decides by a
 * validator, which takes longer than writing the value. Without names: the serialiser takes each for a schema of its
 * own.
 */
function simplify(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplify)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id: _, ...own } = schema as WrittenSchema
  const { anyOf: [value, nothing, ...others] = [], ...rest } = own
  if (value?.type !== undefined && nothing?.type === 'null' && others.length === 0)
    return { ...rest, ...(simplify(value) as WrittenSchema), nullable: true }
  return Object.fromEntries(Object.entries(own).map(([name, part]) => [name, simplify(part)]))
}
