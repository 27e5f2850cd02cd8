import path from 'node:path'

/** From the outside to the inside. A file imports only from its own layer or from inner layers (CONTRIBUTING.md). */
const LAYERS: { name: string; files: RegExp }[] = [
  { name: 'process', files: /^src\/((main|cli)\.ts$|process\/)/ },
  { name: 'app', files: /^src\/(app\.ts$|legacy\/)/ },
  {
    name: 'transport',
    files: /^src\/features\/.+\.(routes|admin-routes|live|worker)\.ts$/,
  },
  { name: 'gateway', files: /^src\/gateway\// },
  { name: 'http', files: /^src\/http\// },
  { name: 'service', files: /^src\/features\/(?!.+\.(store|sql)\.ts$)/ },
  { name: 'store', files: /^src\/features\/.+\.store\.ts$/ },
  // Conditions and parts of statements that the stores of several features share.
  { name: 'sql', files: /^src\/features\/.+\.sql\.ts$/ },
  { name: 'core', files: /^src\/(core|per-node)\.ts$/ },
  { name: 'infrastructure', files: /^src\/(db|bus|adapters|tokens)\// },
  { name: 'foundation', files: /^src\/((telemetry|formats|scheduling|settings)\/)?[a-z-]+\.ts$/ },
  { name: 'schemas', files: /^schemas\// },
  { name: 'manifest', files: /^package\.json$/ },
]

/** The imports, type imports included, that go from an inner layer to an outer one, or close a circle. */
export function findViolations(sources: ReadonlyMap<string, string>): string[] {
  const violations = [...sources].flatMap(([file, source]) =>
    readImports(file, source).flatMap((target) => {
      const problem = judge(file, target)
      return problem === undefined ? [] : [`${file} → ${target}: ${problem}`]
    }),
  )
  return [...violations, ...findCircles(sources)]
}

function readImports(file: string, source: string): string[] {
  const specifiers = source.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...specifiers].map(([, specifier]) => path.posix.join(path.posix.dirname(file), specifier ?? ''))
}

function judge(file: string, target: string): string | undefined {
  const from = layerOf(file)
  const to = layerOf(target)
  if (from === -1) return 'lies in no layer'
  if (to === -1) return 'imports what lies in no layer'
  if (['http', 'gateway'].includes(nameOf(from)) && target.startsWith('src/features/'))
    return `${nameOf(from)} knows no feature`
  if (to < from) return `${nameOf(from)} imports from ${nameOf(to)}`
  if (nameOf(to) === 'store' && featureOf(file) !== featureOf(target))
    return 'a store is used by its own feature alone'
  if (nameOf(from) === 'transport' && nameOf(to) === 'store')
    return 'transport reaches stores through services'
  // A feature's own routes register those of its parts.
  if (from === to && featureOf(file) !== featureOf(target) && nameOf(from) === 'transport')
    return 'transports do not use one another'
  return undefined
}

function layerOf(file: string): number {
  return LAYERS.findIndex(({ files }) => files.test(file))
}

function nameOf(layer: number): string {
  return LAYERS[layer]?.name ?? ''
}

function featureOf(file: string): string | undefined {
  return /^src\/features\/([^/]+)\//.exec(file)?.[1]
}

export function findCircles(sources: ReadonlyMap<string, string>): string[] {
  const imports = new Map([...sources].map(([file, source]) => [file, readImports(file, source)]))
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, trail: string[]): void => {
    const start = trail.indexOf(file)
    if (start >= 0) circles.push(`circle: ${[...trail.slice(start), file].join(' → ')}`)
    if (start >= 0 || done.has(file)) return
    for (const target of imports.get(file) ?? []) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return circles
}
