/** As much of JSON Schema as the service's documents use. */
interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  items?: Schema
  format?: string
  default?: unknown
  description?: string
  contentSchema?: Schema
}

interface ContentByType {
  content?: Record<string, { schema?: Schema }>
}

interface Operation {
  summary?: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: ContentByType & { required?: boolean }
  responses: Record<string, ContentByType & { description?: string }>
}

interface Components {
  schemas: Record<string, Schema>
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: Components
}

export interface AsyncApi {
  components: Components
  channels: {
    socket: { messages: Record<string, { name: string; summary: string; payload: { $ref: string } }> }
  }
}

const HEAD = '// Printed from the documents of a running service: npm run generate -w client\n'

/**
 * The newer generation's operations, in the shape of openapi-typescript, so that whatever is made for its `paths`
 * takes these. The `code` of a failure is narrowed to those that its operation declares.
 */
export function printOperations({ paths, components }: OpenApi): string {
  const newer = Object.entries(paths).filter(([path]) => path.startsWith('/api/v01/'))
  const entries = newer.map(([path, operations]) => {
    const methods = Object.entries(operations).map(([method, operation]) =>
      printOperation(method, operation, components),
    )
    return `  ${quote(path)}: {\n${methods.join('')}  }\n`
  })
  return `${HEAD}
/** What a refusal says; some codes add fields of their own. */
export interface Failure<Code extends string = string> {
  code: Code
  message: string
  status?: 'error'
  success?: false
  errors?: { path: string; message: string }[]
  /** Seconds. */
  retry_after?: number
  [field: string]: unknown
}

${printNamed(referredTo(newer, components), components)}
export interface paths {
${entries.join('')}}
`
}

/** Every frame of the WebSocket, by direction and `type`; what operations have as well is theirs. */
export function printFrames({ channels, components }: AsyncApi, { paths, ...http }: OpenApi): string {
  const messages = Object.entries(channels.socket.messages).map(
    ([key, { name, summary, payload }]) =>
      [key, { name, summary, payload: components.schemas[nameOf(payload.$ref)] as Schema }] as const,
  )
  const used = referredTo(messages, components)
  const newer = Object.entries(paths).filter(([path]) => path.startsWith('/api/v01/'))
  const theirs = referredTo(newer, http.components)
  const own = used.filter((name) => !theirs.includes(name))
  const imported = new Set(namesIn([messages, own.map((name) => components.schemas[name])]))
  const fields = (prefix: string) =>
    messages
      .filter(([key]) => key.startsWith(prefix))
      .map(([, { name, summary, payload }]) => `${comment(summary, '  ')}  ${name}: ${print(payload)}\n`)
      .join('')
  return `${HEAD}import type { ${theirs.filter((name) => imported.has(name)).join(', ')} } from './openapi.ts'

${printNamed(own, components)}
export interface ServerFrames {
${fields('server.')}}
export type ServerFrame = ServerFrames[keyof ServerFrames]

export interface ClientFrames {
${fields('client.')}}
export type ClientFrame = ClientFrames[keyof ClientFrames]
`
}

function printNamed(names: string[], { schemas }: Components): string {
  return names.map((name) => `export type ${name} = ${print(schemas[name] as Schema)}\n`).join('\n')
}

/** The names of what `part` refers to, and of what that refers to in turn. */
function referredTo(part: unknown, components: Components, found = new Set<string>()): string[] {
  for (const name of namesIn(part)) {
    if (found.has(name)) continue
    found.add(name)
    referredTo(components.schemas[name], components, found)
  }
  return [...found].sort()
}

/** A failure's type is written by hand. */
function namesIn(part: unknown): string[] {
  const refs = JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)
  return [...refs].map(([, name = '']) => name).filter((name) => name !== 'Failure')
}

function printOperation(
  method: string,
  { summary, parameters = [], requestBody, responses }: Operation,
  components: Components,
): string {
  const groups = ['query', 'path', 'header'].map((where) => {
    const group = parameters.filter((each) => each.in === where)
    const fields = group.map(
      ({ name, required, schema }) => `${quote(name)}${required ? '' : '?'}: ${print(schema)}`,
    )
    const isOptional = group.every(({ required }) => !required)
    return group.length === 0
      ? `${where}?: never`
      : `${where}${isOptional ? '?' : ''}: { ${fields.join('; ')} }`
  })
  const isOptional = requestBody && takesNothing(requestBody, components)
  const body = requestBody
    ? `requestBody${isOptional ? '?' : ''}: { content: { ${printContent(requestBody)} } }`
    : 'requestBody?: never'
  const answers = Object.entries(responses).map(([status, response]) => {
    const codes = failureCodes(response)
    const content = codes ? `'application/json': Failure<${codes.join(' | ')}>` : printContent(response)
    return `        ${status}: { content: ${content ? `{ ${content} }` : '{}'} }\n`
  })
  return `${comment(summary, '    ')}    ${method}: {
      parameters: { ${[...groups, 'cookie?: never'].join('; ')} }
      ${body}
      responses: {
${answers.join('')}      }
    }
`
}

/** Of an answer that is a failure: what its `code` may be. */
function failureCodes({ content }: ContentByType): string[] | undefined {
  const { $ref, allOf = [] } = content?.['application/json']?.schema ?? {}
  if ($ref?.endsWith('/Failure')) return ['string']
  if (!allOf[0]?.$ref?.endsWith('/Failure')) return undefined
  return allOf[1]?.properties?.code?.enum?.map((code) => quote(String(code)))
}

/** A body all of whose fields may be left out may be left out itself. */
function takesNothing(
  { required, content }: Operation['requestBody'] & object,
  { schemas }: Components,
): boolean {
  const given = content?.['application/json']?.schema
  const schema = given?.$ref ? schemas[nameOf(given.$ref)] : given
  return !required || (schema !== undefined && !schema.required?.length && schema.type === 'object')
}

function printContent({ content = {} }: ContentByType): string {
  return (
    Object.entries(content)
      // What is read bit by bit is no data of an answer.
      .filter(([type]) => type !== 'text/event-stream')
      .map(([type, { schema }]) => {
        // A form is handed over as what the platform sends as one: a client can't know the file's other parts.
        const printed = type === 'multipart/form-data' ? 'FormData' : schema ? print(schema) : 'unknown'
        return `${quote(type)}: ${printed}`
      })
      .join('; ')
  )
}

function print(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref)
  if ('const' in schema) return JSON.stringify(schema.const).replaceAll('"', "'")
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map((each) => print(each)))].join(' | ')
  if (schema.allOf) return schema.allOf.map((each) => `(${print(each)})`).join(' & ')
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string'
    case 'boolean':
    case 'null':
      return schema.type
    case 'array': {
      const items = schema.items ? print(schema.items) : 'unknown'
      return /[|&]/.test(items) ? `(${items})[]` : `${items}[]`
    }
    case 'object':
      return printObject(schema)
  }
  return 'unknown'
}

function printObject(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isThere = schema.required?.includes(name)
    return `${comment(field.description)}${/^\w+$/.test(name) ? name : quote(name)}${isThere ? '' : '?'}: ${print(field)}`
  })
  const [pattern] = Object.values(schema.patternProperties ?? {})
  const others = pattern ?? schema.additionalProperties
  if (others === true) fields.push('[field: string]: unknown')
  else if (others) {
    const record = `{ [key: string]: ${print(others)} }`
    return fields.length === 0 ? record : `{ ${fields.join('; ')} } & ${record}`
  }
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`
}

function comment(text: string | undefined, indent?: string): string {
  if (!text) return ''
  return indent === undefined ? `/** ${text} */ ` : `${indent}/** ${text} */\n`
}

function nameOf(ref: string): string {
  return ref.replace(/^.*\//, '')
}

function quote(text: string): string {
  return `'${text}'`
}
