import type { FunctionName } from './functions.ts'
import type { Tree } from './tree.ts'

/** How close a tree binds, so that brackets stand only where they are needed. */
const LOOSE = 1
const PRODUCT = 2
const SIGN = 3
const POWER = 4
const ATOM = 5

const NAMES: Partial<Record<FunctionName, string>> = {
  ...{ asin: '\\arcsin', acos: '\\arccos', atan: '\\arctan' },
  ...{ log10: '\\log_{10}', log2: '\\log_{2}' },
}
const KNOWN = new Set(['sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh', 'exp', 'ln', 'min', 'max', 'gcd'])
const GREEK =
  /^(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Sigma|Upsilon|Phi|Psi|Omega)$/

/** The expression as LaTeX, as it would be printed in a book. */
export function toLatex(tree: Tree): string {
  switch (tree.kind) {
    case 'number':
      return scientific(tree.text)
    case 'constant':
      return tree.name === 'pi' ? '\\pi' : 'e'
    case 'name':
      return nameToLatex(tree.name)
    case 'minus':
      return `-${within(tree.of, SIGN)}`
    case 'call':
      return callToLatex(tree.name, tree.of)
    case 'operator':
      return operatorToLatex(tree)
    case 'not':
      return `\\neg ${within(tree.of, ATOM)}`
  }
}

function operatorToLatex({ operator, left, right }: Extract<Tree, { kind: 'operator' }>): string {
  switch (operator) {
    case '+':
      return `${within(left, LOOSE)} + ${within(right, PRODUCT)}`
    case '-':
      return `${within(left, LOOSE)} - ${within(right, PRODUCT)}`
    case '*': {
      const [one, other] = [within(left, PRODUCT), within(right, POWER)]
      // Two numbers side by side would be one.
      return /^[\d.]/.test(other) || /^\\frac/.test(other) ? `${one} \\cdot ${other}` : `${one} \\, ${other}`
    }
    case '/':
      return `\\frac{${toLatex(left)}}{${toLatex(right)}}`
    case '^':
      return `${within(left, ATOM)}^{${toLatex(right)}}`
    default:
      return `${toLatex(left)} ${RELATIONS[operator]} ${toLatex(right)}`
  }
}

const RELATIONS = {
  ...{ '==': '=', '!=': '\\ne', '<': '<', '<=': '\\le', '>': '>', '>=': '\\ge', and: '\\land', or: '\\lor' },
}

function callToLatex(name: FunctionName, of: Tree[]): string {
  // Once: twice at each depth would be without end for a text of 500 characters.
  const values = of.map(toLatex)
  const [first = '', second] = values
  switch (name) {
    case 'sqrt':
      return `\\sqrt{${first}}`
    case 'cbrt':
      return `\\sqrt[3]{${first}}`
    case 'abs':
      return `\\left|${first}\\right|`
    case 'floor':
      return `\\left\\lfloor ${first}\\right\\rfloor`
    case 'ceil':
      return `\\left\\lceil ${first}\\right\\rceil`
    case 'factorial':
      return `${of[0] && closeness(of[0]) < ATOM ? bracketed(first) : first}!`
    case 'binom':
      return `\\binom{${first}}{${second}}`
    default:
      return `${NAMES[name] ?? (KNOWN.has(name) ? `\\${name}` : `\\operatorname{${name}}`)}${bracketed(values.join(', '))}`
  }
}

function within(tree: Tree, least: number): string {
  return closeness(tree) < least ? bracketed(toLatex(tree)) : toLatex(tree)
}

const bracketed = (text: string) => `\\left(${text}\\right)`

function closeness(tree: Tree): number {
  if (tree.kind === 'minus') return SIGN
  if (tree.kind === 'number') return /e/i.test(tree.text) ? PRODUCT : ATOM
  if (tree.kind === 'call') return tree.name === 'factorial' ? POWER : ATOM
  if (tree.kind === 'not') return 0
  if (tree.kind !== 'operator') return ATOM
  switch (tree.operator) {
    case '+':
    case '-':
      return LOOSE
    case '*':
      return PRODUCT
    case '/':
      return POWER
    case '^':
      return POWER
    default:
      return 0
  }
}

function scientific(text: string): string {
  const [digits = '', exponent] = text.toLowerCase().split('e')
  return exponent === undefined ? digits : `${digits} \\times 10^{${Number(exponent)}}`
}

/** `v_0` with its index below, `alpha` as its letter, other long names upright. */
function nameToLatex(name: string): string {
  const [base = '', ...index] = name.split('_')
  const letter = GREEK.test(base) ? `\\${base}` : base.length === 1 ? base : `\\mathrm{${base}}`
  return index.length === 0 ? letter : `${letter}_{${index.join(',')}}`
}
