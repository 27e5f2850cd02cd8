import {
  evaluate,
  isName,
  type Place,
  parseCondition,
  parseExpression,
  readDecimal,
  type Tree,
  toDecimal,
  toPlainNumber,
  type Values,
  type Variable,
  write,
} from '@exam-practice/expressions'
import type { NumberEntry, Question } from '../question.ts'
import { Marks, mapTexts } from '../variables/marks.ts'
import { toNames } from '../variables/names.ts'
import { placeOf, templateOf } from '../variables/places.ts'
import {
  isInteger,
  type NumberType,
  Operators,
  toFloat,
  type Written,
  writeNumber,
} from './template-operators.ts'

/** What an item has besides, and the question with marks where values stand. */
export interface Templates {
  question: Question
  declarations: string
  processing: string
  /** The item with values for the marks. */
  fill(item: string): string
}

const FULL: Parameters<typeof write>[1] = { significant: 15 }
/** Names that items have for other things. */
const TAKEN = /^(?:RESPONSE|SCORE|RIGHT|FEEDBACK|VALUE|DRAW|duration|numAttempts|completionStatus)\d*$/

/** Whether each value stands where QTI can print one: texts that are accepted can't be drawn. */
export function canBeTemplate(question: Question): boolean {
  const entries = question.kind === 'gaps' ? question.gaps : [question]
  return !entries.some(
    (each) => each.kind === 'text' && each.accepted.some(({ text }) => text.includes('{@')),
  )
}

/** By the operators of QTI, or where it has none for something, by a list of values for each place. */
export function writeTemplates(question: Question, draws: readonly Values[]): Templates {
  const writer = TemplateWriter.byOperators(question)
  const templates = writer && writeWith(writer, question)
  return templates?.hasAll ? templates : writeWith(TemplateWriter.byDraws(draws), question)
}

interface Value {
  identifier: string
  type: NumberType
}

interface Printed {
  identifier: string
  format: string
}

function writeWith(
  writer: TemplateWriter,
  { variables: _, conditions: _conditions, ...question }: Question,
): Templates & { hasAll: boolean } {
  const marks = new Marks<Printed | string>()
  const correct: string[] = []
  const markNumber = <N extends NumberEntry>(entry: N, response: string): N => {
    const [key, tolerance] = [placeOf(entry.key), placeOf(entry.tolerance)]
    if (key) {
      const identifier = writer.valueOf(key.tree, true)
      correct.push(
        `<setCorrectResponse identifier="${response}"><variable identifier="${identifier}"/></setCorrectResponse>`,
      )
    }
    return {
      ...entry,
      ...(key ? { key: DRAWN } : {}),
      ...(tolerance ? { tolerance: marks.mark(writer.valueOf(tolerance.tree, true)) } : {}),
    }
  }
  const markText = (text: string): string =>
    templateOf(text)
      ?.pieces.map((piece) => (typeof piece === 'string' ? piece : marks.mark(writer.print(piece))))
      .join('') ?? text
  const numbered =
    question.kind === 'number'
      ? markNumber(question, 'RESPONSE')
      : question.kind === 'gaps'
        ? {
            ...question,
            gaps: question.gaps.map((gap, index) =>
              gap.kind === 'number' ? markNumber(gap, `RESPONSE${index + 1}`) : gap,
            ),
          }
        : question
  const marked = mapTexts(numbered, markText)
  return {
    hasAll: !writer.hasFailed,
    question: marked as Question,
    declarations: writer.declarations.join('\n'),
    processing: `<templateProcessing>${writer.rules.join('')}${correct.join('')}</templateProcessing>`,
    fill: (item) =>
      marks.replace(item, (printed) =>
        typeof printed === 'string'
          ? printed
          : `<printedVariable identifier="${printed.identifier}"${printed.format}/>`,
      ),
  }
}

/** Stands for a key that is set by template processing. */
export const DRAWN = '\ufdef'

/** Declares variables, and what they are set to. */
class TemplateWriter {
  readonly declarations: string[] = []
  readonly rules: string[] = []
  /** Whether there is no operator for something. */
  hasFailed = false
  readonly #values = new Map<string, Value>()
  readonly #writeValue: (tree: Tree) => Written | undefined

  private constructor(writeValue: (tree: Tree) => Written | undefined) {
    this.#writeValue = writeValue
  }

  /** A list of values for each place, of which all have the same index. */
  static byDraws(draws: readonly Values[]): TemplateWriter {
    const writer = new TemplateWriter((tree) => {
      const values = draws.flatMap((each) => evaluate(tree, each) ?? [])
      const numbers = values.map(
        (value) =>
          `<baseValue baseType="float">${toDecimal(value) ?? toPlainNumber(write(value, FULL))}</baseValue>`,
      )
      return { xml: `<index n="DRAW"><ordered>${numbers.join('')}</ordered></index>`, type: 'float' }
    })
    writer.#declare('DRAW', 'integer', `<randomInteger min="1" max="${draws.length}"/>`)
    return writer
  }

  /** undefined where QTI has no operator for a variable or a condition. */
  static byOperators({ variables = [], conditions = [] }: Question): TemplateWriter | undefined {
    const names = toNames(
      variables.map(({ name }) => name),
      (name) => isName(name) && !TAKEN.test(name),
    )
    const types = new Map<string, Value>()
    const operators = new Operators(types)
    const writer = new TemplateWriter((tree) => operators.write(tree))
    for (const variable of variables) {
      const { name } = variable
      const identifier = names.get(name) ?? name
      const written = writeSource(variable, operators)
      if (!written) return undefined
      writer.#declare(identifier, written.type, written.xml)
      const value = { identifier, type: written.type }
      types.set(name, value)
      writer.#values.set(JSON.stringify({ kind: 'name', name } satisfies Tree), value)
    }
    for (const condition of conditions) {
      const written = operators.writeCondition(parseCondition(condition))
      if (written === undefined) return undefined
      writer.rules.push(`<templateConstraint>${written}</templateConstraint>`)
    }
    return writer
  }

  #declare(identifier: string, type: NumberType, xml: string): void {
    this.declarations.push(
      `<templateDeclaration identifier="${identifier}" cardinality="single" baseType="${type}"/>`,
    )
    this.rules.push(`<setTemplateValue identifier="${identifier}">${xml}</setTemplateValue>`)
  }

  /** The variable that has the value of an expression. */
  valueOf(tree: Tree, needsFloat: boolean): string {
    const name = JSON.stringify(tree)
    const asFloat = `${name} as float`
    const known = this.#values.get(name)
    if (known && (!needsFloat || known.type === 'float')) return known.identifier
    const float = this.#values.get(asFloat)
    if (float) return float.identifier
    const written = this.#writeValue(tree)
    if (!written) this.hasFailed = true
    const { xml, type } = written ?? { xml: '', type: 'float' }
    const value: Value = { identifier: `VALUE${this.#values.size + 1}`, type: needsFloat ? 'float' : type }
    this.#declare(value.identifier, value.type, needsFloat ? toFloat({ xml, type }) : xml)
    this.#values.set(needsFloat ? asFloat : name, value)
    return value.identifier
  }

  print({ tree, format }: Place): Printed {
    if (!format) return { identifier: this.valueOf(tree, false), format: '' }
    const written = 'decimals' in format ? `%.${format.decimals}f` : `%#.${format.significant}g`
    return { identifier: this.valueOf(tree, true), format: ` format="${written}"` }
  }
}

/** Where a variable's value comes from; undefined where QTI has no operator for it. */
function writeSource(variable: Variable, operators: Operators): Written | undefined {
  if ('is' in variable) return operators.write(parseExpression(variable.is))
  if ('values' in variable) {
    const numbers = new Map(
      variable.values.flatMap((value) => {
        const written = writeNumber(value)
        return written ? [[written.xml, value] as const] : []
      }),
    )
    const type = [...numbers.values()].every(isInteger) ? 'integer' : 'float'
    const values = [...numbers.values()].map((value) =>
      writeNumber(value)?.xml.replace(/"(?:integer|float)"/, `"${type}"`),
    )
    return { xml: `<random><multiple>${values.join('')}</multiple></random>`, type }
  }
  const { from, to, step } = variable
  if ([from, to, step].every(isInteger))
    return { xml: `<randomInteger min="${from}" max="${to}" step="${step}"/>`, type: 'integer' }
  const [first, last, by] = [from, to, step].map(readDecimal)
  const [start, distance] = [writeNumber(from), writeNumber(step)]
  if (!first || !last || !by || !start || !distance) return undefined
  const steps = last.sub(first).div(by).floor()
  const drawn = `<randomInteger min="0" max="${steps.toFraction()}"/>`
  return { xml: `<sum>${start.xml}<product>${distance.xml}${drawn}</product></sum>`, type: 'float' }
}
