import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const CODE = ['src', 'schemas', 'test', 'client', 'desk', 'bench', 'scripts', 'examples', 'packages'].map(
  (folder) => `${folder}/**/*.{ts,tsx,css,svelte}`,
)

const DOCUMENTS = ['*.md', '.github/*.md', '{docs,client,languages,deploy,packages}/**/*.md']

/** A citation in a comment, such as `docs/protocol/realtime.md#order`. */
const CITATION = /[\w./-]*\w\.md(?:#[\w-]+)?/g
/** Citations that don't say where to look. Only RFCs are cited by paragraph: RFC 6455 §5.2. */
const NOWHERE = /(?<!RFC \d+ )§|\bcontract\/|\(contract\b|\bspecification\b/i
/** `[text](target)` in Markdown, targets of this repository alone. */
const LINK = /\]\((?!\w+:)([^)\s]+)\)/g
/** Longer lines of a document can't be read beside others, nor changes of them in a review. */
const MAX_COLUMNS = 140

async function readAll(patterns: string[]): Promise<[file: string, text: string][]> {
  const files: [string, string][] = []
  const exclude = (name: string) => /(^|\/)(node_modules|generated|dist)$/.test(name)
  for await (const file of glob(patterns, { cwd: root, exclude }))
    files.push([file.replaceAll('\\', '/'), await readFile(path.join(root, file), 'utf8')])
  return files
}

/** The anchors of a file's headings, as GitHub makes them; undefined where there is no such file. */
async function anchorsOf(file: string): Promise<Set<string> | undefined> {
  const text = await readFile(path.join(root, file), 'utf8').catch(() => undefined)
  const headings = text?.matchAll(/^#{1,6} (.+)$/gm)
  return headings && new Set([...headings].map(([, heading = '']) => anchorOf(heading)))
}

function anchorOf(heading: string): string {
  const letters = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '')
  return letters.replaceAll(' ', '-')
}

/** What is wrong with a target; undefined if it exists. */
async function findProblem(target: string): Promise<string | undefined> {
  const [file = '', anchor] = target.split('#')
  const anchors = await anchorsOf(file)
  if (!anchors) return `${file} is not there`
  return anchor === undefined || anchors.has(anchor) ? undefined : `${file} has no heading #${anchor}`
}

test('comments cite headings that exist', async () => {
  const problems: string[] = []
  let cited = 0
  for (const [file, text] of await readAll(CODE)) {
    if (file === 'test/citations.test.ts') continue
    for (const [citation] of text.matchAll(CITATION)) {
      cited += 1
      const problem = await findProblem(citation)
      if (problem) problems.push(`${file}: ${problem}`)
    }
    for (const [index, line] of text.split('\n').entries())
      if (NOWHERE.test(line)) problems.push(`${file}:${index + 1}: ${line.trim()}`)
  }
  expect(cited).toBeGreaterThan(20)
  expect(problems).toEqual([])
})

test('links between the documents lead to headings that exist', async () => {
  const problems: string[] = []
  const documents = await readAll(DOCUMENTS)
  expect(documents.length).toBeGreaterThan(10)
  for (const [file, text] of documents)
    for (const [, link = ''] of text.matchAll(LINK)) {
      const target = link.startsWith('#') ? file + link : path.posix.join(path.posix.dirname(file), link)
      const isDocument = /\.md(#|$)/.test(target)
      const problem = isDocument ? await findProblem(target) : await findMissing(target)
      if (problem) problems.push(`${file}: ${problem}`)
    }
  expect(problems).toEqual([])
})

async function findMissing(target: string): Promise<string | undefined> {
  for await (const _ of glob(target, { cwd: root })) return undefined
  return `${target} is not there`
}

test('no line of a document is longer than 140 characters, tables included', async () => {
  const problems: string[] = []
  for (const [file, text] of await readAll(DOCUMENTS))
    for (const { number, columns } of findLongLines(text))
      problems.push(`${file}:${number} has ${columns} characters: break it, or make its cells shorter`)
  expect(problems).toEqual([])
})

/** Blocks of code stay as they are typed or printed, and addresses can't be broken. */
function findLongLines(text: string): { number: number; columns: number }[] {
  let isCode = false
  return text.split('\n').flatMap((line, index) => {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) isCode = !isCode
    const columns = line.replaceAll(/https?:\S+/g, '').length
    return isCode || isFence || columns <= MAX_COLUMNS ? [] : [{ number: index + 1, columns: line.length }]
  })
}

test('the checks find broken and vague citations', async () => {
  expect(await findProblem('docs/protocol/realtime.md#order')).toBeUndefined()
  expect(await findProblem('docs/protocol/realtime.md#ordre')).toContain('no heading')
  expect(await findProblem('realtime.md')).toContain('not there')
  for (const line of ['(contract §4)', 'contract/http.md', '(specification: Limits)', 'see §3'])
    expect(line).toMatch(NOWHERE)
  expect('RFC 6455 §5.2, unmasked').not.toMatch(NOWHERE)
})

test('the check of lines counts tables, and leaves out code and addresses', () => {
  const long = 'word '.repeat(30)
  expect(findLongLines(`short\n| ${long}|\n`)).toEqual([{ number: 2, columns: 153 }])
  expect(findLongLines(`\`\`\`sh\n${long}\n\`\`\`\nhttps://example.org/${'x'.repeat(150)}`)).toEqual([])
})
