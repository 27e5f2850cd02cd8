import type { Core } from './core.ts'

/** A value that a feature keeps as long as its node lives, created at its first use. */
export function perNode<T>(create: (core: Core) => T): (core: Core) => T {
  const kept = new WeakMap<Core, { value: T }>()
  return (core) => {
    let entry = kept.get(core)
    if (!entry) {
      entry = { value: create(core) }
      kept.set(core, entry)
    }
    return entry.value
  }
}
