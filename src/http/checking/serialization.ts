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
        serialize = make(route)
        serializers.set(schema, serialize)
      }
      return serialize(value)
    }
  }
}
