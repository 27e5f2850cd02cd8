import type { Tree } from '@exam-practice/expressions'
import { Skip } from '../items.ts'
import { childOf, childrenOf, textOf, type XmlElement } from '../xml.ts'
import { number, readCondition, readExpression } from './template-expressions.ts'
import { elementsOf, isNumeric, listOf, readSource, type Scope, type Source } from './template-sources.ts'

/** What an item says of its variables. */
export interface TemplateRules {
  /** What each variable is, behind those that it needs. */
  definitions: ReadonlyMap<string, Source | Tree>
  conditions: readonly Tree[]
  /** The variable that is the right answer of a response, or the values that are, whatever is drawn. */
  correct: ReadonlyMap<string, { variable: string } | { values: string[] }>
}

/** Throws `Skip` for rules that have no equivalent here. */
export function readTemplateRules(item: XmlElement): TemplateRules {
  return new RulesReader(item).read(childOf(item, 'templateProcessing'))
}

class RulesReader {
  readonly #declarations: ReadonlyMap<string, XmlElement>
  readonly #definitions = new Map<string, Source | Tree>()
  readonly #lists = new Map<string, string[]>()
  readonly #conditions: Tree[] = []
  readonly #correct = new Map<string, { variable: string } | { values: string[] }>()
  /** Those that still have the values of their declarations. */
  readonly #unset = new Set<string>()

  constructor(item: XmlElement) {
    const declarations = childrenOf(item, 'templateDeclaration').filter(isNumeric)
    this.#declarations = new Map(declarations.map((each) => [each.attributes.identifier ?? '', each]))
    for (const [identifier, declaration] of this.#declarations) {
      const values = childrenOf(childOf(declaration, 'defaultValue'), 'value').map((each) =>
        textOf(each).trim(),
      )
      const [value] = values
      if (!isSingle(declaration)) this.#lists.set(identifier, values)
      else if (value !== undefined) {
        this.#definitions.set(identifier, number(value))
        this.#unset.add(identifier)
      }
    }
  }

  read(processing: XmlElement | undefined): TemplateRules {
    for (const rule of processing ? elementsOf(processing) : []) this.#run(rule)
    return { definitions: this.#definitions, conditions: this.#conditions, correct: this.#correct }
  }

  #run(rule: XmlElement): void {
    const { identifier = '' } = rule.attributes
    const [given] = elementsOf(rule)
    if (given && rule.name === 'setTemplateValue') this.#set(identifier, given)
    else if (given && rule.name === 'templateConstraint')
      this.#conditions.push(readCondition(given, this.#scope))
    else if (given && rule.name === 'setCorrectResponse') this.#setCorrect(identifier, given)
    else throw new Skip(`its variables have a rule that has no equivalent here (${rule.name.slice(0, 40)})`)
  }

  #set(identifier: string, given: XmlElement): void {
    const declaration = this.#declarations.get(identifier)
    if (!declaration) throw new Skip('its variables are no numbers')
    if (!isSingle(declaration)) {
      const list = listOf(given, this.#scope)
      if (!list) throw new Skip('a variable of it holds several values')
      this.#lists.set(identifier, list)
      return
    }
    if (this.#definitions.has(identifier) && !this.#unset.delete(identifier))
      throw new Skip('a variable of it is set more than once')
    const definition = readSource(given, this.#scope) ?? readExpression(given, this.#scope)
    this.#definitions.delete(identifier)
    this.#definitions.set(identifier, definition)
  }

  #setCorrect(response: string, given: XmlElement): void {
    const isList = given.name === 'multiple' || given.name === 'ordered'
    const values = isList ? elementsOf(given) : [given]
    if (values.every(({ name }) => name === 'baseValue'))
      this.#correct.set(response, { values: values.map(textOf) })
    else if (isList) throw new Skip('its right answer depends on its numbers')
    else {
      const variable = `correct ${response}`
      this.#definitions.set(variable, readExpression(given, this.#scope))
      this.#correct.set(response, { variable })
    }
  }

  readonly #scope: Scope = {
    read: (identifier) => {
      if (!this.#definitions.has(identifier))
        throw new Skip('a variable of it is used before it has a value, or is no number')
      // Set later, it would be another one here.
      this.#unset.delete(identifier)
      return { kind: 'name', name: identifier }
    },
    list: (identifier) => this.#lists.get(identifier) ?? [],
    draw: (source) => {
      const identifier = `drawn ${this.#definitions.size}`
      this.#definitions.set(identifier, source)
      return { kind: 'name', name: identifier }
    },
  }
}

function isSingle({ attributes }: XmlElement): boolean {
  return (attributes.cardinality ?? 'single') === 'single'
}
