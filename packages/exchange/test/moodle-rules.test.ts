import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isGift, isMoodle, writeGift, writeMoodleXml } from '../src/index.ts'
import { childOf, childrenOf, readElements, textOf, type XmlElement } from '../src/xml.ts'
import { question, toItems } from './random-questions.ts'

// What the importer of Moodle 5.0 does with its form's defaults (docs/exchange.md has the rules as a table). Where a
// rule is broken, Moodle takes nothing of the file.

const SEED = Number(process.env.SEED ?? Date.now() % 1e9)
const questions = fc.sample(question, { numRuns: 300, seed: SEED })
const join = async (pieces: AsyncIterable<string>) => (await Array.fromAsync(pieces)).join('')

/** Its list of grades, with which it compares to five digits. */
const GRADES = [
  1, 0.9, 0.8333333, 0.8, 0.75, 0.7, 0.6666667, 0.6, 0.5, 0.4, 0.3333333, 0.3, 0.25, 0.2, 0.1666667,
  0.1428571, 0.125, 0.1111111, 0.1, 0.05, 0,
]
const isGrade = (fraction: number) => GRADES.some((grade) => Math.abs(grade - Math.abs(fraction)) < 0.00001)

describe('GIFT, read by Moodle’s rules', () => {
  /** Its marks are placeholders while a block is taken apart. */
  const hidden = (text: string) =>
    text
      .replaceAll('\\\\', '&&092;')
      .replace(/\\([:#={}~])/g, '&&;')
      .replaceAll('&&092;', '\\')

  test('each question is one block between empty lines, with one pair of braces', async () => {
    const taken = questions.filter(isGift)
    const blocks = (await join(writeGift(toItems(taken)))).trim().split(/\n\s*\n/)
    expect(blocks, `SEED=${SEED}`).toHaveLength(taken.length)
    for (const block of blocks) {
      const text = hidden(
        block
          .split('\n')
          .filter((line) => !line.startsWith('//'))
          .join('\n'),
      ).trim()
      expect(text).toMatch(/^::[^:]*::\[(plain|html)\][^{}]*\{[^{}]*\}$/s)
      const [answers = ''] = text.slice(text.indexOf('{') + 1, -1).split('####')
      const fractions = [...answers.matchAll(/[=~]%(-?[0-9]{1,2}\.?[0-9]*)%/g)].map(
        ([, percent]) => Number(percent) / 100,
      )
      expect(
        fractions.filter((fraction) => !isGrade(fraction)),
        block,
      ).toEqual([])
      if (answers.trim().startsWith('#')) expect(answers.trim()).toMatch(/^#\S+:\S+$/)
      // An arrow makes pairs of short answers.
      else if (!answers.includes('~') && answers.includes('->'))
        expect(
          answers.split('=').filter((each, index) => index > 0 && !each.includes('->')),
          block,
        ).toEqual([])
      else if (!answers.includes('~')) expect(Math.max(...fractions)).toBe(1)
    }
  })
})

describe('Moodle XML, read by Moodle’s rules', () => {
  test('every answer brings a part that its list has, and nothing is missing that it needs', async () => {
    const taken = questions.filter(isMoodle)
    const elements = [...readElements(await join(writeMoodleXml(toItems(taken))), new Set(['question']))]
    expect(elements, `SEED=${SEED}`).toHaveLength(taken.length)
    for (const element of elements) check(element)
  })

  function check(element: XmlElement): void {
    const { type } = element.attributes
    const answers = childrenOf(element, 'answer')
    const fractions = answers.map(({ attributes }) => Number(attributes.fraction) / 100)
    const value = (name: string) => textOf(childOf(element, name)).trim()
    switch (type) {
      case 'ordering':
        expect(childOf(element, 'shownumcorrect')).toBeDefined()
        expect([value('selecttype'), value('gradingtype')]).toEqual(['ALL', 'ABSOLUTE_POSITION'])
        return
      case 'cloze': {
        const text = textOf(childOf(element, 'questiontext', 'text'))
        const gaps = [...text.matchAll(/\{(\d+):(SHORTANSWER|NUMERICAL|MULTICHOICE):([^{}]+)\}/g)]
        expect(gaps.length).toBeGreaterThan(0)
        // One answer of each brings all.
        for (const [, , , inner = ''] of gaps) expect(inner).toMatch(/(^|~)=/)
        return
      }
      case 'matching':
        expect(childrenOf(element, 'subquestion').length).toBeGreaterThan(1)
        return
    }
    expect(fractions.filter((fraction) => !isGrade(fraction))).toEqual([])
    if (type !== 'multichoice') expect(Math.max(...fractions)).toBe(1)
    if (type === 'shortanswer') expect(fractions[0]).toBe(1)
  }
})

test('what Moodle would refuse the whole file for is left out', () => {
  const asked = { text: 'x', explanation: '', tags: [] }
  const options = (right: number) =>
    Array.from({ length: 14 }, (_, index) => ({ text: `${index}`, isRight: index < right }))
  const text = (...percents: string[]) => ({
    ...asked,
    kind: 'text' as const,
    accepted: percents.map((percent, index) => ({ text: `a${index}`, percent })),
  })
  expect(isMoodle({ ...asked, kind: 'choice', multiple: true, options: options(10) })).toBe(true)
  expect(isMoodle({ ...asked, kind: 'choice', multiple: true, options: options(11) })).toBe(false)
  expect(isMoodle(text('50', '100'))).toBe(true)
  expect(isMoodle(text('100', '45'))).toBe(false)
  expect(isMoodle(text('50'))).toBe(false)
  expect(isMoodle(text())).toBe(false)
  expect(isMoodle({ ...asked, kind: 'number', key: '', tolerance: '0' })).toBe(false)
  const gap = (percent: string) => ({ kind: 'text' as const, accepted: [{ text: 'a', percent }] })
  expect(isMoodle({ ...asked, text: '[[1]]', kind: 'gaps', gaps: [gap('100')] })).toBe(true)
  expect(isMoodle({ ...asked, text: '[[1]]', kind: 'gaps', gaps: [gap('50')] })).toBe(false)
})
