import {
  areFulfilled,
  drawOnce,
  drawValues,
  evaluate,
  fill,
  onlyPlace,
  parseTemplate,
  readDecimal,
  readDraws,
  type Tree,
  type Values,
  type Variable,
  writeRatio,
} from '@exam-practice/expressions'
import fc from 'fast-check'
import type { ExportedItem, Question } from '../src/index.ts'
import { mapTexts } from '../src/variables/marks.ts'
import { print } from '../src/variables/printing.ts'
import { IMAGE } from './random-questions.ts'

/** Questions with variables, and all that can be drawn of them. */

const SOURCES: Variable[] = [
  { name: 'a', from: '1', to: '4', step: '1' },
  { name: 'a', from: '-2.5', to: '2.4', step: '1.5' },
  { name: 'a', from: '10', to: '20', step: '5' },
  { name: 'a', values: ['7'] },
  { name: 'a', values: ['0.25', '-3', '3e2', '12'] },
  { name: 'a', values: ['1', '1.0', '2', '3'] },
]
const whole = (name: string, index: number): Variable => ({ ...(SOURCES[index] as Variable), name })

const leaf = (names: readonly string[]): fc.Arbitrary<Tree> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...names).map((name): Tree => ({ kind: 'name', name })) },
    fc.constantFrom('0', '2', '2.5', '10', '1e-3').map((text): Tree => ({ kind: 'number', text })),
    fc.constantFrom<Tree>({ kind: 'constant', name: 'pi' }, { kind: 'constant', name: 'e' }),
  )
const FUNCTIONS =
  'sqrt abs sin cos tan asin acos atan sinh cosh tanh sind cosd tand asind acosd atand exp ln log10 floor ceil round'.split(
    ' ',
  )
const expression = (names: readonly string[]): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf(names),
      fc
        .record({ operator: fc.constantFrom('+', '-', '*', '/'), left: tie('tree'), right: tie('tree') })
        .map((each) => ({ kind: 'operator', ...each }) as Tree),
      fc.tuple(tie('tree'), fc.constantFrom('0', '2', '3')).map(
        ([left, text]): Tree => ({
          kind: 'operator',
          operator: '^',
          left,
          right: { kind: 'number', text },
        }),
      ),
      fc
        .tuple(fc.constantFrom(...FUNCTIONS), tie('tree'))
        .map(([name, of]) => ({ kind: 'call', name, of: [of] }) as Tree),
      fc
        .tuple(fc.constantFrom('min', 'max', 'atan2'), tie('tree'), tie('tree'))
        .map(([name, ...of]) => ({ kind: 'call', name, of }) as Tree),
      tie('tree').map((of): Tree => ({ kind: 'minus', of })),
    ),
  })).tree
/** Of whole numbers, which QTI has operators for. */
const integers = fc
  .tuple(fc.constantFrom('mod', 'gcd', 'lcm'), fc.constantFrom('n', '6', '4'), fc.constantFrom('n', '9'))
  .map(([name, one, other]) => `${name}(${one}, ${other})`)

const NAMES = ['n', 'SCORE', 'x']
const text = fc.oneof(expression(NAMES).map(print), integers).filter((each) => each.length < 300)
const format = fc.constantFrom('', '', '; 0', '; 2', '; 3s', '; 1s')
const place = fc.tuple(text, format).map(([each, shown]) => `{@${each}${shown}@}`)
const sentence = fc
  .tuple(place, place)
  .map(([one, other]) => `Of ${one} m, \\(x^${other} + ${one}\\) and 5 are?`)
const condition = fc
  .tuple(text, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), fc.constantFrom('0', 'n', '2.5'))
  .map((each) => each.join(' '))
const conditions = fc.array(
  fc.oneof(
    condition,
    fc.tuple(condition, fc.constantFrom('and', 'or'), condition).map((each) => each.join(' ')),
    condition.map((each) => `not (${each})`),
  ),
  { maxLength: 2 },
)
const variables = fc
  .tuple(fc.constantFrom(0, 2, 5), fc.nat(SOURCES.length - 1), expression(['n', 'SCORE']).map(print))
  .map(([n, other, is]): Variable[] => [whole('n', n), whole('SCORE', other), { name: 'x', is }])

const numberEntry = fc
  .tuple(fc.oneof(place, fc.constant('12')), fc.oneof(place, fc.constantFrom('0.5', '0')))
  .map(([key, tolerance]) => ({ kind: 'number' as const, key, tolerance: tolerance.replace(/;[^@]*@/, '@') }))
  .map(({ kind, key, tolerance }) => ({ kind, key: key.replace(/;[^@]*@/, '@'), tolerance }))
const task = fc.oneof(
  numberEntry,
  fc.tuple(fc.boolean(), place, place, place).map(([multiple, ...texts]) => ({
    kind: 'choice' as const,
    multiple,
    options: texts.map((each, index) => ({ text: `${index}: ${each}`, isRight: index === 1 })),
  })),
  place.map((each) => ({
    kind: 'matching' as const,
    pairs: [
      { prompt: `p ${each}`, match: 'one' },
      { prompt: 'q', match: `two ${each}` },
    ],
    distractors: [`three ${each}`],
  })),
  place.map((each) => ({ kind: 'ordering' as const, items: ['first', `second ${each}`] })),
  fc.tuple(numberEntry, place).map(([number, each]) => ({
    kind: 'gaps' as const,
    text: `A [[1]], a [[2]], a [[3]] of ${each}`,
    gaps: [
      number,
      { kind: 'choice' as const, choices: ['c', `d ${each}`], correct: 1 },
      { kind: 'text' as const, accepted: [{ text: 'e', percent: '100' }] },
    ],
  })),
)

/** One that could be saved. */
export const drawnQuestion: fc.Arbitrary<Question> = fc
  .record({
    text: sentence,
    explanation: sentence,
    tags: fc.constant<string[]>(['t']),
    marks: fc.constant('2'),
    variables,
    conditions,
  })
  .chain((asked) => task.map((each): Question => ({ ...asked, ...each })))
  .filter((each) => Object.keys(drawAll(each) ?? {}).length > 0)

/** Indices for what is drawn: a count of 1, 2, 3 or 4 divides them all. */
const INDICES = 12

const NO_VALUE = 'no value'

/** How often each question can be drawn, with its values in it; undefined where one isn't finite, which none is that is saved. */
export function drawAll(question: Question): Record<string, number> | undefined {
  const draws = readDraws(question.variables ?? [], question.conditions ?? [])
  const sources = question.variables?.filter((each) => !('is' in each)).length ?? 0
  const found: Record<string, number> = {}
  let total = 0
  for (let index = 0; index < INDICES ** sources; index++) {
    let rest = index
    const random = () => {
      const next = rest % INDICES
      rest = Math.floor(rest / INDICES)
      return next
    }
    const { values, endless } = drawValues(draws, random)
    if (endless !== undefined) return undefined
    if (!areFulfilled(draws, values)) continue
    const shown = JSON.stringify(Object.entries(concrete(question, values)).toSorted())
    if (shown.includes(NO_VALUE)) return undefined
    found[shown] = (found[shown] ?? 0) + 1
    total += 1
  }
  return Object.fromEntries(
    Object.entries(found)
      .map(([shown, count]): [string, number] => [shown, count / total])
      .toSorted(),
  )
}

function concrete({ variables: _, conditions: _conditions, ...question }: Question, values: Values) {
  return mapTexts(question, (each) => {
    // What nothing drawn is in comes back as a number.
    const number = readDecimal(each)
    if (number) return writeRatio(number)
    const template = parseTemplate(each)
    const only = onlyPlace(template)
    const value = only && !only.format && evaluate(only.tree, values)
    return value ? writeRatio(value) : (fill(template, values) ?? NO_VALUE)
  })
}

/** Some draws, always the same. */
export function drawsOf({ variables = [], conditions = [] }: Question): Values[] {
  const draws = readDraws(variables, conditions)
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state
  }
  const found: Values[] = []
  for (let tries = 0; tries < 5_000 && found.length < 50; tries++) {
    const values = drawOnce(draws, random)
    if (values) found.push(values)
  }
  return found
}

export async function* toDrawnItems(questions: readonly Question[]): AsyncGenerator<ExportedItem> {
  for (const [index, question] of questions.entries())
    yield {
      id: String(index),
      name: `No. ${index}`,
      question,
      readImage: async () => ({ ...IMAGE, alt: 'a pendulum' }),
      draws: () => drawsOf(question),
    }
}
