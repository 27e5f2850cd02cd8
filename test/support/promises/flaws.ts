import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The parts of a page that tests use. Declared here, since tests are checked without the types of browsers. */
interface Markup {
  getAnimations(): { finished: Promise<unknown> }[]
  querySelectorAll(selector: string): Iterable<{ outerHTML: string }>
}

/** Flaws that can differ between the themes. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']
const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Flaws that axe finds in the page as it is now, in both themes, and elements that only a user's markup could have
 * made. Leaves the page in the light theme.
 */
export async function findFlaws(page: Page): Promise<string[]> {
  const dark = await inTheme(page, 'dark', { type: 'rule', values: OF_COLOURS })
  return [...dark, ...(await inTheme(page, 'light', { type: 'tag', values: ALL }))]
}

async function inTheme(page: Page, colorScheme: 'light' | 'dark', runOnly: object): Promise<string[]> {
  await page.emulateMedia({ colorScheme })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const flaws = await page.evaluate(async (runOnly) => {
    const { axe: checker, document } = globalThis as unknown as {
      document: Markup
      axe: {
        run: (
          what: Markup,
          how: object,
        ) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
    }
    // During a transition, colours would be measured halfway between old and new.
    await Promise.all(document.getAnimations().map(({ finished }) => finished))
    const { violations } = await checker.run(document, { runOnly, resultTypes: ['violations'] })
    const markup = document.querySelectorAll(
      'img[src="x"], script:not([src]), a[href^="javascript" i], .evil, [onerror], [onload]',
    )
    return [
      ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      ...[...markup].map(({ outerHTML }) => `runs: ${outerHTML}`),
    ]
  }, runOnly)
  return flaws.map((flaw) => `${flaw} (${colorScheme})`)
}

/** Fails if the page has a flaw now, in one of the themes. */
export async function expectFlawless(page: Page): Promise<void> {
  expect(await findFlaws(page), page.url()).toEqual([])
}
