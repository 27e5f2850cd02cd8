import jsep from 'jsep'
import { isFunctionName, takes } from './functions.ts'
import type { Operator, Tree } from './tree.ts'
import { CONSTANTS, type ConstantName, ExpressionError, isArithmetic, LONGEST, MOST_NODES } from './tree.ts'

const TOKEN =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)|(?<word>[a-zA-Z][a-zA-Z0-9_]*)|(?<sign>==|!=|<=|>=|[-+*/^<>(),−–·×÷≤≥≠]))/uy
const SPELT = new Map(
  Object.entries({
    ...{ '^': '**', and: '&&', or: '||', not: '!' },
    ...{ '−': '-', '–': '-', '·': '*', '×': '*', '÷': '/', '≤': '<=', '≥': '>=', '≠': '!=' },
  }),
)
const READ: Record<string, Operator> = {
  ...{ '**': '^', '&&': 'and', '||': 'or' },
  ...{ '+': '+', '-': '-', '*': '*', '/': '/' },
  ...{ '==': '==', '!=': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
}
/** Stands for brackets in what the parser is given, whose trees don't show them. */
const BRACKETS = '_'
/** Before each name, so that none means anything to the parser. */
const MARK = '$'
/** How close an operator binds; a sign stands between `*` and `^`, `not` between `and` and comparisons. */
const BINDS: Record<string, number> = {
  ...{ '||': 1, '&&': 2 },
  ...{ '==': 3, '!=': 3, '<': 3, '<=': 3, '>': 3, '>=': 3 },
  ...{ '+': 4, '-': 4, '*': 5, '/': 5, '**': 6 },
}
const SIGNS_BIND: Record<string, number> = { '!': 2.5, '-': 5.5, '+': 5.5 }

const INCOMPLETE = 'can’t be read: an operator, a value or a bracket is missing'

/** An expression that stands for a number; throws ExpressionError. */
export function parseExpression(text: string): Tree {
  requireShort(text)
  return parseNumber(text)
}

/** As `parseExpression`, of a text that was written from a short one. */
export function parseNumber(text: string): Tree {
  const tree = parse(text)
  if (isTruth(tree)) throw new ExpressionError('compares, where a number is asked for')
  return tree
}

/** A comparison, or several that `and`, `or` and `not` join; throws ExpressionError. */
export function parseCondition(text: string): Tree {
  requireShort(text)
  const tree = parse(text)
  if (!isTruth(tree)) throw new ExpressionError('is a number, where a comparison is asked for')
  return tree
}

/** The names of symbols or variables in it, each once. */
export function namesIn(tree: Tree): Set<string> {
  const names = new Set<string>()
  visit(tree, (node) => node.kind === 'name' && names.add(node.name))
  return names
}

/** Whether a tree stands for true or false. */
export function isTruth(tree: Tree): boolean {
  return tree.kind === 'not' || (tree.kind === 'operator' && !isArithmetic(tree.operator))
}

export function visit(tree: Tree, see: (node: Tree) => unknown): void {
  see(tree)
  if (tree.kind === 'call') for (const of of tree.of) visit(of, see)
  if (tree.kind === 'minus' || tree.kind === 'not') visit(tree.of, see)
  if (tree.kind === 'operator') for (const side of [tree.left, tree.right]) visit(side, see)
}

/** Throws ExpressionError for a text that is too long to be read. */
export function requireShort(text: string): void {
  if (text.length > 2 * LONGEST || [...text].length > LONGEST)
    throw new ExpressionError(`is longer than ${LONGEST} characters`)
}

function parse(text: string): Tree {
  const tree = toTree(lifted(parsed(respell(text))))
  let nodes = 0
  visit(tree, () => {
    nodes += 1
  })
  if (nodes > MOST_NODES)
    throw new ExpressionError(`has more than ${MOST_NODES} numbers, names and operators`)
  return tree
}

/** The text in the spelling of the parser, with brackets that it keeps. Texts of strings, members and lists end here. */
function respell(text: string): string {
  const spelt: string[] = []
  TOKEN.lastIndex = 0
  const end = text.trimEnd().length
  if (end === 0) throw new ExpressionError('is empty')
  let isCallee = false
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex
    const groups = TOKEN.exec(text)?.groups
    if (!groups)
      throw new ExpressionError(`has '${text.slice(at).trim()[0]}', which can't be read, at ${at + 1}`)
    const { number, word, sign = '' } = groups
    const token = number ?? word ?? sign
    if (token === '(' && !isCallee) spelt.push(BRACKETS)
    spelt.push(SPELT.get(token) ?? (word ? MARK + word : token))
    isCallee = word !== undefined && !SPELT.has(word)
  }
  return spelt.join(' ')
}

function parsed(spelt: string): jsep.Expression {
  try {
    return jsep(spelt)
  } catch {
    throw new ExpressionError(INCOMPLETE)
  }
}

/** The parser binds signs and `not` closer than any operator: here they are put above those that bind closer. */
function lifted(node: jsep.Expression): jsep.Expression {
  if (isUnary(node)) return { ...node, argument: lifted(node.argument) }
  if (isCall(node)) return { ...node, arguments: node.arguments.map(lifted) }
  if (!isBinary(node)) return node
  return joined(node, lifted(node.left), lifted(node.right))
}

/** Of sides that were lifted already: to lift them again for each sign would take as long as a text can make it. */
function joined(node: jsep.BinaryExpression, left: jsep.Expression, right: jsep.Expression): jsep.Expression {
  if (!isUnary(left) || (SIGNS_BIND[left.operator] ?? 0) > (BINDS[node.operator] ?? 0))
    return { ...node, left, right }
  return { ...left, argument: joined(node, left.argument, right) }
}

function toTree(node: jsep.Expression): Tree {
  if (isLiteral(node)) return { kind: 'number', text: node.raw }
  if (isIdentifier(node)) return toName(node.name.slice(MARK.length))
  if (isCall(node) && isIdentifier(node.callee)) {
    const of = node.arguments.map(toTree)
    const [only] = of
    if (node.callee.name !== BRACKETS) return toCall(node.callee.name.slice(MARK.length), of)
    if (only && of.length === 1) return only
  }
  if (isUnary(node)) {
    const of = toTree(node.argument)
    if (node.operator === '+') return number(of)
    if (node.operator === '-') return { kind: 'minus', of: number(of) }
    if (node.operator === '!') return { kind: 'not', of: truth(of) }
  }
  const operator = isBinary(node) ? READ[node.operator] : undefined
  if (!isBinary(node) || !operator) throw new ExpressionError(INCOMPLETE)
  const side = operator === 'and' || operator === 'or' ? truth : number
  return { kind: 'operator', operator, left: side(toTree(node.left)), right: side(toTree(node.right)) }
}

function toName(name: string): Tree {
  if (isFunctionName(name)) throw new ExpressionError(`has the function ${name} without brackets`)
  return isConstant(name) ? { kind: 'constant', name } : { kind: 'name', name }
}

function toCall(name: string, of: Tree[]): Tree {
  if (!isFunctionName(name)) throw new ExpressionError(`has '${name}' before a bracket, which is no function`)
  const [least, most] = takes(name)
  if (of.length < least || of.length > most)
    throw new ExpressionError(
      `gives ${name} ${of.length} values instead of ${least === most ? least : `${least} to ${most}`}`,
    )
  return { kind: 'call', name, of: of.map(number) }
}

function number(tree: Tree): Tree {
  if (isTruth(tree)) throw new ExpressionError('calculates with a comparison')
  return tree
}

function truth(tree: Tree): Tree {
  if (!isTruth(tree)) throw new ExpressionError('joins a number as if it were a comparison')
  return tree
}

const isConstant = (name: string): name is ConstantName => Object.hasOwn(CONSTANTS, name)
const isLiteral = (node: jsep.Expression): node is jsep.Literal => node.type === 'Literal'
const isIdentifier = (node: jsep.Expression): node is jsep.Identifier => node.type === 'Identifier'
const isCall = (node: jsep.Expression): node is jsep.CallExpression => node.type === 'CallExpression'
const isUnary = (node: jsep.Expression): node is jsep.UnaryExpression => node.type === 'UnaryExpression'
const isBinary = (node: jsep.Expression): node is jsep.BinaryExpression => node.type === 'BinaryExpression'
