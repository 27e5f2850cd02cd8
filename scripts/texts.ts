/**
 * Brings the catalogues in `languages/` up to date with the texts of the sources: what is new is added without a
 * translation, what is said no more goes. With `--check` it changes nothing, and fails if there is anything to do.
 */
import { glob, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isPluralElement, type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { parseSync, Visitor } from 'vite'
import { findPageTexts, findTexts } from '../desk/texts.ts'
import { LANGUAGES } from '../schemas/languages.ts'
import { CATALOGUE } from '../src/errors.ts'

const ROOT = path.join(import.meta.dirname, '..')
const MOST_SHOWN = 40
/** Functions whose first argument is a text. */
const MARKS = new Set(['t', 'text'])

const faults: string[] = []
const texts = [
  ...new Set([
    ...(await readService()),
    ...(await readDesk()),
    ...Object.values(CATALOGUE).map(([, message]) => message),
  ]),
]
texts.sort((one, other) => (one < other ? -1 : 1))
const isCheck = process.argv.includes('--check')
for (const language of LANGUAGES) if (language !== 'en') await update(language)
if (faults.length > 0) {
  const more = faults.length > MOST_SHOWN ? `\n… and ${faults.length - MOST_SHOWN} more` : ''
  console.error(
    `${faults.slice(0, MOST_SHOWN).join('\n')}${more}\n\nRun \`npm run texts\`, then fill in what is empty in languages/ (CONTRIBUTING.md#texts).`,
  )
  process.exitCode = 1
}

async function readService(): Promise<string[]> {
  const found: string[] = []
  for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
    const code = await readFile(path.join(ROOT, file), 'utf8')
    const { program } = parseSync(file, code)
    new Visitor({
      CallExpression({ callee, arguments: [first] }) {
        if (callee.type !== 'Identifier' || !MARKS.has(callee.name)) return
        if (first?.type === 'Literal' && typeof first.value === 'string') found.push(first.value)
      },
    }).visit(program)
  }
  return found
}

async function readDesk(): Promise<string[]> {
  const found = findPageTexts(await readFile(path.join(ROOT, 'desk/index.html'), 'utf8'))
  for await (const file of glob('desk/src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const inFile = findTexts(file, await readFile(path.join(ROOT, file), 'utf8'))
    found.push(...inFile.places.map(({ message }) => message))
    faults.push(...inFile.faults)
  }
  return found
}

async function update(language: string): Promise<void> {
  const file = path.join(ROOT, 'languages', `${language}.json`)
  const before: Record<string, string> = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
  const after = Object.fromEntries(texts.map((text) => [text, before[text] ?? '']))
  for (const [text, translation] of Object.entries(after)) {
    const fault = translation === '' ? 'has no translation' : compare(text, translation)
    if (fault) faults.push(`languages/${language}.json: ${JSON.stringify(text)} ${fault}`)
  }
  const surplus = Object.keys(before).filter((text) => !(text in after))
  if (isCheck)
    faults.push(
      ...surplus.map((text) => `languages/${language}.json: ${JSON.stringify(text)} is said nowhere`),
    )
  else await writeFile(file, `${JSON.stringify(after, null, 2)}\n`)
}

/** What is wrong with a translation: it has other values or tags than its text, or is no ICU message. */
function compare(text: string, translation: string): string | undefined {
  try {
    const [wanted, given] = [text, translation].map((message) =>
      [...namesOf(parse(message))].sort().join(' '),
    )
    return wanted === given ? undefined : `has ${wanted || 'no values'}, its translation ${given || 'none'}`
  } catch (error) {
    return `has a translation that is no ICU message: ${(error as Error).message}`
  }
}

function namesOf(parts: MessageFormatElement[]): Set<string> {
  const names = new Set<string>()
  for (const part of parts) {
    if (part.type === TYPE.literal || part.type === TYPE.pound) continue
    names.add(part.type === TYPE.tag ? `<${part.value}>` : `{${part.value}}`)
    if (part.type === TYPE.tag) for (const name of namesOf(part.children)) names.add(name)
    if (isPluralElement(part) || part.type === TYPE.select)
      for (const { value } of Object.values(part.options)) for (const name of namesOf(value)) names.add(name)
  }
  return names
}
