export type Attributes = Record<string, string | number>

/** A step of a request that is traced. */
export interface Span {
  /** `attributes` that are known by then. */
  end(outcome?: { failed?: boolean; attributes?: Attributes }): void
}

type BeginSpan = (name: string, attributes: Attributes) => Span | undefined

let begin: BeginSpan | undefined

/** Whatever is traced from now on in this process is begun by `source` (src/telemetry/traces.ts). */
export function beginSpansWith(source: BeginSpan): void {
  begin = source
}

/** Begins a step of the current request; undefined where nothing is traced, which then costs nothing more. */
export function beginSpan(name: string, attributes: Attributes = {}): Span | undefined {
  return begin?.(name, attributes)
}

/** A step that is one statement: named by what it does to which table, as in `select messages`. */
export function beginStatement(text: string): Span | undefined {
  if (!begin) return undefined
  const { operation, table } = summarize(text)
  return begin(table === undefined ? operation : `${operation} ${table}`, {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    ...(table === undefined ? {} : { 'db.collection.name': table }),
  })
}

/** What a statement does, rather than one of its parts in brackets. */
function summarize(text: string): { operation: string; table?: string } {
  let depth = 0
  let operation: string | undefined
  for (const [found, verb, keyword, table] of text.matchAll(PARTS)) {
    if (found === '(') depth += 1
    else if (found === ')') depth -= 1
    if (depth > 0 || found === ')') continue
    operation ??= (verb ?? keyword)?.toLowerCase()
    if (operation !== undefined && table !== undefined) return { operation, table }
  }
  return { operation: operation ?? /\w+/.exec(text)?.[0].toLowerCase() ?? 'statement' }
}

const PARTS = /[()]|\b(select|insert|delete)\b|\b(update|from|into)\s+(?:only\s+)?"?(\w+)/gi
