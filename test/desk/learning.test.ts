import type { Browser, Page, WebSocketRoute } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openFor } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { createExam, type ExamFields } from '../support/content/exams.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { connect, startService, type TestService } from '../support/service.ts'

/** Would open a dialog, which fails the test, if a model's answer were taken for more than text. */
const EVIL = `<img src=x onerror="alert('XSS')"><script>alert('XSS')</script> $\\href{javascript:alert('XSS')}{x}$`

let model: TestModel
let service: TestService
let browser: Browser
beforeAll(async () => {
  model = await startModel({ silenceMs: 60_000 })
  ;[service, browser] = await Promise.all([startService({ config: { ai: model.ai } }), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
  await model.stub.close()
})

/** Takes an exam with a wrong answer; answers also the address of the result. */
async function takeExam(person: Client, fields?: ExamFields) {
  const { examId, questionIds } = await createExam(service.sql, {
    name: 'To be looked through',
    questions: [{ question_text: 'What is $1 + 1$?', question_type: 'NUMERIC', correct_answer: '2' }],
    ...fields,
  })
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const [questionId = 0] = questionIds
  const answers = { [String(questionId)]: '3' }
  const { body } = await person.post(`/api/v01/exams/${examId}/submit`, { answers }, 200)
  return { examId, questionId, result: `/desk/results/${body.attempt_id}` }
}

test('the tutor’s answer appears beside a reviewed question while it is written, can be stopped, and runs nothing', async () => {
  const person = await service.person()
  const { result } = await takeExam(person)
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(result)
  await page.getByRole('button', { name: 'Ask the tutor' }).click()
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
  model.stub.script.push({
    kind: 'answer',
    text: `Let us begin with the units. ${EVIL} By $a^2 = b$ it is so.\n[FINAL ANSWER] $2$`,
    hold: 1,
    until,
  })
  const tutor = page.getByRole('region', { name: 'Tutor' })
  await tutor.getByRole('button', { name: 'Why is this the answer?' }).click()
  await tutor.getByRole('button', { name: 'Ask', exact: true }).click()
  await tutor.getByText('Let us begin with the').waitFor()
  expect(await tutor.getByText('it is so').count()).toBe(0)
  goOn()
  await tutor.getByText('it is so').waitFor()
  await tutor.locator('.notice .katex').waitFor()
  expect(await tutor.locator('img, script, a[href^="javascript" i]').count()).toBe(0)
  await expectFlawless(page)
  // The model was given the question and the student's answer.
  const asked = JSON.stringify(model.stub.requests.at(-1)?.messages).replaceAll('\\"', '"')
  expect(asked).toContain('What is $1 + 1$?')
  expect(asked).toContain('"correct_answer": "2"')
  expect(asked).toContain('"given_answer": "3"')

  model.stub.script.push({
    kind: 'answer',
    text: 'A long way to go from here '.repeat(20),
    hold: 2,
    until: new Promise(() => {}),
  })
  await tutor.getByLabel('Your question').fill('Go on')
  await tutor.getByRole('button', { name: 'Ask', exact: true }).click()
  await tutor.getByText('A long way to go').waitFor()
  await tutor.getByRole('button', { name: 'Stop' }).click()
  await tutor.getByRole('button', { name: 'Ask', exact: true }).waitFor()
  await tutor.getByText('A long way to go').waitFor()

  await tutor.getByRole('link', { name: 'Open this conversation' }).click()
  await page.getByRole('article').getByText('onerror').waitFor()
  expect(await page.locator('main img, main script, a[href^="javascript" i]').count()).toBe(0)
  model.stub.script.push({ kind: 'status', status: 400 })
  await page.getByLabel('Your question').fill('And now?')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await page.route('**/assistant/messages', (route) =>
    route.fulfill({
      headers: { 'x-request-id': 'of the service' },
      contentType: 'text/event-stream',
      body: 'event: delta\ndata: {"text":"Now that"}\n\n',
    }),
  )
  await page.getByLabel('Your question').fill('And then?')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByRole('alert').getByText('cut off').waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('a result is shown as soon as it is released, and follows a corrected key', async () => {
  const [person, admin] = [await service.person(), await service.admin()]
  const { examId, questionId, result } = await takeExam(person, { result_mode: 'on_release' })
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(result)
  await page.getByText('Not released yet').waitFor()
  await expectFlawless(page)
  await admin.post(`/api/v01/admin/exams/${examId}/toggle-results`, { released: true }, 200)
  const question = page.getByRole('article', { name: 'Question 1' })
  await question.getByText('Incorrect', { exact: true }).waitFor()
  await question.getByText('−1 of 4 marks').waitFor()
  const regrade = { question_id: questionId, action: 'new_key', correct_answer: '3' } as const
  await admin.post(`/api/v01/admin/exams/${examId}/regrades`, regrade, 201)
  await page.getByText('Regraded', { exact: true }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('a result says how long it took, and has all earlier ones of the exam beside it', async () => {
  const person = await service.person()
  const { result } = await takeExam(person)
  const attemptId = Number(result.split('/').at(-1))
  await service.sql`update attempts set started_at = submitted_at - interval '12 minutes 30 seconds' where id = ${attemptId}`
  await service.sql`
    insert into attempts (user_id, exam_id, paper_id, attempt_number, status, seed, started_at, submitted_at,
                          answers, score, max_score, percentage, correct, incorrect, unattempted)
    select user_id, exam_id, paper_id, attempt_number + n, status, seed, started_at - n * interval '1 day',
           submitted_at - n * interval '1 day', answers, score, max_score, percentage, correct, incorrect, unattempted
      from attempts, generate_series(1, 70) as n where id = ${attemptId}`
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(result)
  await page.getByText(/^12 mins?,? 30 secs?$/).waitFor()
  await page.getByText('Data table').click()
  await expect.poll(() => page.locator('.chart-figure details tbody tr').count()).toBe(71)
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
})

test('a result without a fault offers no list of faults', async () => {
  const person = await service.person()
  const { result } = await takeExam(person, {
    questions: [{ question_text: 'What is $1 + 1$?', question_type: 'NUMERIC', correct_answer: '3' }],
  })
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(result)
  await page.getByRole('article', { name: 'Question 1' }).getByText('Correct', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Only what wasn’t correct' }).count()).toBe(0)
  expect(problems).toEqual([])
  await context.close()
})

test('a discussion shows what was written while its page was cut off, and opens again after an exam', async () => {
  const [person, other] = [await service.person(), await service.person()]
  const { questionId, result } = await takeExam(person)
  const { examId: locking } = await createExam(service.sql, { lock_help: true })
  const { page, context, problems } = await openFor(browser, person)
  const sockets = new Set<WebSocketRoute>()
  let isCutOff = false
  await page.routeWebSocket('**/ws', async (socket) => {
    if (isCutOff) return socket.close()
    sockets.add(socket)
    socket.connectToServer()
  })
  await page.goto(result)
  await page.getByRole('button', { name: 'Discussion' }).click()
  const say = (message: string) => other.post(`/api/v01/discussions/${questionId}`, { message }, 201)
  const thread = page.getByRole('region', { name: 'Discussion' })
  await thread.getByText('Nobody has written here yet').waitFor()
  await say('It is three')
  await thread.getByText('It is three').waitFor()
  isCutOff = true
  for (const socket of sockets) await socket.close()
  await say('No, it is two')
  isCutOff = false
  await thread.getByText('No, it is two').waitFor()
  await thread.getByLabel('Your comment').fill('Two it is')
  await thread.getByRole('button', { name: 'Post' }).click()
  await page.getByRole('button', { name: 'Discussion (3)' }).waitFor()

  await page.getByRole('button', { name: 'Discussion' }).click()
  await person.post(`/api/v01/exams/${locking}/start`, {}, 201)
  await page.getByRole('button', { name: 'Discussion' }).click()
  await thread.getByText('You are taking an exam').waitFor()
  await person.post(`/api/v01/exams/${locking}/submit`, {}, 200)
  await thread.getByText('No, it is two').waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('five hundred replies, each to the one before, are drawn', async () => {
  const person = await service.person()
  const { questionId, result } = await takeExam(person)
  const [{ id: first }] = await service.sql<[{ id: number }]>`
    insert into comments (question_id, author_id, message) values (${questionId}, ${person.id}, 'Reply 0') returning id`
  await service.sql`
    insert into comments (id, question_id, author_id, message, parent_id)
    select ${first} + n, ${questionId}, ${person.id}, 'Reply ' || n, ${first} + n - 1 from generate_series(1, 500) n`
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(result)
  await page.getByRole('button', { name: 'Discussion' }).click()
  await page.getByText('Reply 500', { exact: true }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})

test('what is drawn and written on a page can be undone and redone, and is saved', async () => {
  const person = await service.person()
  const { page, context, problems } = await openFor(browser, person)
  await page.goto('/desk/notes')
  await page.getByRole('button', { name: 'New notebook' }).click()
  await page.getByLabel('Title').fill('Waves')
  await page.getByRole('button', { name: 'Create' }).click()
  const paper = page.getByRole('img', { name: /^A page with/ })
  await draw(page, [120, 120], [320, 180])
  await draw(page, [120, 220], [320, 280])
  await expect.poll(() => paper.getAttribute('aria-label')).toBe('A page with 2 marks')
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await paper.click({ position: { x: 100, y: 60 } })
  await page.getByLabel('Text to insert').fill(EVIL)
  await expectFlawless(page)
  await page.getByRole('button', { name: 'Insert', exact: true }).click()
  await expect.poll(() => paper.getAttribute('aria-label')).toContain('A page with 3 marks')
  expect(await page.locator('svg img, svg script, svg a').count()).toBe(0)
  // A long line is broken within the page, and has the size that is stored, whatever was opened before.
  await paper.click({ position: { x: 300, y: 400 } })
  await page.getByLabel('Text to insert').fill('waves on the water '.repeat(8).trim())
  await page.getByRole('button', { name: 'Insert', exact: true }).click()
  const long = page.locator('svg.paper > text', { hasText: 'waves on the water' })
  await expect.poll(() => long.locator('tspan').count()).toBeGreaterThan(1)
  expect(await long.getAttribute('font-size')).toBe('36')
  await page.getByRole('button', { name: 'Undo' }).click()

  await page.getByRole('button', { name: 'Undo' }).click()
  await page.keyboard.press('Control+z')
  await expect.poll(() => paper.getAttribute('aria-label')).toBe('A page with 1 mark')
  await page.getByRole('button', { name: 'Redo' }).click()
  await expect.poll(() => paper.getAttribute('aria-label')).toBe('A page with 2 marks')
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.reload()
  await expect.poll(() => paper.getAttribute('aria-label')).toBe('A page with 2 marks')
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('until an exam without help is handed in, chat, tutor and library say that they are closed', async () => {
  const [person, friend] = [await service.person(), await service.person()]
  const conversation = await connect(person, friend)
  const { examId } = await createExam(service.sql, { name: 'Alone', lock_help: true, duration_minutes: 20 })
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(`/desk/exams/${examId}`)
  await page.getByText('Tutor, chat and discussions are closed while you take it').waitFor()
  await page.getByRole('button', { name: 'Start the exam' }).click()
  await page.getByRole('timer').waitFor()

  const places = page.getByRole('navigation', { name: 'Main', exact: true })
  for (const place of ['Chat', 'Tutor', 'Library', 'People']) {
    await places.getByRole('link', { name: place }).click()
    await page.getByRole('heading', { level: 1, name: place }).waitFor()
    await page.getByText('Closed during your exam').waitFor()
  }
  await expectFlawless(page)
  // Also when the page is loaded anew.
  await page.goto(`/desk/chat/${conversation}`)
  await page.getByText('Closed during your exam').waitFor()

  await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)
  await page.getByLabel(/^Message to/).waitFor()
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

test('strokes that were drawn without a connection, or just before a reload, are there again', async () => {
  const person = await service.person()
  const { notebook } = (await person.post('/api/v01/notebooks', { title: 'Kept' }, 201)).body
  await person.post(`/api/v01/notebooks/${notebook.id}/pages`, { title: 'First' }, 201)
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(`/desk/notes/${notebook.id}`)
  const paper = page.getByRole('img', { name: /^A page with/ })
  await paper.waitFor()
  await draw(page, [120, 120], [320, 180])
  await page.reload()
  await expect.poll(() => paper.getAttribute('aria-label')).toBe('A page with 1 mark')
  await page.getByText('Saved', { exact: true }).waitFor()

  await page.route('**/sync', (route) => route.abort())
  await draw(page, [120, 320], [320, 380])
  await page.getByText('Kept on this device').waitFor()
  await page.reload()
  await expect.poll(() => paper.getAttribute('aria-label')).toBe('A page with 2 marks')
  await page.unroute('**/sync')
  await page.getByText('Saved', { exact: true }).waitFor()

  // What is selected is moved and undone by keys, wherever the focus is.
  await page.getByRole('button', { name: 'Move' }).click()
  await paper.click({ position: { x: 220, y: 350 } })
  await page
    .getByRole('toolbar', { name: 'Selected' })
    .getByRole('button', { name: 'Send to back' })
    .waitFor()
  const paths = () =>
    page.locator('svg.paper > path').evaluateAll((all) => all.map((each) => each.getAttribute('d')))
  const before = await paths()
  await page.locator('h1').click()
  await page.keyboard.press('ArrowRight')
  await expect.poll(paths).not.toEqual(before)
  await page.keyboard.press('Control+z')
  await expect.poll(paths).toEqual(before)
  await page.keyboard.press('Delete')
  await expect.poll(() => paper.getAttribute('aria-label')).toBe('A page with 1 mark')
  await expectFlawless(page)
  expect(problems).toEqual([])
  await context.close()
})

test('a page of notes is written, arranged and changed by the keyboard alone', async () => {
  const person = await service.person()
  const { notebook } = (await person.post('/api/v01/notebooks', { title: 'By keys' }, 201)).body
  await person.post(`/api/v01/notebooks/${notebook.id}/pages`, { title: 'First' }, 201)
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(`/desk/notes/${notebook.id}`)
  const paper = page.getByRole('img', { name: /^A page with/ })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter')
  for (const text of ['Above', 'Below']) {
    await press('Text')
    await press('Insert a text')
    await page.getByLabel('Text to insert').waitFor()
    await page.getByLabel('Text to insert').pressSequentially(text)
    await press('Insert')
    await expect.poll(() => paper.getAttribute('aria-label')).toContain(text)
  }
  const mark = (text: string) => page.locator('svg.paper > text', { hasText: text })
  const place = async (text: string) => Number(await mark(text).getAttribute('y'))
  expect(await place('Below')).toBeGreaterThan(await place('Above'))

  await press('Move')
  await press('Select next')
  await page.getByText('“Above” is selected').waitFor()
  const before = await place('Above')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => place('Above')).toBeGreaterThan(before)
  await press('Larger')
  await expect.poll(async () => Number(await mark('Above').getAttribute('font-size'))).toBeGreaterThan(36)
  await expectFlawless(page)
  await press('Select next')
  await page.getByText('“Below” is selected').waitFor()
  await press('Edit text')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Below all')
  // What is typed over a placed text is kept too.
  await page.reload()
  await press('Move')
  await press('Select next')
  await press('Select next')
  await press('Edit text')
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Text', exact: true }).inputValue())
    .toBe('Below all')
  await press('Save')
  await expect.poll(() => paper.getAttribute('aria-label')).toContain('Below all')
  expect(problems).toEqual([])
  await context.close()
})

async function draw(page: Page, from: [number, number], to: [number, number]) {
  const box = await page.locator('svg.paper').boundingBox()
  if (!box) throw new Error('there is no paper')
  await page.mouse.move(box.x + from[0], box.y + from[1])
  await page.mouse.down()
  await page.mouse.move(box.x + to[0], box.y + to[1], { steps: 5 })
  await page.mouse.up()
}
