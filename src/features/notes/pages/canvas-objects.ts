import type { CanvasObject } from '../../../../schemas/notes.ts'
import { invalidField } from '../../../errors.ts'

/** Bytes of one object as JSON. */
const LARGEST = 65_536
const DEEPEST = 32

export interface WrittenObject {
  objectId: string
  /** The object as JSON. */
  data: string
}

/** The objects as they are stored; 400 names the first one that can't be stored. */
export function writeObjects(objects: readonly CanvasObject[]): WrittenObject[] {
  const ids = new Set<string>()
  return objects.map((object, index) => {
    const refuse = (message: string) => invalidField(`/objects/${index}`, message)
    if (ids.has(object.id)) throw refuse('has the id of another object')
    ids.add(object.id)
    const problem = findProblem(object)
    if (problem !== undefined) throw refuse(problem)
    const data = JSON.stringify(object)
    if (Buffer.byteLength(data) > LARGEST) throw refuse(`is larger than ${LARGEST / 1_024} KB`)
    return { objectId: object.id, data }
  })
}

/** Checks what a schema of free-form JSON can't: the depth, and values that would not come back unchanged. */
function findProblem(object: CanvasObject): string | undefined {
  const open: [value: unknown, depth: number][] = [[object, 1]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
      return 'holds text that cannot be stored'
    if (typeof value === 'number' && !Number.isFinite(value)) return 'holds a number out of range'
    if (typeof value !== 'object' || value === null) continue
    if (depth > DEEPEST) return `is nested deeper than ${DEEPEST} levels`
    for (const [name, inner] of Object.entries(value)) open.push([name, depth], [inner, depth + 1])
  }
  return undefined
}
