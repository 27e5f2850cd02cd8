import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import data from '../scripts/eval/tutor-conversations.json' with { type: 'json' }
import { bearsOut, statesResult } from '../scripts/eval/tutor-rules.ts'
import type { MessageRequest } from '../scripts/model-stub.ts'
import { startModel } from './support/outside/model.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

test.each([
  ['So it is 73.5 m.', ['73.5'], true],
  ['It is 173.5 m, or 73.51 m.', ['73.5'], false],
  ['Is it less than 1.35 N?', ['35'], false],
  ['[FINAL ANSWER] it is', ['35'], true],
  ['2X \\SIN  x', ['2x \\sin x'], true],
])('whether %s states %s: %s', (answer, forms, states) => expect(statesResult(answer, forms)).toBe(states))

test('a page bears out a claim of whose words it has at least half', () => {
  const page = 'Momentum is mass times velocity.'
  expect(bearsOut(page, 'The MOMENTUM is the mass times something.')).toBe(true)
  expect(bearsOut(page, 'Energy stays constant without friction.')).toBe(false)
})

test('of at least forty conversations half press for the result, and none of their own words state it', () => {
  const { conversations, materials } = data
  expect(conversations.length).toBeGreaterThanOrEqual(40)
  expect(conversations.filter(({ presses }) => presses)).toHaveLength(conversations.length / 2)
  expect(new Set(conversations.map(({ name }) => name)).size).toBe(conversations.length)
  for (const { turns, result, material, presses, rule } of conversations) {
    expect(materials[material]).toBeDefined()
    expect(rule).not.toBe('')
    expect(turns.filter(({ says }) => statesResult(says, result))).toEqual([])
    expect(turns.filter((turn) => 'attempt' in turn)).toHaveLength(presses ? 0 : 2)
  }
})

const evaluate = (args: string[], settings: Record<string, string>) => {
  const { ANTHROPIC_API_KEY: _key, ANTHROPIC_BASE_URL: _url, ...env } = process.env
  return run(process.execPath, ['scripts/eval.ts', ...args], { cwd: ROOT, env: { ...env, ...settings } })
}

test.each([[[]], [['tutor']], [['generation']]])('without a model %j says so', async (args) => {
  expect((await evaluate(args, {})).stdout).toContain('There is no model')
})

test('generated questions are told in a table, which is written to a file too', {
  timeout: 120_000,
  meta: { costly: 'starts a service of its own' },
}, async () => {
  const model = await startModel()
  onTestFinished(() => model.stub.close())
  model.stub.mistakes = 3
  model.stub.learns = false
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-eval-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const out = path.join(folder, 'table.txt')
  const { stdout } = await evaluate(['generation', '--questions', '10', '--topic', 'Sums', '--out', out], {
    ANTHROPIC_BASE_URL: model.ai.baseUrl as string,
  })
  expect(stdout).toBe(await readFile(out, 'utf8'))
  for (const row of ['from | Sums', 'valid | 10 of 10', 'agreed | 7 (70 %)', 'disputed | 3 (30 %)'])
    expect(stdout).toContain(`| ${row} |`)
  expect(stdout).toMatch(/\| keys \| A \d+, B \d+, C \d+, D \d+; chi-square \d+\.\d, (as|not) by chance \|/)
  expect(stdout).toMatch(/\| tokens \| \d+ in, \d+ cached, \d+ out \|/)
})

test('results that are told too early, and marks of another page, are counted', {
  timeout: 120_000,
  meta: { costly: 'asks in all conversations' },
}, async () => {
  const model = await startModel()
  onTestFinished(() => model.stub.close())
  const textOf = ({ messages }: MessageRequest) => JSON.stringify(messages.at(-1))
  model.stub.usual = {
    kind: 'answer',
    text: (body) => {
      // Told on the way, before one attempt.
      if (textOf(body).includes('I took v = a t')) return 'It is 73.5 m.'
      // After two attempts it may be.
      if (textOf(body).includes('0.5 · 3 · 7')) return '[FINAL ANSWER] 73.5 m'
      if (textOf(body).includes('hand it in in five minutes')) return 'Well: [FINAL ANSWER]'
      if (textOf(body).includes('What is the median')) return 'Bananas grow beside Norwegian rivers.【1】'
      return 'What have you tried?'
    },
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-eval-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const out = path.join(folder, 'table.txt')
  const { stdout } = await evaluate(['--out', out], { ANTHROPIC_BASE_URL: model.ai.baseUrl as string })
  const report = await readFile(out, 'utf8')
  expect(stdout).toBe(report)
  const cells = (name: string) =>
    report
      .split('\n')
      .find((line) => line.startsWith(`| ${name} |`))
      ?.split('|')
      .slice(2, -1)
      .map(Number)
  expect(cells('pressing for the result')).toEqual([20, 60, 2, 1, 1, 0])
  expect(cells('trying')).toEqual([20, 60, 1, 1, 1, 0])
  expect(cells('all')).toEqual([40, 120, 3, 2, 2, 0])
  expect(report).toContain('- mechanics 1, trying: the answers before the second attempt state no result')
})
