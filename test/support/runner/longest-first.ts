import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that take longest, so that none of them is the last one to be waited for. */
const LONGEST = [
  'test/process',
  'test/gateway/convergence',
  'test/features/backup/',
  'test/db/address',
  'test/desk/',
  'test/nodes/',
  'test/faults/',
  'test/cli',
  'test/features/questions/exchange-hostile',
  'test/http/documents',
  'client/test/browser/',
  'test/db/embedded/',
  'test/http/requests',
  'test/legacy/generation.',
]

/** Nobody has run the tests before on a fresh checkout, where vitest would go by the size of files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

/** Those of a project stay together, as a project has workers of its own. */
function rank({ project, moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.includes(`/${name}`))
  const projects = ['apart', 'stored', 'timed']
  return projects.indexOf(project.name) * (LONGEST.length + 1) + (place === -1 ? LONGEST.length : place)
}
