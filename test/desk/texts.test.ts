import katex from 'katex'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isDrawable, KATEX_OPTIONS } from '../../desk/src/components/rich-text/formula-limits.ts'
import { openBrowser, openFor } from '../support/browser.ts'
import { createExam } from '../support/content/exams.ts'
import { expectFlawless } from '../support/promises/flaws.ts'
import { connectedPair, startService, type TestService } from '../support/service.ts'

/** Five definitions that each use the one before a hundred times. */
const BOMB = `$${['a', 'b', 'c', 'd', 'e'].map((name, at) => `\\def\\${name}{${(at === 0 ? 'x' : `\\${'abcde'[at - 1]}`).repeat(100)}}`).join('')}\\e$`

let service: TestService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

test('a name of another direction is isolated in the sentences around it', async () => {
  const { alice, bob, conversationId } = await connectedPair(service)
  const name = 'Bob \u202Eevil'
  await bob.patch('/api/v01/account', { full_name: name }, 200)
  const { page, context } = await openFor(browser, alice)
  await page.goto(`/desk/chat/${conversationId}`)
  await expect.poll(() => page.content()).toContain(`\u2068${name}\u2069`)
  await context.close()
})

test('no formula makes more than a fixed amount for each of its characters', () => {
  for (const definition of [
    'def',
    'gdef',
    'edef',
    'xdef',
    'let',
    'futurelet',
    'newcommand',
    'renewcommand',
    'providecommand',
  ])
    expect(isDrawable(`x + \\${definition}\\a{x} \\a`), definition).toBe(false)
  expect(isDrawable('x'.repeat(4_001))).toBe(false)
  expect(isDrawable(String.raw`\left( \definecolor \longrightarrow \leftarrow \right)`)).toBe(true)
  const pieces = [
    'x',
    '{',
    '^2',
    "'",
    '\\frac12',
    '\\sqrt x',
    '\\pmod 3',
    '\\stackrel ab',
    '\\underbrace x',
    '\\overbrace x',
    '\\xrightarrow x',
    '\\boxed x',
    '\\bra x',
    '\\Braket{x|y}',
    '\\TeX',
    '\\KaTeX',
    '\\dots',
    '\\iiint',
    '\\tag 1',
    '\\substack x',
    '\\operatorname x',
    '\\mathchoice xxxx',
    '\\begin{array}{cccc}x&x&x&x\\end{array}',
    '\\begin{matrix}x\\\\x\\end{matrix}',
    '\\rule{9em}{9em}',
    '\\\\',
  ]
  for (const piece of pieces)
    for (const source of [
      piece.repeat(Math.floor(1_000 / piece.length)),
      `${`${piece}{`.repeat(60)}x${'}'.repeat(60)}`,
    ]) {
      let made = ''
      try {
        made = katex.renderToString(source, { ...KATEX_OPTIONS, displayMode: true })
      } catch {
        // Refused is small enough.
      }
      expect(made.length, source.slice(0, 60)).toBeLessThan(source.length * 1_000)
    }
})

test('tables, lists, code, links and formulas are drawn; nothing else is, and no image is loaded', async () => {
  const person = await service.person()
  const { examId, questionIds } = await createExam(service.sql)
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  const say = (message: string) =>
    person.post(`/api/v01/discussions/${questionIds[0] ?? 0}`, { message }, 201)
  await say(
    [
      '## Why it holds',
      '',
      'First *this*, then **that**:',
      '1. multiply',
      '2. divide',
      '',
      '| a | b |',
      '|--:|---|',
      '| 1 | $x^2$ |',
      '',
      '```python',
      'def area(r): return 3 * r',
      '```',
      '',
      'Costs $5 and `$not math$`, see https://example.org/page and [here](/logout).',
      '',
      '![a picture](https://example.org/x.png) ![another](exam-1/x.png)',
      '',
      '\\[',
      'E = mc^2',
      '',
      '- 1',
      '\\]',
      '[bad](javascript:alert(1))',
    ].join('\n'),
  )
  await say(BOMB)
  const { page, context, problems } = await openFor(browser, person)
  const outside: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(service.urls[0] as string)) outside.push(request.url())
  })
  await page.goto(`/desk/results/${attempt_id}`)
  await page.getByRole('button', { name: 'Discussion' }).click()
  const thread = page.getByRole('region', { name: 'Discussion' })
  await thread.locator('.heading', { hasText: 'Why it holds' }).waitFor()
  await thread
    .getByRole('listitem')
    .filter({ hasText: /^divide$/ })
    .waitFor()
  await thread.getByRole('cell', { name: '1' }).waitFor()
  await thread.locator('td .katex').waitFor()
  await thread.locator('pre .hljs-keyword').first().waitFor()
  await thread.locator('.formula.block .katex').waitFor()
  expect(await thread.locator('code', { hasText: '$not math$' }).count()).toBe(1)
  const link = thread.getByRole('link', { name: 'https://example.org/page' })
  expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
    '_blank',
    expect.stringContaining('noopener'),
  ])
  expect(await thread.getByRole('link').count()).toBe(1)
  expect(await thread.locator('img').count()).toBe(0)
  await thread.getByText('\\def\\a{xxxx').waitFor()
  await expectFlawless(page)
  expect(outside).toEqual([])
  expect(problems).toEqual([])
  await context.close()
})

/** Every accent, arrow and brace of KaTeX, and what else it draws by lines and pictures. */
const FORMULAS = [
  ...`acute grave ddot tilde bar breve check hat vec dot mathring widecheck widehat widetilde overrightarrow
    overleftarrow Overrightarrow overleftrightarrow overgroup overlinesegment overleftharpoon overrightharpoon
    underleftarrow underrightarrow underleftrightarrow undergroup underlinesegment utilde overbrace underbrace
    overbracket underbracket overline underline sqrt boxed cancel bcancel xcancel sout phase angl xleftarrow
    xrightarrow xLeftarrow xRightarrow xleftrightarrow xLeftrightarrow xhookleftarrow xhookrightarrow xmapsto
    xrightharpoondown xrightharpoonup xleftharpoondown xleftharpoonup xrightleftharpoons xleftrightharpoons
    xlongequal xtwoheadrightarrow xtwoheadleftarrow xtofrom`
    .split(/\s+/)
    .flatMap((name) => [`\\${name}{F}`, `\\${name}{ABCDEFGH}`]),
  ...["'", '`', '^', '~', '=', 'u ', '.', '"', 'c ', 'r ', 'H ', 'v ', 'textcircled '].map(
    (name) => `\\text{\\${name}a}`,
  ),
  ...String.raw`( [ \{ \lfloor \lceil | \| \langle / \backslash \uparrow \downarrow \updownarrow \Uparrow \Downarrow \Updownarrow
    \lgroup \rgroup \lmoustache \rmoustache`
    .split(/\s+/)
    .map((name) => String.raw`\left${name}\rule{1em}{9em}\right.`),
  String.raw`\oiint`,
  String.raw`\oiiint`,
  String.raw`\textstyle\oiint`,
  String.raw`\textstyle\oiiint`,
  String.raw`\sqrt[3]{\rule{1em}{9em}}`,
  String.raw`\pmb{x}`,
  String.raw`\begin{CD} A @>a>> B \\ @VbVV @AcAA \\ C @<d<< D @= E \end{CD}`,
]

/** Where each part of each formula stands, in pixels from the formula's own corner. */
async function placesOf(page: Page): Promise<number[][][]> {
  await page.evaluate('document.fonts.ready.then(() => {})')
  return page.locator('.formula').evaluateAll((formulas) =>
    formulas.map((formula) => {
      const corner = formula.getBoundingClientRect()
      return [...formula.querySelectorAll('.katex-html *')].map((part) => {
        const { x, y, width, height } = part.getBoundingClientRect()
        return [x - corner.x, y - corner.y, width, height].map(Math.round)
      })
    }),
  )
}

test('each accent, arrow and brace stands where KaTeX draws it without a security policy', async () => {
  const person = await service.person()
  const { examId, questionIds } = await createExam(service.sql)
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  for (const half of [FORMULAS.slice(0, 80), FORMULAS.slice(80)]) {
    const message = half.map((source) => `$$${source}$$`).join('\n\n')
    await person.post(`/api/v01/discussions/${questionIds[0] ?? 0}`, { message }, 201)
  }
  const open = async (options: object) => {
    const opened = await openFor(browser, person, options)
    await opened.page.goto(`/desk/results/${attempt_id}`)
    await opened.page.getByRole('button', { name: 'Discussion' }).click()
    await expect.poll(() => opened.page.locator('.formula .katex').count()).toBe(FORMULAS.length)
    return opened
  }
  const free = await open({ bypassCSP: true })
  const markup = FORMULAS.map((source) =>
    katex.renderToString(source, { ...KATEX_OPTIONS, displayMode: true }),
  )
  await free.page.locator('.formula').evaluateAll((formulas, each) => {
    for (const [index, formula] of formulas.entries()) formula.innerHTML = each[index] ?? ''
  }, markup)
  const wanted = await placesOf(free.page)
  await free.context.close()

  const { page, context, problems } = await open({})
  const seen = await placesOf(page)
  for (const [index, source] of FORMULAS.entries()) expect(seen[index], source).toEqual(wanted[index])
  expect(await page.locator('.formula [data-style]').count()).toBe(0)
  expect(problems).toEqual([])
  await context.close()
}, 120_000)

/** Formulas that draw far from their place, or over much. */
const HOSTILE = [
  String.raw`\rlap{\kern-20em\raisebox{-5em}{\colorbox{red}{\rule{20em}{9em}}}}`,
  String.raw`\rlap{\raisebox{-10em}{\rule{20em}{20em}}}`,
  String.raw`\llap{\rule{20em}{1em}}`,
  String.raw`\kern-20em\kern-20em\smash{\rule{20em}{20em}}`,
  String.raw`\kern20em\kern-20em\mathclap{\rule[-10em]{20em}{20em}}`,
  String.raw`\smash{\raisebox{15em}{\colorbox{red}{\text{Your session expired}}}}`,
  String.raw`\mathrlap{\rule{20em}{1em}\rule{20em}{1em}\rule{20em}{1em}\rule{20em}{1em}\rule{20em}{1em}}`,
  String.raw`\rule{20em}{1em}\rule{20em}{1em}\rule{20em}{1em}\rule{20em}{1em}\rule{20em}{1em}\rule{20em}{1em}`,
  String.raw`\overset{\smash{\raisebox{20em}{\rule{20em}{20em}}}}{x}`,
]

/** As people write within a sentence. */
const ORDINARY = [
  // Diagrams are drawn in a paragraph of their own alone.
  ...FORMULAS.filter((source) => !source.includes('{CD}')),
  ...String.raw`x^2 \frac{a}{b} \dfrac{a^2}{\frac{b}{c}} \int_0^1f\,dx \displaystyle\int_0^\infty\!e^{-x}dx \sum_{i=1}^n \displaystyle\sum_{i=1}^n
    \vec{F}\cdot\hat{n} \not= \oint \displaystyle\prod_{k=1}^n f' jfgQ \sqrt{\frac{jy}{Q}} \mathcal{F} \widehat{ABCDEF} \lim_{x\to0} {}^{14}_6C A^{B^{C^{D}}} \Large{f}
    \begin{pmatrix}a&b\\c&d\end{pmatrix} \left(\frac{\frac{a}{b}}{c}\right)^2 \ddot{\vec{x}} \overset{!}{=} \underset{x}{\max} \boxed{x=\frac12} \xrightarrow[below]{above}`.split(
    /\s+/,
  ),
]

test('no formula draws, or takes clicks, outside of its paragraph, and what is ordinary is not cut off', async () => {
  const person = await service.person()
  const { examId, questionIds } = await createExam(service.sql)
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { attempt_id } = (await person.post(`/api/v01/exams/${examId}/submit`, {}, 200)).body
  const say = (message: string) =>
    person.post(`/api/v01/discussions/${questionIds[0] ?? 0}`, { message }, 201)
  await say('Nothing but text.')
  const { page, context, problems } = await openFor(browser, person)
  const show = async (count: number) => {
    await page.goto(`/desk/results/${attempt_id}`)
    await page.getByRole('button', { name: 'Discussion' }).click()
    await page.getByText('Nothing but text.').waitFor()
    await expect.poll(() => page.locator('.rich .formula .katex').count()).toBe(count)
    await page.evaluate('document.fonts.ready.then(() => {})')
  }

  await say(HOSTILE.map((source) => `Before $${source}$ after.`).join('\n\n'))
  await show(HOSTILE.length)
  const paragraphs = page.locator('.rich p', { has: page.locator('.formula') })
  expect(await paragraphs.count()).toBe(HOSTILE.length)
  for (const [index, source] of HOSTILE.entries()) {
    const paragraph = paragraphs.nth(index)
    const taken = await paragraph.evaluate((element) => {
      element.scrollIntoView({ block: 'center' })
      const { left, top, right, bottom } = element.getBoundingClientRect()
      const found: string[] = []
      for (let x = 2; x < 1280; x += 8)
        for (let y = 2; y < 720; y += 8) {
          const isInside = x > left - 8 && x < right + 8 && y > top - 8 && y < bottom + 8
          if (!isInside && element.contains(element.ownerDocument.elementFromPoint(x, y)))
            found.push(`${x} ${y}`)
        }
      return found
    })
    expect(taken, source).toEqual([])
    // What is seen around it must not depend on it.
    const cover = await paragraph.evaluateHandle((element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      const { ownerDocument: page } = element
      const made = page.body.appendChild(page.createElement('div'))
      made.style.cssText = `position: fixed; z-index: 99; background: #000; left: ${left - 8}px; top: ${top - 8}px; width: ${width + 16}px; height: ${height + 16}px`
      return made
    })
    const drawn = await page.screenshot()
    await paragraph.evaluate((element) => {
      element.style.visibility = 'hidden'
    })
    const without = await page.screenshot()
    await paragraph.evaluate((element) => {
      element.style.visibility = ''
    })
    await cover.evaluate((made) => made.remove())
    expect(drawn.equals(without), source).toBe(true)
  }

  for (let from = 0; from < ORDINARY.length; from += 40)
    await say(
      ORDINARY.slice(from, from + 40)
        .map((source) => `So \\(${source}\\) holds.`)
        .join('\n\n'),
    )
  await show(HOSTILE.length + ORDINARY.length)
  const ordinary = page.locator('.rich p', { hasText: 'holds.', has: page.locator('.formula') })
  expect(await ordinary.count()).toBe(ORDINARY.length)
  expect(await ordinary.locator('.formula.wide').count()).toBe(0)
  const comments = page.locator('.rich', { hasText: 'holds.' })
  expect(await comments.count()).toBe(Math.ceil(ORDINARY.length / 40))
  for (const comment of await comments.all()) {
    const clipped = await comment.screenshot()
    await comment.evaluate((element) => {
      for (const formula of element.querySelectorAll<HTMLElement>('.formula'))
        formula.style.overflow = 'visible'
    })
    expect(clipped.equals(await comment.screenshot()), (await comment.innerText()).slice(0, 80)).toBe(true)
  }
  expect(problems).toEqual([])
  await context.close()
}, 240_000)

test('the image of a question stands where its text names it, with what the text says that it shows', async () => {
  const person = await service.person()
  const key = 'exam-1/lens.png'
  const { examId } = await createExam(service.sql, {
    questions: [
      {
        question_text: `Look at ![a thin lens](${key}) first, not at ![this](exam-1/other.png)`,
        image_path: key,
      },
      { question_text: 'Look below', image_path: key },
    ],
  })
  await person.post(`/api/v01/exams/${examId}/start`, {}, 201)
  const { page, context, problems } = await openFor(browser, person)
  await page.goto(`/desk/exams/${examId}`)
  await page.getByRole('img', { name: 'a thin lens' }).waitFor()
  expect(await page.locator('main img').count()).toBe(1)
  await page.getByText('![this](exam-1/other.png)').waitFor()
  await page.keyboard.press('n')
  await page.getByText('Look below').waitFor()
  await page.getByRole('img', { name: 'Part of the question' }).waitFor()
  expect(problems).toEqual([])
  await context.close()
})
