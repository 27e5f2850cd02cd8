import { hash } from 'node:crypto'
import {
  type Draws,
  drawOnce,
  evaluate,
  fill,
  hasPlaces,
  onlyPlace,
  parseTemplate,
  type Random,
  readDraws,
  readRatio,
  type Template,
  toDecimal,
  toNumber,
  toPlainNumber,
  toText,
  type Values,
  type Variable,
  write,
} from '@exam-practice/expressions'
import { LRUCache } from 'lru-cache'
import type { QuestionType } from '../../../../schemas/common.ts'
import type { Parts, Variable as WrittenVariable } from '../../../../schemas/parts.schemas.ts'
import type { StoredDraws } from '../../../db/tables/attempts.tables.ts'
import type { Filling, Task } from './kind.ts'
import { kindOf } from './kinds.ts'
import { optionsOf } from './letters.ts'

/**
 * The one place where a question with variables becomes one with numbers, before anything else sees it. The numbers are
 * a function of a seed, the question and its form alone, so that they are the same on every node and at any time.
 */

/** A question as papers store it. */
export interface Drawable extends Task {
  question_type: QuestionType
  draws?: StoredDraws
}

/** Draws that are tried before the one that was kept at saving is taken. */
const MOST_TRIES = 1_000
/** What stands where a value isn't finite; no draw of a saved question has one. */
const NO_VALUE = '?'
/** The seed of what is shown outside of any attempt, which no attempt has. */
export const NO_ATTEMPT = '0'

/** What is worked out of a question once. */
interface Recipe {
  draws: Draws
  form: string
  kept: Values
  /** The places whose value may not be finite. */
  doubtful: Template[]
  /** How many texts must differ; undefined where none of them has values. */
  different: number | undefined
}

const recipes = new WeakMap<Drawable, Recipe>()

/** The values of a question for a seed; undefined for a question without variables. */
export function draw(question: Drawable, seed: string): Filling | undefined {
  if (!question.draws) return undefined
  const recipe = recipeOf(question, question.draws)
  const random = randomOf(`${seed} ${question.id} ${recipe.form}`)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const values = drawOnce(recipe.draws, random)
    if (values && isFit(question, recipe, values)) return fillingOf(values)
  }
  return fillingOf(recipe.kept)
}

/** The question with these values in all of its texts, and in its key. */
export function concreteOf<Q extends Drawable>(question: Q, filling: Filling): Q {
  const { draws: _, ...concrete } = keyOf(question, filling)
  return {
    ...(concrete as Q),
    question_text: filling.text(question.question_text),
    option_a: filling.text(question.option_a),
    option_b: filling.text(question.option_b),
    option_c: filling.text(question.option_c),
    option_d: filling.text(question.option_d),
    more_options: question.more_options.map(filling.text),
  }
}

/** The question with these values in its key and parts alone, for grading. */
export function keyOf<Q extends Drawable>(question: Q, filling: Filling): Q {
  const { fill: fillKey } = kindOf(question.question_type)
  return {
    ...question,
    ...(fillKey ? fillKey(question, filling) : { parts: fillParts(question.parts, filling) }),
  }
}

/** Whether its values decide what is right: letters, as of options, stay what they are. */
export function hasDrawnKey({ draws, correct_answer, tolerance, parts }: Drawable): boolean {
  return draws !== undefined && `${correct_answer} ${tolerance} ${JSON.stringify(parts)}`.includes('{@')
}

/** Parts whose texts all are shown. */
export function fillParts(parts: Parts | null, { text }: Filling): Parts | null {
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(filled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, filled(of)]))
  }
  return filled(parts) as Parts | null
}

/** Variables and conditions as they are drawn from; throws DrawsError. */
export function readVariables(variables: readonly WrittenVariable[], conditions: readonly string[]): Draws {
  return readDraws(variables.map(toVariable), conditions)
}

/** With its decimals as texts. */
export function toVariable(variable: WrittenVariable): Variable {
  const { name } = variable
  if ('is' in variable) return { name, is: variable.is }
  if ('values' in variable) return { name, values: variable.values.map(String) }
  return { name, from: String(variable.from), to: String(variable.to), step: String(variable.step) }
}

function recipeOf(question: Drawable, { variables, conditions, kept }: StoredDraws): Recipe {
  const known = recipes.get(question)
  if (known) return known
  const read = variables.map(toVariable)
  const distinct = distinctTexts(question)
  const recipe = {
    draws: readDraws(read, conditions),
    form: hash('sha256', JSON.stringify([read.map((each) => Object.values(each)), conditions])).slice(0, 16),
    kept: new Map(Object.entries(kept).map(([name, ratio]) => [name, readRatio(ratio)])),
    doubtful: textsOf(question).map(templateOf).filter(isDoubtful),
    different: distinct.some((text) => hasPlaces(templateOf(text))) ? new Set(distinct).size : undefined,
  }
  recipes.set(question, recipe)
  return recipe
}

/** All texts of a question that may have places for values, with its key. */
export function textsOf({ parts, ...question }: Task): string[] {
  const texts = [
    question.question_text,
    question.correct_answer,
    question.tolerance,
    ...question.more_options,
  ]
  texts.push(question.option_a, question.option_b, question.option_c, question.option_d)
  const add = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) add(each)
  }
  add(parts)
  return texts
}

/** Texts of which no two may be the same: options that are chosen among, and prompts. */
export function distinctTexts(task: Task & { question_type: QuestionType }): string[] {
  if (task.parts && 'pairs' in task.parts) return task.parts.pairs.map(({ prompt }) => prompt)
  if (kindOf(task.question_type).letters(task) === null) return []
  return optionsOf(task)
    .map(({ text }) => text)
    .filter((text) => text !== '')
}

function isFit(question: Drawable, { doubtful, different }: Recipe, values: Values): boolean {
  if (
    !doubtful.every(({ pieces }) =>
      pieces.every((each) => typeof each === 'string' || evaluate(each.tree, values)),
    )
  )
    return false
  if (different === undefined) return true
  const { text } = fillingOf(values)
  // Those that are written alike may stay so.
  return new Set(distinctTexts(question).map((each) => text(each))).size === different
}

function isDoubtful({ pieces }: Template): boolean {
  return pieces.some((piece) => typeof piece !== 'string' && !isSurelyFinite(piece.tree))
}

/** Sums and products of values are finite; quotients, powers and functions may not be. */
function isSurelyFinite(tree: Exclude<Template['pieces'][number], string>['tree']): boolean {
  if (tree.kind === 'minus') return isSurelyFinite(tree.of)
  if (tree.kind === 'operator')
    return '+-*'.includes(tree.operator) && isSurelyFinite(tree.left) && isSurelyFinite(tree.right)
  return tree.kind === 'number' || tree.kind === 'constant' || tree.kind === 'name'
}

/** Texts that are read again and again, as those of a paper for each of its attempts: most characters of all of them. */
const MOST_CHARACTERS = 2_000_000
const templates = new LRUCache<string, Template>({
  maxSize: MOST_CHARACTERS,
  sizeCalculation: (_, text) => text.length + 1,
})

/** Throws ExpressionError. */
export function templateOf(text: string): Template {
  const known = templates.get(text)
  if (known) return known
  const template = text.includes('{@') ? parseTemplate(text) : { pieces: [text] }
  templates.set(text, template)
  return template
}

export function fillingOf(values: Values): Filling {
  return {
    values,
    text: (template) =>
      template.includes('{@') ? (fill(templateOf(template), values) ?? NO_VALUE) : template,
    number(template) {
      const place = onlyPlace(templateOf(template))
      if (!place) return { text: template }
      const exact = evaluate(place.tree, values)
      return (
        exact && { text: place.format ? toPlainNumber(write(exact, place.format)) : shortest(exact), exact }
      )
    },
    expression(template) {
      const { pieces } = templateOf(template)
      return pieces
        .map((piece) => (typeof piece === 'string' ? piece : inExpression(evaluate(piece.tree, values))))
        .join('')
    },
  }
}

type Value = NonNullable<ReturnType<typeof evaluate>>

function shortest(value: Value): string {
  return toPlainNumber(write(value))
}

/** A longer value is written with all that a comparison sees of it, so that a key stays short enough to be read. */
const LONGEST_EXACT = 40

/** In brackets, whatever stands beside it; a quotient where it is no decimal. */
function inExpression(value: Value | undefined): string {
  if (!value) return NO_VALUE
  const exact = toDecimal(value) ?? value.toFraction()
  // An `e` is a constant to whoever reads a formula as it is typed.
  const short = () => String(toNumber(value)).replace(/e[+]?(.*)/, '*10^($1)')
  return `(${exact.length > LONGEST_EXACT ? short() : exact})`
}

/** Values as they are shown to their teacher. */
export function showValues(values: Values): Record<string, string> {
  return Object.fromEntries([...values].map(([name, value]) => [name, toText(write(value))]))
}

/** Always the same numbers for a seed. */
export function randomOf(seed: string): Random {
  let block = Buffer.alloc(0)
  let at = 0
  let blocks = 0
  return () => {
    if (at === block.length) {
      block = hash('sha256', `${blocks} ${seed}`, 'buffer')
      blocks += 1
      at = 0
    }
    at += 4
    return block.readUInt32LE(at - 4)
  }
}
