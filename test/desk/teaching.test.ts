import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAsked } from '../../scripts/model-stub.ts'
import { openBrowser, openPage, signIn } from '../support/browser.ts'
import { PASSWORD } from '../support/client.ts'
import { createExam } from '../support/content/exams.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { startService, type TestService } from '../support/service.ts'

/** Would open a dialog, which fails the test, if a file or a model's answer were taken for more than text. */
const EVIL = `<img src=x onerror=alert('XSS')><script>alert('XSS')</script> $\\href{javascript:alert('XSS')}{x}$`

const IMAGE = sharp({ create: { width: 40, height: 30, channels: 3, background: '#84d4b1' } })
  .png()
  .toBuffer()

let model: TestModel
let service: TestService
let browser: Browser
beforeAll(async () => {
  model = await startModel()
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

test('an import says which rows it leaves out and why, before anything is stored', async () => {
  const { examId } = await createExam(service.sql, { name: 'Imported', questions: [] })
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/exams/${examId}/import`)
  const csv = [
    'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,positive_marks,negative_marks,tolerance,image_path',
    `${examId},What is good? ${EVIL},${EVIL},that,,,A,MCQ,4,1,0,`,
    `${examId},What is bad?,this,that,,,A,${EVIL},4,1,0,`,
  ].join('\n')
  await page
    .getByLabel('File')
    .setInputFiles({ name: 'questions.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('1 question can be imported, 1 left out').waitFor()
  await page.locator('.errors').getByText(/Row 3/).waitFor()
  await page.getByText('The first 1, as it would be').click()
  await page.locator('details .katex').first().waitFor()
  // What the key stands for is there with it.
  await page.locator('details').getByText('B that').waitFor()
  await expectFlawless(page)
  expect(await service.sql`select 1 from questions where exam_id = ${examId}`).toHaveLength(0)
  // The first answer is lost after the questions were stored: a second click imports nothing twice.
  const lost = page.waitForEvent('requestfailed')
  await page.route(
    '**/import?*key=*',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Import 1 question' }).click()
  await lost
  await page.getByRole('button', { name: 'Import 1 question' }).click()
  await page.getByText('1 question imported').first().waitFor()
  expect(await service.sql`select 1 from questions where exam_id = ${examId}`).toHaveLength(1)
  await page.getByRole('link', { name: 'Questions', exact: true }).click()
  await page.getByRole('link', { name: /What is good/ }).click()
  await page.getByRole('region', { name: 'As students see it' }).getByText('onerror').first().waitFor()
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('an export has the name that the service gives it, and a refusal says why', async () => {
  const { examId } = await createExam(service.sql, { name: 'Exported' })
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/exams/${examId}/import`)
  const gift = page.getByRole('button', { name: 'GIFT' })
  const downloaded = page.waitForEvent('download')
  await gift.click()
  expect((await downloaded).suggestedFilename()).toBe(`exam-${examId}.gift`)
  const answer = (response: {
    status: number
    contentType: string
    body: string
    headers?: Record<string, string>
  }) => page.route('**/export?*', (route) => route.fulfill(response), { times: 1 })
  const refusal = { success: false, code: 'internal_error', message: 'The disk is full' }
  const headers = { 'x-request-id': 'of the service' }
  await answer({ status: 500, contentType: 'application/json', body: JSON.stringify(refusal), headers })
  await gift.click()
  await page.getByText('The disk is full').waitFor()
  // What a proxy answers is no refusal: the service is asked again.
  await answer({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' })
  const downloadedThen = page.waitForEvent('download')
  await gift.click()
  await downloadedThen
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('saving a question leaves what somebody else has changed meanwhile', async () => {
  const { examId, questionIds } = await createExam(service.sql)
  const id = questionIds[0] as number
  const stored = async () =>
    (await service.sql`select question_text, correct_answer from questions where id = ${id}`)[0]
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/questions/${examId}/${id}`)
  const question = page.getByLabel('Question', { exact: true })
  const before = await question.inputValue()
  await service.sql`update questions set correct_answer = 'D' where id = ${id}`
  for (const question_text of ['Other words', before]) {
    await question.fill(question_text)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(stored).toEqual({ question_text, correct_answer: 'D' })
  }
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('a job shows its progress, and its questions can be kept one by one', async () => {
  const { examId } = await createExam(service.sql, { name: 'Generated', questions: [] })
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/generate?exam=${examId}`)
  await page.getByLabel('Topic').fill('Vectors')
  await page.getByLabel('One correct option', { exact: true }).fill('25')
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
  model.stub.script.push({ kind: 'answer' }, { kind: 'answer' }, { kind: 'answer', hold: 0, until })
  await page.getByRole('button', { name: 'Start' }).click()
  await page.waitForURL(/generate\/[0-9a-f-]{36}/)
  const progress = async () => Number(await page.getByRole('progressbar').getAttribute('value'))
  // The last batch is held back until the progress of the others has been seen.
  await expect.poll(progress).toBeGreaterThan(0)
  expect(await progress()).toBeLessThan(100)
  goOn()
  await expect.poll(progress).toBe(100)
  await page.getByRole('button', { name: 'Keep', exact: true }).first().click()
  await page.getByRole('button', { name: 'Keep 24 questions' }).click()
  await page.getByText('24 questions kept').first().waitFor()
  // Opened again, they can't be kept twice.
  await page.reload()
  await expect.poll(() => page.getByText('In the exam', { exact: true }).count()).toBe(24)
  await page.getByRole('button', { name: 'Keep 1 question' }).waitFor()
  expect(await service.sql`select 1 from questions where exam_id = ${examId}`).toHaveLength(24)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('of a job’s questions the disputed ones aren’t kept unless somebody wants them; they can be edited before', async () => {
  const { examId } = await createExam(service.sql, { name: 'Second opinions', questions: [] })
  const question = (question_text: string) => ({
    ...{ question_type: 'MCQ', question_text, correct_answer: 'A' },
    ...{ option_a: 'this', option_b: 'that', option_c: '', option_d: '' },
  })
  const written = {
    kind: 'answer' as const,
    text: JSON.stringify({ questions: [question('Which is right?'), question('Which is wrong?')] }),
  }
  model.stub.script.push(written, { kind: 'status', status: 400 })
  model.stub.checkScript.push({
    kind: 'answer',
    text: (body) =>
      JSON.stringify({
        answers: (readAsked(body) ?? []).map(({ number, text, options = {} }) => {
          const taken = text.includes('wrong') ? 'that' : 'this'
          const letters = Object.keys(options).filter((letter) => options[letter] === taken)
          return { number, verdict: 'answered', letters, texts: [taken], value: null, reason: 'Obviously.' }
        }),
      }),
  })
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/generate?exam=${examId}`)
  await page.getByLabel('Topic').fill('Anything')
  await page.getByLabel('One correct option', { exact: true }).fill('2')
  await page.getByRole('button', { name: 'Start' }).click()
  const disputed = page.getByRole('region', { name: 'Disputed' })
  await disputed.getByText('Obviously.').waitFor()
  await disputed.getByRole('button', { name: 'Left out' }).waitFor()
  await page.getByRole('region', { name: 'Agreed' }).getByText('Edit before keeping').click()
  await page.getByLabel('Question', { exact: true }).fill('Which is better?')
  await page.getByRole('button', { name: 'Use this version' }).click()
  await page.getByRole('button', { name: 'Keep 1 question' }).click()
  await page.getByText('1 question kept').first().waitFor()
  expect(await service.sql`select question_text from questions where exam_id = ${examId}`).toEqual([
    { question_text: 'Which is better?' },
  ])
  await expectFlawless(page)

  await page.getByRole('link', { name: 'All jobs' }).click()
  await page.getByRole('link', { name: 'AI use' }).click()
  await page.getByText('tokens today; a day has no limit').waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('the document of a job opens at the page that bears a question out, also when it is chosen again', async () => {
  const { examId } = await createExam(service.sql, { name: 'With a document', questions: [] })
  const options = { option_a: 'two', option_b: 'three', option_c: '', option_d: '' }
  const question = { question_type: 'MCQ', question_text: 'One and one?', correct_answer: 'A', ...options }
  const told = { page: 1, quote: 'One and one are two' }
  model.stub.script.push({ kind: 'answer', text: JSON.stringify({ questions: [{ ...question, ...told }] }) })
  const document = {
    name: 'script.pdf',
    mimeType: 'application/pdf',
    buffer: textPdf(['Preface', 'One and one are two.']),
  }
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/generate?exam=${examId}`)
  await page.getByLabel('From', { exact: true }).selectOption('mine')
  await page.getByLabel('Document (PDF)').setInputFiles(document)
  await page.getByLabel('One correct option', { exact: true }).fill('1')
  await page.getByRole('button', { name: 'Start' }).click()
  // The model named the page before.
  const place = page.getByRole('link', { name: 'Page 2 of the document' })
  await place.waitFor()
  expect(await place.getAttribute('href')).toMatch(/^blob:.+#page=2$/)

  await page.reload()
  await page.getByText('Page 2 of the document').waitFor()
  expect(await place.count()).toBe(0)
  await page.getByLabel('Choose the document again to open its pages').setInputFiles(document)
  await place.waitFor()
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('questions that a model wrote are shown without running anything in them', async () => {
  const { examId } = await createExam(service.sql, { name: 'Written by a model', questions: [] })
  const options = { option_a: EVIL, option_b: 'that', option_c: '', option_d: '' }
  const question = { question_type: 'MCQ', question_text: EVIL, correct_answer: 'A', ...options }
  model.stub.script.push({ kind: 'answer', text: JSON.stringify({ questions: [question] }) })
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/generate?exam=${examId}`)
  await page.getByLabel('Topic').fill('Anything')
  await page.getByLabel('One correct option', { exact: true }).fill('1')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('button', { name: 'Keep 1 question' }).waitFor()
  await page.getByRole('region', { name: 'As students see it' }).getByText('onerror').first().waitFor()
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
})

test('a question is written by the keyboard, what is wrong with it is named, and nothing typed is lost', async () => {
  const { examId } = await createExam(service.sql, { name: 'Written', published: false, questions: [] })
  const stored = () =>
    service.sql`select question_text, correct_answer, option_b from questions where exam_id = ${examId} order by id`
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/exams/${examId}`)
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('The exam has no questions.').waitFor()

  await page.getByRole('link', { name: 'Add a question' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The question has neither a text nor an image.').waitFor()
  await page.getByLabel('Question', { exact: true }).fill('Which is **prime**?')
  await page.getByLabel('Option A', { exact: true }).fill('4')
  await page.getByLabel('Option C is correct').check()
  await page.getByLabel('Option B', { exact: true }).fill('5')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Option C is marked as correct, but has no text.').waitFor()
  await page
    .getByRole('region', { name: 'As students see it' })
    .locator('strong', { hasText: 'prime' })
    .waitFor()
  await expectFlawless(page)
  expect(await stored()).toEqual([])

  // Away by a click, and the tab closed: what was typed comes back.
  await page.getByRole('link', { name: 'All questions' }).click()
  await page.getByRole('link', { name: 'Add a question' }).click()
  await page.getByText('Your unsaved changes').waitFor()
  expect(await page.getByLabel('Option B', { exact: true }).inputValue()).toBe('5')
  await page.getByLabel('Option B', { exact: true }).fill('7')
  await page.reload()
  await expect.poll(() => page.getByLabel('Option B', { exact: true }).inputValue()).toBe('7')
  expect(await page.getByLabel('Option C is correct').isChecked()).toBe(true)

  await page.getByLabel('Option B is correct').check()
  await page.keyboard.press('Control+Enter')
  await expect.poll(stored).toMatchObject([{ correct_answer: 'B', option_b: '7' }])
  await expect.poll(() => page.getByLabel('Question', { exact: true }).inputValue()).toBe('')
  expect(await page.getByText('Your unsaved changes').count()).toBe(0)
  await page.getByRole('link', { name: 'All questions' }).click()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('Typed, not saved')
  await page.getByRole('link', { name: 'Questions', exact: true }).click()
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Changes in Settings are not saved.').waitFor()
  await page.locator('dialog.question').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Published', { exact: true }).waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('a changed key leads to the regrade of that question, with its preview', async () => {
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'Keyed anew',
    questions: [{ question_text: '**First**' }, { question_text: 'Second of $n^2$' }],
  })
  await service.sql`update questions set option_a = 'this', option_b = '$x^2$', option_c = 'both' where exam_id = ${examId}`
  const person = await service.person()
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const answers = Object.fromEntries(questionIds.map((id) => [id, 'B']))
  await person.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
  const { page, context, problems } = await teacher()
  // A correction that was begun and left earlier.
  await page.goto(`/desk/teach/exams/${examId}/corrections?question=${questionIds[1]}`)
  await page.getByLabel('Option C is correct').check()
  // The question and its options as students see them: they aren't edited here.
  await page.locator('form .katex').nth(1).waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  await expectFlawless(page)
  // An option without a text can't be what was correct.
  expect(await page.getByLabel('Option D is correct').count()).toBe(0)
  await page.goto(`/desk/teach/questions/${examId}/${questionIds[1]}`)
  await page.getByRole('heading', { name: 'Question 2 of 2' }).waitFor()
  await page.getByLabel('Option B is correct').check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The key was changed.').waitFor()
  await page.getByRole('link', { name: 'Regrade now' }).click()
  await page.getByText('Question 2: Of 1 attempt 1 higher').waitFor()
  expect(await page.getByLabel('Option B is correct').isChecked()).toBe(true)
  // What would be applied is never another question's than the form shows.
  const asked = page.getByLabel('Question', { exact: true })
  await asked.selectOption({ label: '1. First' })
  await page.getByRole('button', { name: 'Apply' }).waitFor({ state: 'detached' })
  await asked.selectOption({ index: 1 })
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('Question 2: Of 1 attempt 1 higher').waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('(question 2)').waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('a draft is tried as a student would take it, and nothing of that is stored', async () => {
  const { examId } = await createExam(service.sql, {
    name: 'Unseen',
    published: false,
    questions: [{ question_text: 'First', correct_answer: 'A' }, { question_text: 'Second' }],
  })
  await service.sql`update questions set option_a = 'this', option_b = 'that' where exam_id = ${examId}`
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/exams/${examId}`)
  await page.getByRole('link', { name: 'Try it' }).click()
  await page.getByRole('heading', { name: 'Question 1 of 2' }).waitFor()
  await expectFlawless(page)
  await page.keyboard.press('b')
  await page.keyboard.press('a')
  await page.keyboard.press('n')
  await page.getByRole('heading', { name: 'Question 2 of 2' }).waitFor()
  await page.getByText('1 answered').waitFor()
  await page.getByRole('button', { name: 'Hand in' }).click()
  await page.getByRole('article', { name: 'Question 1' }).getByText('Your answer').waitFor()
  await page.getByRole('article', { name: 'Question 2' }).getByText('Not answered').waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Unseen')
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('0 answered').waitFor()
  expect(await service.sql`select 1 from attempts where exam_id = ${examId}`).toHaveLength(0)
  expect(problems).toEqual([])
  await context.close()
})

test('a trial names the answers that were refused, and leads back from an exam without questions', async () => {
  const { examId } = await createExam(service.sql, { name: 'Refused', published: false, questions: [{}] })
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/exams/${examId}/trial`)
  await page.getByRole('heading', { name: 'Question 1 of 1' }).waitFor()
  await page.keyboard.press('b')
  // As if the page had made an answer that the question can't have.
  await page.route('**/trial', (route) => {
    const { trial, answers } = route.request().postDataJSON()
    const others = Object.fromEntries(Object.keys(answers).map((id) => [id, 'Z']))
    return route.continue({ postData: { trial, answers: others } })
  })
  await page.getByRole('button', { name: 'Hand in' }).click()
  const sheet = page.getByRole('article', { name: 'Question 1' })
  await sheet.getByText('Not saved: This is no answer to this question of type MCQ').waitFor()
  expect(await sheet.getByText('Not answered').count()).toBe(0)
  await expectFlawless(page)
  await page.unroute('**/trial')
  await service.sql`delete from questions where exam_id = ${examId}`
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No questions yet').waitFor()
  await expectFlawless(page)
  await page.getByRole('link', { name: 'To the exam' }).click()
  await page.waitForURL(`**/desk/teach/exams/${examId}`)
  expect(problems).toEqual([])
  await context.close()
})

test('an option shows the question’s image where it names it, and the question doesn’t show it again', async () => {
  const { examId, questionIds } = await createExam(service.sql, { name: 'Pictured', questions: [{}] })
  await service.sql`update questions set option_a = 'this', option_b = 'that' where exam_id = ${examId}`
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/questions/${examId}/${questionIds[0]}`)
  const preview = page.getByRole('region', { name: 'As students see it' })
  await page
    .getByLabel('Image')
    .setInputFiles({ name: 'graph.png', mimeType: 'image/png', buffer: await IMAGE })
  await preview.getByRole('img', { name: 'Part of the question' }).waitFor()
  const mark = await page.locator('code', { hasText: '![' }).innerText()
  await page.getByLabel('Option B', { exact: true }).fill(mark.replace('what it shows', 'a falling line'))
  await preview.getByRole('radio', { name: 'a falling line' }).waitFor()
  await expect.poll(() => preview.getByRole('img').count()).toBe(1)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved').first().waitFor()
  await page.goto(`/desk/teach/exams/${examId}/trial`)
  await expect
    .poll(() => page.evaluate(`document.querySelector('[alt="a falling line"]')?.naturalWidth ?? 0`))
    .toBeGreaterThan(0)
  expect(await page.getByRole('img').count()).toBe(1)
  expect(problems).toEqual([])
  await context.close()
})

test('an image that was added and not saved is there again, and is saved', async () => {
  const { examId } = await createExam(service.sql, { name: 'Left halfway', questions: [] })
  const { page, context, problems } = await teacher()
  await page.goto(`/desk/teach/questions/${examId}/new`)
  await page.getByLabel('Question', { exact: true }).fill('What does it show?')
  await page.getByLabel('Option A is correct').check()
  await page.getByLabel('Option A', { exact: true }).fill('this')
  await page.getByLabel('Option B', { exact: true }).fill('that')
  await page
    .getByLabel('Image')
    .setInputFiles({ name: 'graph.png', mimeType: 'image/png', buffer: await IMAGE })
  await page.getByText('The image is added when you save').waitFor()
  await page.getByRole('link', { name: 'All questions' }).click()
  await page.getByRole('link', { name: 'Add a question' }).click()
  await page.getByText('Your unsaved changes').waitFor()
  await page.getByRole('button', { name: 'Remove the image' }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Question 1 of 1' }).waitFor()
  const preview = page.getByRole('region', { name: 'As students see it' })
  await preview.getByRole('img', { name: 'Part of the question' }).waitFor()
  // Thrown away, what was so before is there.
  await page.getByRole('button', { name: 'Remove the image' }).click()
  await preview.getByRole('img').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('button', { name: 'Discard them' }).click()
  await preview.getByRole('img', { name: 'Part of the question' }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})
