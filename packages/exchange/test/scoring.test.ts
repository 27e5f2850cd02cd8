import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Item, Question } from '../src/index.ts'
import { readAll } from './reading.ts'

/**
 * Random rules of scoring, read from files (`CASES=100000` for more), beside an evaluator that knows nothing of the package: no question comes in
 * whose key gives another answer full marks than the rules do.
 */

const CASES = Number(process.env.CASES ?? 200)
const AT_ONCE = 250

type Answer = string | readonly string[] | number | undefined

/** `test` compares the response with `value`; the other tests have conditions in them. */
type Tree =
  | { test: 'and' | 'or'; of: Tree[] }
  | { test: 'not'; of: Tree }
  | { test: 'is' | 'has' | 'word' | 'exact word' | '=' | '<' | '<=' | '>' | '>='; value: string | string[] }
  | { test: 'near'; value: string; by: string }
  | { test: 'empty' }

/** The first of these that holds gives its points. */
interface Rules {
  trees: { tree: Tree; points: number }[]
}

// --- the evaluator: undefined is unknown

function holds(tree: Tree, answer: Answer, knowsNull: boolean): boolean | undefined {
  switch (tree.test) {
    case 'and': {
      const truths = tree.of.map((each) => holds(each, answer, knowsNull))
      return truths.includes(false) ? false : truths.includes(undefined) ? undefined : true
    }
    case 'or': {
      const truths = tree.of.map((each) => holds(each, answer, knowsNull))
      return truths.includes(true) ? true : truths.includes(undefined) ? undefined : false
    }
    case 'not': {
      const truth = holds(tree.of, answer, knowsNull)
      return truth === undefined ? undefined : !truth
    }
    case 'empty':
      return answer === undefined
  }
  if (answer === undefined) return knowsNull ? undefined : false
  switch (tree.test) {
    case 'is':
      return Array.isArray(answer) && Array.isArray(tree.value)
        ? answer.join() === tree.value.join()
        : answer === tree.value
    case 'has':
      return Array.isArray(answer) ? answer.includes(tree.value as string) : answer === tree.value
    case 'word':
      return String(answer).toLowerCase() === String(tree.value).toLowerCase()
    case 'exact word':
      return answer === tree.value
    case 'near':
      return Math.abs(Number(answer) - Number(tree.value)) <= Number(tree.by)
  }
  const [one, other] = [Number(answer), Number(tree.value)]
  return { '=': one === other, '<': one < other, '<=': one <= other, '>': one > other, '>=': one >= other }[
    tree.test
  ]
}

function pointsOf({ trees }: Rules, answer: Answer, knowsNull: boolean): number {
  return trees.find(({ tree }) => holds(tree, answer, knowsNull))?.points ?? 0
}

/** What a question gives an answer; 1 is everything. */
function grade(question: Question, answer: Answer): number {
  switch (question.kind) {
    case 'choice': {
      const right = question.options.flatMap(({ text, isRight }) => (isRight ? [text] : []))
      return Number((Array.isArray(answer) ? answer : [answer]).join() === right.join())
    }
    case 'number':
      return Number(Math.abs(Number(answer) - Number(question.key)) <= Number(question.tolerance))
    case 'text': {
      const fold = (text: string) => (question.exactCase ? text : text.toLowerCase())
      const found = question.accepted.find(({ text }) => fold(text) === fold(String(answer)))
      return Number(found?.percent ?? 0) / 100
    }
    case 'ordering':
      return Number((answer as string[]).join() === question.items.join())
    default:
      throw new Error(`${question.kind} isn't asked here`)
  }
}

// --- what is asked

const IDS = ['A', 'B', 'C', 'D']
const WORDS = ['Paris', 'paris', 'London', '42']
const subsets = Array.from({ length: 15 }, (_, index) =>
  IDS.filter((_id, place) => (index + 1) & (1 << place)),
)
const orders = IDS.slice(0, 3).flatMap((first) =>
  IDS.slice(0, 3)
    .filter((second) => second !== first)
    .map((second) => [first, second, ...IDS.slice(0, 3).filter((each) => each !== first && each !== second)]),
)
const number = fc.constantFrom('1', '2', '2.5', '3')

interface Kind {
  leaf: fc.Arbitrary<Tree>
  answers: Answer[]
  cardinality: 'single' | 'multiple' | 'ordered'
  baseType: 'identifier' | 'string' | 'float'
  body: string
}

const choices = IDS.map((id) => `<simpleChoice identifier="${id}">${id}</simpleChoice>`).join('')
const KINDS: Record<string, Kind> = {
  'one choice': {
    leaf: fc.record({ test: fc.constant('is' as const), value: fc.constantFrom(...IDS) }),
    answers: IDS,
    cardinality: 'single',
    baseType: 'identifier',
    body: `<choiceInteraction responseIdentifier="R" maxChoices="1">${choices}</choiceInteraction>`,
  },
  'several choices': {
    leaf: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ test: fc.constant('has' as const), value: fc.constantFrom(...IDS) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ test: fc.constant('is' as const), value: fc.constantFrom(...subsets) }),
      },
    ),
    answers: subsets,
    cardinality: 'multiple',
    baseType: 'identifier',
    body: `<choiceInteraction responseIdentifier="R" maxChoices="0">${choices}</choiceInteraction>`,
  },
  'an order': {
    leaf: fc.record({ test: fc.constant('is' as const), value: fc.constantFrom(...orders) }),
    answers: orders,
    cardinality: 'ordered',
    baseType: 'identifier',
    body: `<orderInteraction responseIdentifier="R">${choices.split('<simpleChoice identifier="D"')[0]}</orderInteraction>`,
  },
  'a number': {
    leaf: fc.oneof(
      fc.record({
        test: fc.constantFrom('=' as const, '<' as const, '<=' as const, '>' as const, '>=' as const),
        value: number,
      }),
      fc.record({ test: fc.constant('near' as const), value: number, by: fc.constantFrom('0.5', '1') }),
    ),
    answers: Array.from({ length: 49 }, (_, index) => index / 8 - 1),
    cardinality: 'single',
    baseType: 'float',
    body: '<p><textEntryInteraction responseIdentifier="R"/></p>',
  },
  'a text': {
    leaf: fc.record({
      test: fc.constantFrom('word' as const, 'exact word' as const),
      value: fc.constantFrom(...WORDS),
    }),
    answers: [...WORDS, 'PARIS', 'pARIS', 'london', 'LONDON', 'other'],
    cardinality: 'single',
    baseType: 'string',
    body: '<p><textEntryInteraction responseIdentifier="R"/></p>',
  },
}

function treesOf({ leaf }: Kind, depth: number): fc.Arbitrary<Tree> {
  if (depth === 0)
    return fc.oneof(
      { weight: 12, arbitrary: leaf },
      { weight: 1, arbitrary: fc.constant<Tree>({ test: 'empty' }) },
    )
  const inner = treesOf({ leaf } as Kind, depth - 1)
  return fc.oneof(
    leaf,
    fc.record({
      test: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(inner, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ test: fc.constant('not' as const), of: inner }),
  )
}

const rulesOf = (kind: Kind): fc.Arbitrary<Rules> =>
  fc.record({
    trees: fc.array(fc.record({ tree: treesOf(kind, 3), points: fc.constantFrom(1, 1, 1, 2, 0.5, 0, -1) }), {
      minLength: 1,
      maxLength: 3,
    }),
  })

// --- QTI 2

const VARIABLE = '<variable identifier="R"/>'
const NAMES = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' }

function writeTree(tree: Tree, kind: Kind): string {
  const base = (value: string) => `<baseValue baseType="${kind.baseType}">${value}</baseValue>`
  switch (tree.test) {
    case 'and':
    case 'or':
      return `<${tree.test}>${tree.of.map((each) => writeTree(each, kind)).join('')}</${tree.test}>`
    case 'not':
      return `<not>${writeTree(tree.of, kind)}</not>`
    case 'empty':
      return `<isNull>${VARIABLE}</isNull>`
    case 'has':
      return `<member>${base(String(tree.value))}${VARIABLE}</member>`
    case 'is': {
      const list = [tree.value].flat().map(base).join('')
      const container =
        kind.cardinality === 'single' ? list : `<${kind.cardinality}>${list}</${kind.cardinality}>`
      return `<match>${VARIABLE}${container}</match>`
    }
    case 'word':
    case 'exact word':
      return `<stringMatch caseSensitive="${tree.test !== 'word'}">${VARIABLE}${base(String(tree.value))}</stringMatch>`
    case '=':
      return `<equal toleranceMode="exact">${VARIABLE}${base(String(tree.value))}</equal>`
    case 'near':
      return `<equal toleranceMode="absolute" tolerance="${tree.by} ${tree.by}">${base(tree.value)}${VARIABLE}</equal>`
    default:
      return `<${NAMES[tree.test]}>${VARIABLE}${base(String(tree.value))}</${NAMES[tree.test]}>`
  }
}

function writeQti2({ trees }: Rules, kind: Kind): string {
  const branches = trees.map(({ tree, points }, index) => {
    const name = index === 0 ? 'responseIf' : 'responseElseIf'
    return `<${name}>${writeTree(tree, kind)}<setOutcomeValue identifier="SCORE"><baseValue baseType="float">${points}</baseValue></setOutcomeValue></${name}>`
  })
  return `<assessmentItem identifier="i" title="i"><responseDeclaration identifier="R" cardinality="${kind.cardinality}" baseType="${kind.baseType}"/>
    <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/><itemBody>${kind.body}</itemBody>
    <responseProcessing><responseCondition>${branches.join('')}</responseCondition></responseProcessing></assessmentItem>`
}

// --- QTI 1.2

const OLD_NAMES = { '=': 'varequal', '<': 'varlt', '<=': 'varlte', '>': 'vargt', '>=': 'vargte' }

function writeOldTree(tree: Tree): string {
  const compare = (name: string, value: string, more = '') =>
    `<${name} respident="R"${more}>${value}</${name}>`
  switch (tree.test) {
    case 'and':
    case 'or':
      return `<${tree.test}>${tree.of.map(writeOldTree).join('')}</${tree.test}>`
    case 'not':
      return `<not>${writeOldTree(tree.of)}</not>`
    case 'empty':
      return '<unanswered respident="R"/>'
    case 'is':
    case 'has': {
      if (typeof tree.value === 'string') return compare('varequal', tree.value)
      const { value } = tree
      const parts = IDS.map((id) =>
        value.includes(id) ? compare('varequal', id) : `<not>${compare('varequal', id)}</not>`,
      )
      return `<and>${parts.join('')}</and>`
    }
    case 'word':
      return compare('varequal', String(tree.value), ' case="No"')
    case 'exact word':
      return compare('varequal', String(tree.value), ' case="Yes"')
    case 'near':
      return `<and>${compare('vargte', String(Number(tree.value) - Number(tree.by)))}${compare('varlte', String(Number(tree.value) + Number(tree.by)))}</and>`
    default:
      return compare(OLD_NAMES[tree.test], String(tree.value))
  }
}

function writeQti1({ trees }: Rules, kind: Kind): string {
  const labels = IDS.map(
    (id) => `<response_label ident="${id}"><material><mattext>${id}</mattext></material></response_label>`,
  )
  const response = {
    identifier: `<response_lid ident="R" rcardinality="${kind.cardinality}"><render_choice>${labels.join('')}</render_choice></response_lid>`,
    string: '<response_str ident="R"><render_fib/></response_str>',
    float: '<response_num ident="R"><render_fib/></response_num>',
  }[kind.baseType]
  const rules = trees.map(
    ({ tree, points }) =>
      `<respcondition continue="No"><conditionvar>${writeOldTree(tree)}</conditionvar><setvar action="Set">${points}</setvar></respcondition>`,
  )
  return `<item title="i"><presentation><flow><material><mattext>Which?</mattext></material>${response}</flow></presentation><resprocessing>${rules.join('')}</resprocessing></item>`
}

// --- the comparison

function check(rules: Rules, kind: Kind, item: Item, knowsNull: boolean): boolean {
  const points = kind.answers.map((answer) => pointsOf(rules, answer, knowsNull))
  const best = Math.max(...points)
  if (!('question' in item)) {
    // One choice that alone brings marks is the simplest key there is.
    const isPlain = kind.cardinality === 'single' && kind.baseType === 'identifier'
    const right = points.filter((each) => each > 0)
    if (isPlain && right.length === 1) expect(pointsOf(rules, undefined, knowsNull)).toBeGreaterThan(0)
    return false
  }
  const { question, lost = [] } = item
  if (lost.includes('the file has no key for it')) {
    expect(best, JSON.stringify(rules)).toBeLessThanOrEqual(0)
    return false
  }
  for (const [index, answer] of kind.answers.entries()) {
    const share = (points[index] ?? 0) / best
    const own = grade(question, answer)
    // Of several choices and of orders, parts of the marks are the exam's rule.
    const isWhole = kind.cardinality === 'single'
    expect(
      isWhole ? Math.max(0, share) : Number(share === 1),
      `${JSON.stringify(rules)} ${answer}`,
    ).toBeCloseTo(own, 6)
  }
  return true
}

const FORMATS = {
  'QTI 2': { write: writeQti2, knowsNull: true },
  'QTI 1.2': { write: writeQti1, knowsNull: false },
}

describe.each(Object.entries(FORMATS))('%s', (format, { write, knowsNull }) => {
  const kinds = Object.entries(KINDS).filter(([name]) => format !== 'QTI 1.2' || name !== 'an order')
  const meta = CASES > 200 ? { costly: 'more cases were asked for' } : {}
  test.each(kinds)(
    `${CASES} random rules over %s mean the same as a question, or are skipped`,
    { meta, timeout: 80_000 + 50 * CASES },
    async (_name, kind) => {
      const seed = Number(process.env.SEED ?? Date.now() % 1e9)
      let asQuestions = 0
      for (let start = 0; start < CASES; start += AT_ONCE) {
        const all = fc.sample(rulesOf(kind), {
          numRuns: Math.min(AT_ONCE, CASES - start),
          seed: seed + start,
        })
        const documents = all.map((rules) => write(rules, kind))
        const items = await readAll(
          `<questestinterop>${documents.join('\n')}</questestinterop>`,
          'qti',
        ).catch(() => [])
        const read =
          format === 'QTI 1.2'
            ? items
            : (await Promise.all(documents.map((each) => readAll(each, 'qti')))).flat()
        expect(read).toHaveLength(all.length)
        for (const [index, rules] of all.entries())
          asQuestions += Number(check(rules, kind, read[index] as Item, knowsNull))
      }
      expect(asQuestions, `SEED=${seed}`).toBeGreaterThan(CASES / 200)
    },
  )
})
