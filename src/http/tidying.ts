/** The parts of JSON Schema that tidying and parameters depend on. */
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
  maxItems?: number
  maxLength?: number
  maximum?: number
  default?: unknown
  /** Not trimmed. */
  verbatim?: true
}

/** How values of a schema are tidied, by their type. */
export interface Plan {
  text?: { isTrimmed: boolean; longest: number }
  list?: { entry: Plan; longest: number }
  record?: { most: number }
  object?: { properties: [name: string, plan: Plan, nullIsLeftOut: boolean][]; keepsOthers: boolean }
}

const NO_LIMIT = Number.POSITIVE_INFINITY

export function planFor(schema: JsonSchema): Plan {
  const alternatives = schema.anyOf ?? [schema]
  const text = alternatives.find(({ type }) => type === 'string')
  const list = alternatives.find(({ items }) => items)
  const record = alternatives.find(({ patternProperties }) => patternProperties)
  const object = alternatives.find(({ properties }) => properties)
  return {
    ...(text && { text: { isTrimmed: !text.verbatim, longest: text.maxLength ?? NO_LIMIT } }),
    ...(list?.items && { list: { entry: planFor(list.items), longest: list.maxItems ?? NO_LIMIT } }),
    ...(record && { record: { most: record.maxProperties ?? NO_LIMIT } }),
    ...(object && { object: planObject(object) }),
  }
}

function planObject({
  properties = {},
  required,
  additionalProperties,
}: JsonSchema): NonNullable<Plan['object']> {
  return {
    properties: Object.entries(properties).map(([name, property]) => [
      name,
      planFor(property),
      !required?.includes(name) && !takesNull(property),
    ]),
    keepsOthers: additionalProperties === true,
  }
}

/** Whether the schema allows null, as a schema without a type does. */
function takesNull({ type, anyOf, enum: values, const: only }: JsonSchema): boolean {
  if (anyOf) return anyOf.some(takesNull)
  return type === 'null' || (type === undefined && only === undefined && (values?.includes(null) ?? true))
}

/**
 * Removes unknown fields and optional ones that are null, and trims text. Of what is too long only the beginning stays,
 * still longer than allowed: no pattern, and no check of entries, takes longer than for the longest allowed value.
 */
export function tidy(plan: Plan, value: unknown): unknown {
  if (typeof value === 'string') return plan.text ? tidyText(plan.text, value) : value
  if (Array.isArray(value)) return plan.list ? tidyList(plan.list, value) : value
  if (typeof value !== 'object' || value === null) return value
  if (plan.object) return tidyObject(plan.object, value as Record<string, unknown>)
  return plan.record ? shorten(value, plan.record.most) : value
}

function tidyText({ isTrimmed, longest }: NonNullable<Plan['text']>, given: string): string {
  const text = isTrimmed ? given.trim() : given
  // One code point more than allowed, of two code units at most.
  return text.length > 2 * (longest + 1) ? text.slice(0, 2 * (longest + 1)) : text
}

function tidyList({ entry, longest }: NonNullable<Plan['list']>, list: unknown[]): unknown[] {
  const kept = list.length > longest ? list.slice(0, longest + 1) : list
  return kept.map((each) => tidy(entry, each))
}

function tidyObject(
  { properties, keepsOthers }: NonNullable<Plan['object']>,
  given: Record<string, unknown>,
) {
  // Where unknown fields stay, the object itself is changed: nobody else uses it, and a copy of many fields takes as
  // long as parsing them.
  const known: Record<string, unknown> = keepsOthers ? given : {}
  for (const [name, property, nullIsLeftOut] of properties) {
    if (!Object.hasOwn(given, name)) continue
    if (given[name] === null && nullIsLeftOut) delete known[name]
    else known[name] = tidy(property, given[name])
  }
  return known
}

function shorten(record: object, most: number): object {
  const names: string[] = []
  for (const name in record) if (names.push(name) > most) break
  if (names.length <= most) return record
  return Object.fromEntries(names.map((name) => [name, (record as Record<string, unknown>)[name]]))
}
