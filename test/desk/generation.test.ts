import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MessageRequest, readAsked, type Turn } from '../../scripts/model-stub.ts'
import { openBrowser, openPage, signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

const BUDGET = 10_000_000

let model: TestModel
let service: TestService
let browser: Browser
beforeAll(async () => {
  model = await startModel({ dailyTokens: BUDGET })
  ;[service, browser] = await Promise.all([startService({ config: { ai: model.ai } }), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
  await model.stub.close()
})

async function teacher() {
  const admin = await service.admin()
  const opened = await openPage(browser, service.urls[0] as string)
  await signIn(opened.page, admin.username, PASSWORD)
  return opened
}

function question(question_text: string, more: object = {}) {
  const options = { option_a: 'this', option_b: 'that', option_c: '', option_d: '' }
  return { question_type: 'MCQ', question_text, correct_answer: 'A', ...options, ...more }
}

const ask = (...questions: object[]) => JSON.stringify({ questions })

/** Takes another option than the key for right where the question is odd. */
function judge(body: MessageRequest): string {
  return JSON.stringify({
    answers: (readAsked(body) ?? []).map(({ number, text, options = {} }) => {
      const taken = text.includes('odd') ? 'that' : 'this'
      const letters = Object.keys(options).filter((letter) => options[letter] === taken)
      return { number, verdict: 'answered', letters, texts: [taken], value: null, reason: 'So.' }
    }),
  })
}

async function start(page: Page, examId: number, count: number) {
  await page.goto(`/desk/teach/generate?exam=${examId}`)
  await page.getByLabel('Topic').fill('Anything')
  await page.getByLabel('One correct option', { exact: true }).fill(String(count))
  await page.getByRole('button', { name: 'Start' }).click()
}

test('what a teacher edits and ticks while a job runs stays with its question when the next batch comes before it', async () => {
  const { examId } = await createExam(service.sql, { name: 'In two batches', questions: [] })
  const first = [...Array.from({ length: 9 }, (_, at) => question(`Which is ${at}?`)), question('Is 77 odd?')]
  const second = [question('Which is 20?'), question('Which is 21?')]
  const written = (questions: object[]): Turn => ({
    kind: 'answer',
    // Nothing is written anew.
    text: (body) => (JSON.stringify(body.messages.at(-1)).includes('<disputed>') ? ask() : ask(...questions)),
  })
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
  model.stub.script.push(written(first), written(second), written(second))
  model.stub.checkScript.push(
    { kind: 'answer', text: judge },
    { kind: 'answer', text: judge, hold: 0, until },
  )
  const { page, context, problems } = await teacher()
  await start(page, examId, 12)

  const disputed = page.getByRole('region', { name: 'Disputed' })
  await disputed.getByRole('button', { name: 'Left out' }).click()
  await disputed.getByText('Edit before keeping').click()
  await disputed.getByLabel('Question', { exact: true }).fill('Is 77 prime?')
  await disputed.getByRole('button', { name: 'Use this version' }).click()
  await disputed.getByText('Is 77 prime?').first().waitFor()
  await disputed.getByRole('heading', { name: '10. ' }).waitFor()
  goOn()
  // It comes last, and is the same.
  await disputed.getByRole('heading', { name: '12. ' }).waitFor()
  await page.getByRole('button', { name: 'Keep 12 questions' }).click()
  await page.getByText('12 questions kept').first().waitFor()
  const stored = await service.sql`select question_text from questions where exam_id = ${examId}`
  const wanted = [...first.slice(0, 9), ...second].map(({ question_text }) => question_text)
  expect(stored.map(({ question_text }) => question_text).toSorted()).toEqual(
    [...wanted, 'Is 77 prime?'].toSorted(),
  )
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('page and quotation end the explanation of those questions for which that is ticked', async () => {
  const { examId } = await createExam(service.sql, { name: 'Quoted', questions: [] })
  const source = { page: 2, quote: 'One and one are two' }
  const texts = ['One and one?', 'How many are one and one?', 'What is the sum?']
  model.stub.script.push({
    kind: 'answer',
    text: ask(
      question(texts[0] as string, { explanation: 'By counting.', ...source }),
      question(texts[1] as string, { explanation: 'By adding.', ...source }),
      question(texts[2] as string, source),
    ),
  })
  model.stub.checkScript.push({ kind: 'answer', text: judge })
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/generate?exam=${examId}`)
  await page.getByLabel('From', { exact: true }).selectOption('mine')
  const buffer = textPdf(['Preface', 'One and one are two.'])
  await page
    .getByLabel('Document (PDF)')
    .setInputFiles({ name: 'script.pdf', mimeType: 'application/pdf', buffer })
  await page.getByLabel('One correct option', { exact: true }).fill('3')
  await page.getByRole('button', { name: 'Start' }).click()
  const wishes = page.getByLabel('Add it to the explanation')
  await wishes.nth(2).waitFor()
  await wishes.nth(0).check()
  await wishes.nth(1).check()
  await wishes.nth(1).uncheck()
  await wishes.nth(2).check()
  await page.getByRole('button', { name: 'Keep 3 questions' }).click()
  await page.getByText('3 questions kept').first().waitFor()
  expect(
    await service.sql`select question_text, explanation from questions where exam_id = ${examId} order by id`,
  ).toEqual([
    { question_text: texts[0], explanation: 'By counting.\n\nPage 2: “One and one are two”' },
    { question_text: texts[1], explanation: 'By adding.' },
    { question_text: texts[2], explanation: 'Page 2: “One and one are two”' },
  ])
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('the use of the model is drawn by day, beside what is left of today', async () => {
  // Whatever the other tests took.
  await service.sql`delete from ai_days`
  // The last one is longer ago than is asked for at first.
  await service.sql`
    insert into ai_days (day, spent_by_tutor, spent_by_jobs, tutor_questions, tutor_input, checks_output)
    select (now() at time zone 'UTC')::date - ago, 1000000, 500000, 7, 1000000, 500000
      from unnest(array[0, 3, 40]) ago`
  const { page, context, problems } = await teacher()
  await page.goto('/desk/teach/generate')
  await page.getByRole('link', { name: 'AI use' }).click()
  await page.getByText('1,500,000 of 10,000,000 tokens of today; 8,500,000 are left').waitFor()
  const spent = page.getByRole('progressbar', { name: 'Spent today' })
  expect(await spent.getAttribute('value')).toBe('1500000')
  const chart = page.getByRole('figure', { name: 'Tokens by day' })
  await chart.locator('canvas').waitFor()
  const rows = page.getByRole('table', { name: 'By day' }).getByRole('row')
  // With its heads.
  expect(await rows.count()).toBe(3)
  await page.getByLabel('When').selectOption('90')
  await expect.poll(() => rows.count()).toBe(4)
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)
