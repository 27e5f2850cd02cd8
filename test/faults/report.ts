import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import path from 'node:path'
import type { Row } from './show.ts'

const FILE = path.resolve('docs/faults.md')
const HEAD = ['| fault | acknowledged | lost | doubled | serving again after |', '|---|---:|---:|---:|---:|']
/** The text behind the table is written by hand and begins here. */
const BEHIND = '\nOne of these faults runs'

export function tableOf(rows: Row[]): string {
  return [...HEAD, ...rows.map(lineOf)].join('\n')
}

function lineOf({ fault, note, acknowledged, lost, doubled, seconds }: Row): string {
  const name = note ? `${fault}: ${note}` : fault
  return `| ${name} | ${acknowledged.toLocaleString('en')} | ${lost} | ${doubled} | ${seconds.toFixed(1)} s |`
}

/** Replaces the rows of these faults. The others stay, since `-t` may have run only some. */
export async function writeReport(rows: Row[]): Promise<void> {
  const before = await readFile(FILE, 'utf8')
  const table = before.slice(0, before.indexOf(BEHIND))
  const lines = table.split('\n').filter((line) => line.startsWith('| ') && line !== HEAD[0])
  for (const row of rows) {
    const at = lines.findIndex((line) => [' ', ':'].some((end) => line.startsWith(`| ${row.fault}${end}`)))
    lines.splice(at < 0 ? lines.length : at, at < 0 ? 0 : 1, lineOf(row))
  }
  const [cpu] = cpus()
  await writeFile(
    FILE,
    `# Faults

What \`npm run test:faults\` printed: two nodes, a PostgreSQL and a Redis, each a process of its own, on a machine with ${cpus().length} cores
(${cpu?.model.trim()}).

Ten people send messages, save answers of an exam and hand in quizzes without a pause, at either node. What isn't answered they repeat, as a
client does. Then something happens. *Acknowledged* counts what they were told was done, *lost* how much of that is missing afterwards, and
*doubled* how much is there twice. The last column is the time from the end of the fault until both nodes serve everything again. Whatever
the fault, the only failures that anybody gets are 503 \`unavailable\` and \`draining\`.

${[...HEAD, ...lines].join('\n')}
${before.slice(before.indexOf(BEHIND))}`,
  )
}
