import { parseCondition, parseExpression, type Tree } from '@exam-practice/expressions'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { print } from '../src/variables/printing.ts'

const leaf: fc.Arbitrary<Tree> = fc.oneof(
  fc.constantFrom('0', '2.5', '1e3').map((text): Tree => ({ kind: 'number', text })),
  fc.constantFrom('a', 'b').map((name): Tree => ({ kind: 'name', name })),
  fc.constant<Tree>({ kind: 'constant', name: 'pi' }),
)
const { number, truth } = fc.letrec<{ number: Tree; truth: Tree }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 5 },
    leaf,
    tie('number').map((of): Tree => ({ kind: 'minus', of })),
    fc.tuple(tie('number'), tie('number')).map((of): Tree => ({ kind: 'call', name: 'max', of })),
    fc
      .record({
        operator: fc.constantFrom('+', '-', '*', '/', '^'),
        left: tie('number'),
        right: tie('number'),
      })
      .map((each): Tree => ({ kind: 'operator', ...each }) as Tree),
  ),
  truth: fc.oneof(
    { maxDepth: 4 },
    fc
      .record({ operator: fc.constantFrom('==', '!=', '<', '>='), left: leaf, right: tie('number') })
      .map((each): Tree => ({ kind: 'operator', ...each }) as Tree),
    tie('truth').map((of): Tree => ({ kind: 'not', of })),
    fc
      .record({ operator: fc.constantFrom('and', 'or'), left: tie('truth'), right: tie('truth') })
      .map((each): Tree => ({ kind: 'operator', ...each }) as Tree),
  ),
}))

test('a printed tree is read as it', () => {
  fc.assert(
    fc.property(number, (tree) => {
      fc.pre(JSON.stringify(tree).length < 5_000)
      const text = print(tree)
      if (text.length <= 500) expect(parseExpression(text), text).toEqual(tree)
    }),
    { numRuns: 1_000 },
  )
  fc.assert(
    fc.property(truth, (tree) => {
      const text = print(tree)
      if (text.length <= 500) expect(parseCondition(text), text).toEqual(tree)
    }),
    { numRuns: 1_000 },
  )
})
