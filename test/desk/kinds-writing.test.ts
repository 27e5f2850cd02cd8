import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { createExamOfKinds } from '../support/content/kinds.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { viewport: { width: 390, height: 844 } }
const IS_TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

let service: TestService
let browser: Browser
let admin: Client
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  admin = await service.admin()
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

const listed = async (examId: number) =>
  (await admin.get(`/api/v01/admin/questions?exam_id=${examId}` as const, 200)).body.questions

/** Begins a new question of a type. */
async function begin(page: Page, examId: number, type: string, text: string) {
  await page.goto(`/desk/teach/questions/${examId}/new`)
  await page.getByLabel('Type').selectOption(type)
  await page.getByLabel('Question', { exact: true }).fill(text)
}

async function save(page: Page) {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Duplicate' }).waitFor()
}

test('each newer kind is written on a phone, with tags, an explanation and a preview that can be tried', async () => {
  const { examId } = await createExam(service.sql, { name: 'Written', questions: [] })
  const { page, context, problems } = await openFor(browser, admin, PHONE)
  const preview = page.getByRole('region', { name: 'As students see it' })
  const fits = async () => expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)

  await begin(page, examId, 'SHORT', 'What is green?')
  await page.getByLabel('Accepted text 1', { exact: true }).fill('grass')
  const focused = () => page.locator(':focus').getAttribute('aria-label')
  await page.getByRole('button', { name: 'Add another text' }).click()
  await expect.poll(focused).toBe('Accepted text 2')
  await page.getByLabel('Accepted text 2', { exact: true }).fill('a tree')
  await page.getByLabel('Percent of the marks for accepted text 2').fill('150')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The percentage of accepted text 2 must be above 0').waitFor()
  await page.getByLabel('Percent of the marks for accepted text 2').fill('50')
  await page.getByLabel('Explanation').fill('Look **outside**.')
  await page.getByLabel('Tags').fill('Nature')
  await page.getByLabel('Tags').press('Enter')
  await preview.getByLabel('Your answer').fill('moss')
  await preview.getByRole('button', { name: 'In the review' }).click()
  await preview.locator('strong', { hasText: 'outside' }).waitFor()
  await fits()
  await expectFlawless(page)
  await save(page)

  await begin(page, examId, 'MATCHING', 'Capitals')
  for (const [index, [prompt, match]] of [
    ['France', 'Paris'],
    ['Italy', 'Rome'],
  ].entries()) {
    await page.getByLabel(`Prompt ${index + 1}`).fill(prompt as string)
    await page.getByLabel(`Match ${index + 1}`).fill(match as string)
  }
  await page.getByRole('button', { name: 'Add a distractor' }).click()
  await page.getByLabel('Distractor 1', { exact: true }).fill('Oslo')
  await preview.getByLabel('France').selectOption({ label: '2. Paris' })
  await fits()
  await expectFlawless(page)
  // Away by the arrow keys and back: nothing is lost.
  await page.getByLabel('Type').selectOption('ORDERING')
  await page.getByLabel('Type').selectOption('MATCHING')
  expect(await page.getByLabel('Match 2').inputValue()).toBe('Rome')
  // The tag of before is offered, and a tag that is written otherwise is the same.
  await expect.poll(() => page.locator('datalist option[value="Nature"]').count()).toBe(1)
  await save(page)

  await begin(page, examId, 'ORDERING', 'By size')
  await page.getByRole('button', { name: 'Add an item' }).click()
  await expect.poll(focused).toBe('Item 3')
  for (const [index, item] of ['ant', 'cow', 'cat'].entries())
    await page.getByLabel(`Item ${index + 1}`, { exact: true }).fill(item)
  await page.getByRole('button', { name: 'Move item 3 up' }).click()
  await expect.poll(() => page.getByLabel('Item 2', { exact: true }).inputValue()).toBe('cat')
  await preview.getByLabel('Place of cow').waitFor()
  await fits()
  await expectFlawless(page)
  await save(page)

  await begin(page, examId, 'GAPS', 'Roses are ')
  await page.getByLabel('Question', { exact: true }).press('End')
  await page.getByRole('button', { name: 'Add a gap' }).click()
  expect(await page.getByLabel('Question', { exact: true }).inputValue()).toBe('Roses are [[1]]')
  await page.getByLabel('Accepted text 1', { exact: true }).fill('red')
  await page.getByRole('button', { name: 'Add a gap' }).click()
  await page.getByLabel('Gap 2 is').selectOption('choice')
  await page.getByLabel('Choice 1', { exact: true }).fill('blue')
  await page.getByLabel('Choice 2', { exact: true }).fill('green')
  await page.getByLabel('Choice 2 is correct').check()
  await page.getByRole('button', { name: 'Add a gap' }).click()
  await page.getByLabel('Gap 3 is').selectOption('number')
  await page.getByLabel('Correct answer', { exact: true }).fill('2.5')
  await page.getByRole('button', { name: 'Remove gap 1' }).click()
  expect(await page.getByLabel('Question', { exact: true }).inputValue()).toBe('Roses are [[1]][[2]]')
  await preview.getByRole('combobox', { name: 'Gap 1' }).selectOption('green')
  await fits()
  await expectFlawless(page)
  await page.reload()
  await expect.poll(() => page.getByLabel('Correct answer', { exact: true }).inputValue()).toBe('2.5')
  await save(page)

  await begin(page, examId, 'FORMULA', 'The area of a square of side $s$?')
  await page.getByLabel('Symbol 1', { exact: true }).fill('s')
  await page.getByLabel('From', { exact: true }).fill('1')
  await page.getByLabel('To', { exact: true }).fill('5')
  await page.getByLabel('Correct answer', { exact: true }).fill('s^2')
  await page.locator('.formula-read .katex').first().waitFor()
  await preview.getByLabel('Your answer').fill('s s')
  await preview.locator('.formula-read .katex').waitFor()
  await fits()
  await expectFlawless(page)
  await save(page)

  await begin(page, examId, 'MSQ', 'Which?')
  for (const letter of ['A', 'B']) await page.getByLabel(`Option ${letter}`, { exact: true }).fill(letter)
  for (const letter of ['E', 'F']) {
    await page.getByRole('button', { name: 'Add an option' }).click()
    await page.getByLabel(`Option ${letter}`, { exact: true }).fill(letter)
  }
  await page.getByLabel('Option F is correct').check()
  await page.getByLabel('Option A is correct').check()
  await page.getByRole('button', { name: 'Remove option E' }).click()
  await fits()
  await save(page)

  expect(await listed(examId)).toMatchObject([
    {
      question_type: 'SHORT',
      correct_answer: 'grass\n%50%a tree',
      explanation: 'Look **outside**.',
      tags: ['Nature'],
    },
    {
      question_type: 'MATCHING',
      correct_answer: '',
      parts: {
        pairs: [
          { prompt: 'France', match: 'Paris' },
          { prompt: 'Italy', match: 'Rome' },
        ],
        distractors: ['Oslo'],
      },
    },
    { question_type: 'ORDERING', parts: { items: ['ant', 'cat', 'cow'] } },
    {
      question_type: 'GAPS',
      question_text: 'Roses are [[1]][[2]]',
      parts: {
        gaps: [
          { kind: 'choice', choices: ['blue', 'green'], correct: 1 },
          { kind: 'number', key: '2.5', tolerance: 0 },
        ],
      },
    },
    {
      question_type: 'FORMULA',
      correct_answer: 's^2',
      parts: { symbols: [{ name: 's', from: '1', to: '5' }] },
    },
    { question_type: 'MSQ', correct_answer: 'A,E', more_options: ['F'] },
  ])
  expect(problems).toEqual([])
  await context.close()
}, 180_000)

test('another question begins in its text, with the type and the tags of the one before', async () => {
  const { examId } = await createExam(service.sql, { name: 'One by one', questions: [] })
  const { page, context, problems } = await openFor(browser, admin)
  await begin(page, examId, 'ORDERING', 'By size')
  for (const [index, item] of ['ant', 'cow'].entries())
    await page.getByLabel(`Item ${index + 1}`, { exact: true }).fill(item)
  await page.getByLabel('Tags').fill('Nature')
  await page.getByLabel('Tags').press('Enter')
  await page.getByRole('button', { name: 'Save and add another' }).click()
  await expect.poll(() => page.getByLabel('Question', { exact: true }).inputValue()).toBe('')
  await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('question_text')
  await page.keyboard.type('By age')
  for (const [index, item] of ['young', 'old'].entries())
    await page.getByLabel(`Item ${index + 1}`, { exact: true }).fill(item)
  await save(page)
  expect(await listed(examId)).toMatchObject([
    { question_type: 'ORDERING', tags: ['Nature'], parts: { items: ['ant', 'cow'] } },
    { question_type: 'ORDERING', tags: ['Nature'], parts: { items: ['young', 'old'] } },
  ])
  expect(problems).toEqual([])
  await context.close()
})

test('a matching is regraded by choosing other matches', async () => {
  const { examId, questionIds } = await createExamOfKinds(admin)
  const person = await service.person()
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  const { page, context, problems } = await openFor(browser, admin)
  await page.goto(`/desk/teach/exams/${examId}/corrections?question=${questionIds[4]}`)
  await page.getByLabel('Match 1').selectOption('Oslo')
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('Of 1 attempt 0 higher').waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect
    .poll(async () => (await listed(examId))[4]?.parts)
    .toMatchObject({ pairs: [{ match: 'Oslo' }, { match: 'Rome' }], distractors: ['Paris'] })
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('settings say what is drawn and shuffled for each attempt, and questions are copied and found by their tag', async () => {
  const { examId } = await createExam(service.sql, { name: 'Drawn', questions: [] })
  const question = (tags: string[], index: number) => ({
    question_text: `${tags.join()} ${index}`,
    option_a: 'this',
    option_b: 'that',
    correct_answer: 'A',
    tags,
  })
  const questions = [['easy'], ['easy'], ['easy', 'hard'], ['hard']].map(question)
  await admin.post('/api/v01/admin/questions/bulk-add', { exam_id: examId, questions }, 201)
  const { page, context, problems } = await openFor(browser, admin, PHONE)
  await page.goto(`/desk/teach/exams/${examId}/settings`)
  await page.getByText('Each attempt has all 4 questions.').waitFor()
  await page.getByLabel('Shuffle').selectOption('both')
  const more = page.getByRole('button', { name: 'Draw random questions of a tag' })
  await more.click()
  // A tag that isn't typed yet is no mistake.
  await page.getByText('Each attempt has 0 of 4 questions.').waitFor()
  expect(await page.getByText('Fewer than').count()).toBe(0)
  await page.getByLabel('Tag of draw 1').fill('EASY')
  await page.getByLabel('Number of questions of draw 1').fill('2')
  await more.click()
  await page.getByLabel('Tag of draw 2').fill('hard')
  await page.getByLabel('Number of questions of draw 2').fill('2')
  await page.getByText('Fewer than 2 questions are there to draw').waitFor()
  await page.getByLabel('Number of questions of draw 2').fill('1')
  await page.getByText('Each attempt has 3 of 4 questions.').waitFor()
  await page.getByRole('button', { name: 'Show an example' }).click()
  const example = page.getByRole('list', { name: 'The paper of one attempt' }).getByRole('listitem')
  await expect.poll(() => example.count()).toBe(3)
  expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const exam = async () => (await admin.get(`/api/v01/admin/exams/${examId}` as const, 200)).body.exam
  await expect.poll(exam).toMatchObject({
    shuffle: 'both',
    draw: [
      { tag: 'EASY', count: 2 },
      { tag: 'hard', count: 1 },
    ],
    question_count: 3,
    pool_count: 4,
  })

  const other = await createExam(service.sql, { name: 'Copied into', questions: [] })
  await page.goto(`/desk/teach/exams/${examId}/questions`)
  await page.getByLabel('Tag').selectOption({ label: 'hard (2)' })
  await expect.poll(() => page.getByRole('checkbox', { name: /Select question/ }).count()).toBe(2)
  for (const box of await page.getByRole('checkbox', { name: /Select question/ }).all()) await box.check()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByLabel('Into the exam').selectOption({ label: 'Copied into' })
  await expectFlawless(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByText('2 questions copied').waitFor()
  expect((await listed(other.examId)).map(({ tags }) => tags)).toEqual([['easy', 'hard'], ['hard']])
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('copies come in the order in which their questions were selected, or in that which the keyboard gives them', async () => {
  const { page, context, problems } = await openFor(browser, admin, PHONE)
  const texts = ['What is red?', 'What is green?', 'What is blue?']
  const question = { question_type: 'NUMERIC', correct_answer: '1' } as const
  const { examId } = await createExam(service.sql, {
    name: 'Copied from',
    questions: texts.map((question_text) => ({ ...question, question_text })),
  })
  const other = await createExam(service.sql, { name: 'Ordered', questions: [] })
  await page.goto(`/desk/teach/exams/${examId}/questions`)
  for (const number of [3, 1, 2])
    await page.getByRole('checkbox', { name: `Select question ${number}` }).press('Space')
  await page.getByRole('button', { name: 'Copy', exact: true }).press('Enter')
  await page.getByRole('option', { name: 'Ordered' }).waitFor({ state: 'attached' })
  await expect.poll(() => page.getByLabel('Into the exam').and(page.locator(':focus')).count()).toBe(1)
  const rows = page.getByRole('list', { name: 'Order of the copies' }).getByRole('listitem')
  const order = async () =>
    (await rows.allInnerTexts()).map((text) => texts.find((each) => text.includes(each)))
  await expect.poll(order).toEqual(['What is blue?', 'What is red?', 'What is green?'])
  await expectFlawless(page)
  expect(await page.evaluate(IS_TOO_WIDE)).toBe(false)
  // The focus goes along with the question, so the same key moves it on.
  await page.getByRole('button', { name: 'Move question 3 up' }).press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect.poll(order).toEqual(['What is green?', 'What is blue?', 'What is red?'])
  await page.getByRole('button', { name: 'Move question 2 down' }).press('Enter')
  await expect.poll(order).toEqual(['What is green?', 'What is red?', 'What is blue?'])
  await page.getByLabel('Into the exam').selectOption({ label: 'Ordered' })
  await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).press('Enter')
  await page.getByText('3 questions copied').waitFor()
  expect((await listed(other.examId)).map(({ question_text }) => question_text)).toEqual([
    'What is green?',
    'What is red?',
    'What is blue?',
  ])
  // The choice of an exam stays what the address says when the exams are there.
  await page.goto(`/desk/teach/questions?exam=${examId}`)
  await page.getByRole('option', { name: 'Ordered' }).waitFor({ state: 'attached' })
  expect(await page.getByLabel('Exam', { exact: true }).inputValue()).toBe(String(examId))
  expect(problems).toEqual([])
  await context.close()
}, 120_000)
