import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { DrawsError, drawOnce, type Random, readDraws, toText, type Variable, write } from '../src/index.ts'

function random(seed: number): Random {
  let bytes = createHash('sha256').update(String(seed)).digest()
  let at = 0
  return () => {
    if (at === bytes.length) [bytes, at] = [createHash('sha256').update(bytes).digest(), 0]
    at += 4
    return bytes.readUInt32LE(at - 4)
  }
}

test('all combinations that fulfil the conditions are equally likely, equal values count once', () => {
  const variables: Variable[] = [
    { name: 'a', from: '1', to: '3', step: '1' },
    { name: 'b', values: ['1', '2', '2.0', '4'] },
    { name: 'c', is: 'a * b' },
  ]
  const draws = readDraws(variables, ['a != b', 'c < 12 or not a == 3'])
  const counts = new Map<string, number>()
  const next = random(1)
  for (let tries = 0; tries < 9_000; tries++) {
    const values = drawOnce(draws, next)
    if (!values) continue
    const name = [...values.values()].map((value) => toText(write(value))).join(' ')
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  expect([...counts.keys()].toSorted()).toEqual(['1 2 2', '1 4 4', '2 1 2', '2 4 8', '3 1 3', '3 2 6'])
  // 1,000 of each are expected, give or take 30.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150)
})

test('the same seed draws the same', () => {
  const draws = readDraws([{ name: 'x', from: '-5', to: '5', step: '0.001' }], [])
  expect(drawOnce(draws, random(7))).toEqual(drawOnce(draws, random(7)))
  expect(drawOnce(draws, random(7))).not.toEqual(drawOnce(draws, random(8)))
})

test.each<[Variable[], string[], (string | number)[]]>([
  [[{ name: 'pi', is: '1' }], [], ['variables', 0, 'name']],
  [[{ name: 'not', is: '1' }], [], ['variables', 0, 'name']],
  [
    [
      { name: 'a', is: 'b' },
      { name: 'b', is: '1' },
    ],
    [],
    ['variables', 0, 'is'],
  ],
  [
    [
      { name: 'a', is: '1' },
      { name: 'a', is: '2' },
    ],
    [],
    ['variables', 1, 'name'],
  ],
  [[{ name: 'a', from: '1', to: '2', step: '0' }], [], ['variables', 0]],
  [[{ name: 'a', from: '2', to: '1', step: '1' }], [], ['variables', 0]],
  [[{ name: 'a', from: '0', to: '1', step: '0.0000001' }], [], ['variables', 0]],
  [[{ name: 'a', values: ['1', 'one'] }], [], ['variables', 0]],
  [[{ name: 'a', values: [] }], [], ['variables', 0]],
  [[{ name: 'a', is: '1' }], ['a + 1'], ['conditions', 0]],
  [[{ name: 'a', is: '1' }], ['a > 0', 'z > 1'], ['conditions', 1]],
])('%j with %j is refused at %j', (variables, conditions, path) => {
  const read = () => readDraws(variables, conditions)
  expect(read).toThrow(DrawsError)
  try {
    read()
  } catch (error) {
    expect((error as DrawsError).path).toEqual(path)
  }
})
