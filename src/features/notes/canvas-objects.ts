import type { CanvasObject } from '../../../schemas/notes.schemas.ts'
import { invalidField } from '../../errors.ts'

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
    // The size first: it is found fast, and bounds how long the rest takes.
    const data = JSON.stringify(object)
    if (Buffer.byteLength(data) > LARGEST) throw refuse(`is larger than ${LARGEST / 1_024} KB`)
    const problem = findProblem(object)
    if (problem !== undefined) throw refuse(problem)
    return { objectId: object.id, data }
  })
}

/**
 * Checks what a schema of free-form JSON can't: the depth, and values that would not come back unchanged. A megabyte of
 * objects can hold half a million values, so nothing is made for a value that holds no others.
 */
function findProblem(value: unknown, depth = 1): string | undefined {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed() ? 'holds text that cannot be stored' : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number out of range'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > DEEPEST) return `is nested deeper than ${DEEPEST} levels`
  if (Array.isArray(value)) {
    for (const inner of value) {
      const problem = findProblem(inner, depth + 1)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  for (const name in value) {
    const inner = (value as Record<string, unknown>)[name]
    const problem = findProblem(name) ?? findProblem(inner, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}
