import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

// Prints what took how long, what was retried, and, in the last line, how many tests there were.
const PARTS = ['browsers', 'external', 'embedded', 'heavy']
const LONGEST_FILES = 15
const [folder = '.'] = process.argv.slice(2)
const read = (name) =>
  existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name), 'utf8') : ''
// A part that was ended has no report: it counts as one failure.
const reports = PARTS.map((part) => ({ part, ...JSON.parse(read(`${part}.json`) || '{"numFailedTests":1}') }))

const files = reports.flatMap(({ part, testResults = [] }) =>
  testResults.map(({ name, startTime, endTime }) => ({
    seconds: Math.round((endTime - startTime) / 1_000),
    name: `${path.relative('.', name)} (${part})`,
  })),
)
const steps = read('times')
  .trim()
  .split('\n')
  .map((line) => ({ seconds: Number.parseInt(line, 10), name: line.replace(/^\d+ /, '') }))
print('seconds of each step:', steps)
print('seconds of the test files that took longest:', files.toSorted(bySeconds).slice(0, LONGEST_FILES))
for (const part of PARTS) {
  const [retried] = /^needed a second try:\n(?: .*\n?)+/m.exec(read(`${part}.log`)) ?? []
  if (retried) console.log(`\n${part} ${retried.trimEnd()}`)
}

const sum = (field) => reports.reduce((total, report) => total + (report[field] ?? 0), 0)
console.log(
  `\n${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed, ${sum('numPendingTests')} skipped`,
)

function bySeconds(one, other) {
  return other.seconds - one.seconds
}

function print(title, rows) {
  console.log(`\n${title}`)
  for (const { seconds, name } of rows) console.log(`${String(seconds).padStart(6)}  ${name}`)
}
