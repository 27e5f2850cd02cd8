import { hash } from 'node:crypto'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files: they run first, so that the others don't have to wait for them at the end. */
const LONGEST = [
  'test/gateway/convergence',
  'test/features/push',
  'test/features/questions.import',
  'test/http/documents',
  'test/database-away',
  'test/bad-input',
  'test/features/auth.oidc-sessions',
  'test/features/account.',
  'test/features/classes.matrix',
  'test/legacy/legacy-generation',
  'test/nodes/several',
  'test/features/practice.replay',
  'test/features/generation.standing',
  'client/test/chat.test',
  'client/test/model',
  'test/gateway/resume',
  'test/fuzz',
  'test/features/analytics.',
  'test/features/timing',
  'test/features/regrades',
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
 * Orders the files for a fresh checkout too: without earlier runs vitest orders them by size.
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
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

/** Files of one project stay together, since each project has its own workers. */
function rank({ project, moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.includes(`/${name}`))
  const projects = ['quick', 'heavy', 'timed']
  return projects.indexOf(project.name) * (LONGEST.length + 1) + (place === -1 ? LONGEST.length : place)
}
