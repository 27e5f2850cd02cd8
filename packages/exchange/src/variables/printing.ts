import type { Tree } from '@exam-practice/expressions'

/** How close each binds: what binds less stands in brackets within what binds more. */
const BINDS: Record<string, number> = {
  ...{ or: 1, and: 2, not: 2.5 },
  ...{ '==': 3, '!=': 3, '<': 3, '<=': 3, '>': 3, '>=': 3 },
  ...{ '+': 4, '-': 4, '*': 5, '/': 5, minus: 5.5, '^': 6 },
}
const ALONE = 7

function bindsOf(tree: Tree): number {
  if (tree.kind === 'operator') return BINDS[tree.operator] ?? 0
  return BINDS[tree.kind] ?? ALONE
}

/** A tree as the shortest text that is read as it. */
export function print(tree: Tree): string {
  switch (tree.kind) {
    case 'number':
      return tree.text
    case 'constant':
    case 'name':
      return tree.name
    case 'minus':
      return `-${within(tree.of, BINDS.minus)}`
    case 'not':
      return `not ${within(tree.of, BINDS.not)}`
    case 'call':
      return `${tree.name}(${tree.of.map(print).join(', ')})`
    case 'operator': {
      const binds = bindsOf(tree)
      const isPower = tree.operator === '^'
      const sign = isPower ? '^' : binds === BINDS['*'] ? tree.operator : ` ${tree.operator} `
      // Powers are read from the right, all others from the left; comparisons aren't joined.
      const left = within(tree.left, isPower || binds === BINDS['=='] ? binds + 0.1 : binds)
      return `${left}${sign}${within(tree.right, isPower ? binds : binds + 0.1)}`
    }
  }
}

function within(tree: Tree, least = 0): string {
  return bindsOf(tree) < least ? `(${print(tree)})` : print(tree)
}
