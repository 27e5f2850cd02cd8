import type { FunctionName } from './functions.ts'

/** What an expression consists of. Nothing else can be in one, whatever its text says. */
export type Tree =
  /** A decimal without a sign, as it was written. */
  | { kind: 'number'; text: string }
  | { kind: 'constant'; name: ConstantName }
  | { kind: 'name'; name: string }
  | { kind: 'call'; name: FunctionName; of: Tree[] }
  | { kind: 'minus' | 'not'; of: Tree }
  | { kind: 'operator'; operator: Operator; left: Tree; right: Tree }

export type Arithmetic = '+' | '-' | '*' | '/' | '^'
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='
export type Operator = Arithmetic | Comparison | 'and' | 'or'
export type ConstantName = 'pi' | 'e'

export const CONSTANTS: Record<ConstantName, number> = { pi: Math.PI, e: Math.E }

/** Code points of an expression. */
export const LONGEST = 500
/** Numbers, names, signs and operators of an expression. */
export const MOST_NODES = 200

export function isArithmetic(operator: Operator): operator is Arithmetic {
  return '+-*/^'.includes(operator)
}

/** Why a text is no expression, in words for its writer. */
export class ExpressionError extends Error {
  override name = 'ExpressionError'
}
