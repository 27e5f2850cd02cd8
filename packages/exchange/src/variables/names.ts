import { isName, MOST_VARIABLES } from '@exam-practice/expressions'
import { Skip } from '../items.ts'

/** Characters of a name. */
const LONGEST = 16

/** A name for each variable of another tool, its own where that may be one. Throws `Skip` for too many. */
export function toNames(
  theirs: Iterable<string>,
  mayBe: (name: string) => boolean = isName,
): Map<string, string> {
  const all = new Set(theirs)
  if (all.size > MOST_VARIABLES) throw new Skip(`it has more than ${MOST_VARIABLES} variables`)
  const taken = new Set([...all].filter(mayBe))
  const names = new Map<string, string>()
  for (const their of all) {
    const stem = their.replace(/[^a-zA-Z0-9_]+/g, '_').replace(/^[^a-zA-Z]+/, '') || 'x'
    let name = mayBe(their) ? their : stem.slice(0, LONGEST)
    for (let number = 2; !mayBe(name) || (name !== their && taken.has(name)); number++)
      name = `${stem.slice(0, LONGEST - 1 - String(number).length)}_${number}`
    taken.add(name)
    names.set(their, name)
  }
  return names
}
