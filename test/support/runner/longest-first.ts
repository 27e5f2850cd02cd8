import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files of the other projects, in their order. */
const LONGEST = [
  'test/gateway/convergence',
  'test/http/documents',
  'test/database-away',
  'test/features/account.',
  'test/features/practice.replay',
  'client/test/model',
  'test/image',
  'test/process',
  'test/features/backup',
  'client/test/browser/exam-walks',
  'test/desk/views',
  'test/desk/languages',
  'test/desk/chat-features',
  'test/db/address',
  'test/desk/',
  'test/nodes/',
  'test/faults/',
  'test/cli',
  'test/features/questions.exchange-hostile',
  'client/test/browser/',
  'test/db/embedded/',
]

/**
 * The slowest files run first, so that the others don't have to wait for them at the end: of the quick ones those with
 * a test that says why it is costly (`costs.ts`). Without earlier runs, as in a fresh checkout, vitest orders by size.
 * With `--sequence.shuffle` the seed orders them, as it orders the tests within each.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    if (sequence.shuffle) {
      const lot = ({ moduleId }: TestSpecification) =>
        hash('sha256', `${sequence.seed} ${moduleId.slice(root.length)}`)
      return files.toSorted((one, other) => lot(one).localeCompare(lot(other)))
    }
    const ranks = new Map(files.map((file) => [file, rank(file)]))
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0))
  }
}

/** Files of one project stay together, since each project has its own workers. */
function rank({ project, moduleId }: TestSpecification): number {
  const projects = ['quick', 'browsers', 'heavy', 'timed']
  const place =
    project.name === 'quick'
      ? Number(!readFileSync(moduleId, 'utf8').includes('costly:'))
      : LONGEST.findIndex((name) => moduleId.includes(`/${name}`))
  return projects.indexOf(project.name) * (LONGEST.length + 1) + (place === -1 ? LONGEST.length : place)
}
