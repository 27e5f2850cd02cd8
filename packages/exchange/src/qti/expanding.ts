import { MOST_CONDITIONS, type Tree, type Variable } from '@exam-practice/expressions'
import { Skip } from '../items.ts'
import { checked, checkedCondition } from '../variables/formulas.ts'
import { toNames } from '../variables/names.ts'
import { print } from '../variables/printing.ts'
import type { Source } from './template-sources.ts'

/** Nodes of an expression; more than a question's may have. */
const MOST_NODES = 500

/** Variables of an item as ours: what is calculated stands where it is shown, and is a variable if more depends on it. */
export class Expanding {
  readonly variables: Variable[]
  /** What stands for each variable. */
  readonly #trees = new Map<string, Tree>()
  readonly #written = new Map<string, string>()

  constructor(
    definitions: ReadonlyMap<string, Source | Tree>,
    conditions: readonly Tree[],
    shown: ReadonlySet<string>,
  ) {
    const uses = countUses(definitions, conditions, shown)
    const needed = [...definitions].filter(([name]) => shown.has(name) || uses.has(name))
    const isKept = ([name, definition]: [string, Source | Tree]) =>
      !('kind' in definition) || (!isConstant(definition) && (uses.get(name) ?? 0) > 1)
    const names = toNames(needed.filter(isKept).map(([name]) => name))
    this.variables = needed.flatMap(([identifier, definition]): Variable[] => {
      const name = names.get(identifier)
      if ('kind' in definition) {
        const tree = this.#expand(definition)
        this.#trees.set(identifier, name === undefined ? tree : { kind: 'name', name })
        return name === undefined ? [] : [{ name, is: checked(print(tree)) }]
      }
      if (name === undefined) return []
      this.#trees.set(identifier, { kind: 'name', name })
      return [{ name, ...definition }]
    })
  }

  /** The expression that a variable is. */
  write(variable: string): string {
    const text = this.#written.get(variable) ?? checked(print(this.#expand({ kind: 'name', name: variable })))
    this.#written.set(variable, text)
    return text
  }

  /** As many as there may be: the last ones are joined. */
  writeConditions(conditions: readonly Tree[]): string[] {
    const own = conditions.slice(0, MOST_CONDITIONS - 1)
    const [first, ...others] = conditions.slice(MOST_CONDITIONS - 1)
    const rest =
      first &&
      others.reduce((left, right): Tree => ({ kind: 'operator', operator: 'and', left, right }), first)
    return [...own, ...(rest ? [rest] : [])].map((each) => checkedCondition(print(this.#expand(each))))
  }

  /** With what stands for each of its names. */
  #expand(tree: Tree): Tree {
    let nodes = 0
    const expand = (node: Tree): Tree => {
      nodes += 1
      if (node.kind === 'name') {
        const known = this.#trees.get(node.name)
        if (known) nodes += count(known)
        if (nodes > MOST_NODES || !known) throw new Skip('an expression of its variables is too long')
        return known
      }
      if (node.kind === 'minus' || node.kind === 'not') return { ...node, of: expand(node.of) }
      if (node.kind === 'call') return { ...node, of: node.of.map(expand) }
      if (node.kind === 'operator') return { ...node, left: expand(node.left), right: expand(node.right) }
      return node
    }
    return expand(tree)
  }
}

function isConstant(tree: Tree): boolean {
  return tree.kind === 'number' || (tree.kind === 'minus' && tree.of.kind === 'number')
}

function count(tree: Tree): number {
  if (tree.kind === 'minus' || tree.kind === 'not') return 1 + count(tree.of)
  if (tree.kind === 'call') return 1 + tree.of.reduce((sum, each) => sum + count(each), 0)
  return tree.kind === 'operator' ? 1 + count(tree.left) + count(tree.right) : 1
}

/** How often each variable is in a condition, or in one that is needed itself. */
function countUses(
  definitions: ReadonlyMap<string, Source | Tree>,
  conditions: readonly Tree[],
  shown: ReadonlySet<string>,
): Map<string, number> {
  const uses = new Map<string, number>()
  const use = (name: string) => uses.set(name, (uses.get(name) ?? 0) + 1)
  for (const condition of conditions) visitNames(condition, use)
  for (const [name, definition] of [...definitions].toReversed())
    if ('kind' in definition && (shown.has(name) || uses.has(name))) visitNames(definition, use)
  return uses
}

/** Each name in a tree, as often as it is there. */
function visitNames(tree: Tree, see: (name: string) => void): void {
  if (tree.kind === 'name') see(tree.name)
  if (tree.kind === 'minus' || tree.kind === 'not') visitNames(tree.of, see)
  if (tree.kind === 'call') for (const each of tree.of) visitNames(each, see)
  if (tree.kind === 'operator') for (const side of [tree.left, tree.right]) visitNames(side, see)
}
