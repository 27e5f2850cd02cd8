import { type ResolveFnOutput, type ResolveHookSync, registerHooks } from 'node:module'

/** What the service's own files import by the name of a package, which is the same for all of them. */
const packages = new Map<string, ResolveFnOutput>()

/**
 * Spares a start (`node --import`) most of what Node looks up for an import: each step of its path in the file system,
 * and the package.json it belongs to, which is parsed anew each time, all 180 KB of drizzle-orm's.
 */
const resolve: ResolveHookSync = (specifier, context, nextResolve) => {
  const { parentURL = '' } = context
  const format = specifier.startsWith('.') ? formatOf(specifier, parentURL) : undefined
  if (format !== undefined) return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
  if (specifier.startsWith('.') || !isOwn(parentURL)) return nextResolve(specifier, context)
  const known = packages.get(specifier)
  if (known !== undefined) return known
  const found = { ...nextResolve(specifier, context), shortCircuit: true }
  packages.set(specifier, found)
  return found
}

registerHooks({ resolve })

/** What a path with an ending is, where its ending says so: it names the file, and there is nothing to look up. */
function formatOf(file: string, parentURL: string): string | undefined {
  if (file.endsWith('.mjs')) return 'module'
  if (isOwn(parentURL)) return file.endsWith('.ts') ? 'module-typescript' : undefined
  return parentURL.includes('/node_modules/drizzle-orm/') && parentURL.endsWith('.js') ? 'module' : undefined
}

function isOwn(url: string): boolean {
  return url.endsWith('.ts') && !url.includes('/node_modules/')
}
