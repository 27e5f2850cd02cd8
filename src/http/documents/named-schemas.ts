import { isDeepStrictEqual } from 'node:util'

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
  format?: string
  [keyword: string]: unknown
}

/** Formats that other programs know: strict validators refuse a schema with any other. */
const KNOWN_FORMATS: ReadonlySet<string> = new Set(['binary', 'date-time'])

/**
 * The named schemas of a document, each added when it is first shown; a schema is named by its `$id`. The document has
 * no `$id`s itself: a reference within a schema that has one would be relative to it.
 */
export class Components {
  readonly schemas: Record<string, Schema> = {}
  readonly #declared = new Map<string, Schema>()
  readonly #listShared: () => Record<string, Schema>

  /** `listShared`: the schemas that others refer to as `<name>#`, by name. */
  constructor(listShared: () => Record<string, Schema> = () => ({})) {
    this.#listShared = listShared
  }

  /** `schema` as a document shows it: parts that have a name are references. */
  show(schema: Schema): Schema {
    const { $id, $ref, description, ...form } = schema
    const name = $id ?? $ref?.replace('#', '')
    if (name === undefined) return this.#tidy(schema)
    const { $id: _, description: __, ...shared } = this.#listShared()[name] ?? {}
    this.#add(name, $ref === undefined ? form : shared)
    return { $ref: `#/components/schemas/${name}`, ...(description === undefined ? {} : { description }) }
  }

  #add(name: string, form: Schema): void {
    const declared = this.#declared.get(name)
    if (declared && !isDeepStrictEqual(declared, form))
      throw new Error(`two different schemas have the $id ${name}`)
    if (declared) return
    // Known before its parts, because these may refer to it.
    this.#declared.set(name, form)
    this.schemas[name] = {}
    this.schemas[name] = this.#tidy(form)
  }

  /** Removes keywords and formats that only this service's validator knows; a field with a default becomes optional. */
  #tidy({ errorMessage: _, verbatim, patternProperties, format, ...schema }: Schema): Schema {
    const { properties, required, items, contentSchema, anyOf, allOf, additionalProperties } = schema
    const show = (part: Schema) => this.show(part)
    const values = patternProperties ? Object.values(patternProperties)[0] : additionalProperties
    return {
      ...schema,
      ...(format !== undefined && KNOWN_FORMATS.has(format) && { format }),
      ...(required && { required: required.filter((name) => properties?.[name]?.default === undefined) }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, show(part)])),
      }),
      ...(items && { items: show(items) }),
      ...(contentSchema && { contentSchema: show(contentSchema) }),
      ...(anyOf && { anyOf: anyOf.map(show) }),
      ...(allOf && { allOf: allOf.map(show) }),
      ...(values !== undefined && {
        additionalProperties: typeof values === 'object' ? show(values) : values,
      }),
      ...(verbatim === undefined ? {} : { 'x-verbatim': verbatim }),
    }
  }
}
