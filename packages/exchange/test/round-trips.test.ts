import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Accepted,
  isGift,
  isMoodle,
  type QtiVersion,
  type Question,
  writeGift,
  writeMoodleXml,
  writeQti,
} from '../src/index.ts'
import { readDrawn } from './drawn.ts'
import { question, toItems } from './random-questions.ts'
import { makeZip, readAll } from './reading.ts'

async function toPackage(version: QtiVersion, questions: readonly Question[]): Promise<Buffer> {
  const files = await Array.fromAsync(writeQti(version, toItems(questions)))
  return await makeZip(Object.fromEntries(files.map(({ path, content }) => [path, content])))
}

const join = async (pieces: AsyncIterable<string>) => (await Array.fromAsync(pieces)).join('')

const FORMATS = {
  gift: (questions) => join(writeGift(toItems(questions))),
  'Moodle XML': (questions) => join(writeMoodleXml(toItems(questions))),
  'QTI 2.1': (questions) => toPackage('2.1', questions),
  'QTI 3.0': (questions) => toPackage('3.0', questions),
} satisfies Record<string, (questions: readonly Question[]) => Promise<string | Uint8Array>>

/** What its writer takes. */
const CARRIED: Record<keyof typeof FORMATS, (question: Question) => boolean> = {
  gift: isGift,
  'Moodle XML': isMoodle,
  'QTI 2.1': () => true,
  'QTI 3.0': () => true,
}

/** What every format holds: no control characters, and what is read of the drawn texts. */
function held<T>(value: T, name = ''): T {
  if (typeof value === 'string')
    return (
      name === 'text accepted'
        ? value
        : readDrawn(value, /^(text|explanation)$/.test(name) ? 'text' : 'option')
    ).replace(/(?![\t\n])\p{Cc}|[\ufffe\uffff]/gu, '\ufffd') as T
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (Array.isArray(value) && name === 'accepted') return bestOfEach(value) as T
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    key === 'percent' ? each : held(each, key),
  ])
  return (Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)) as T
}

/** Of accepted texts that are compared as equal the best one, in no order. */
function bestOfEach(accepted: readonly Accepted[]): [text: string, percent: string][] {
  const best = new Map<string, string>()
  for (const { text, percent } of accepted) {
    const same = held(text.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase(), 'text accepted')
    if (!(Number(best.get(same) ?? 0) >= Number(percent))) best.set(same, percent)
  }
  return [...best].map(([text, percent]): [string, string] => [text, Number(percent).toFixed(5)]).toSorted()
}

describe.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])('%s', (format) => {
  test('gives back the questions that were written', async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9)
    const questions = fc.sample(question, { numRuns: 200, seed }).filter(CARRIED[format])
    const items = await readAll(await FORMATS[format](questions))
    expect(items, `SEED=${seed}`).toHaveLength(questions.length)
    for (const [index, item] of items.entries()) {
      const { marks, ...expected } = questions[index] as Question
      expect(held(item), `SEED=${seed}`).toMatchObject({
        question: held(format === 'gift' ? expected : { ...expected, marks }),
        ...(format === 'gift' ? {} : { image: { name: expect.stringContaining('pen dulum.png') } }),
      })
    }
  })
})
