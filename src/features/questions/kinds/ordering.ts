import type { OrderingParts } from '../../../../schemas/parts.schemas.ts'
import type { Kind, Task } from './kind.ts'
import { isBlank, remembering } from './kind.ts'
import { opaqueIds, withIds } from './opaque-ids.ts'
import { areSame, PartsError, readList, readObject, readPartText } from './parts.ts'

const ITEMS = [2, 20] as const

/** Items that have to be put into their order. A stored answer has the items' places in alphabetical order. */
export const ordering: Kind = {
  readKey({ parts }) {
    try {
      const { items } = readObject(parts)
      return { correct_answer: '', parts: { items: readList(items, 'items', ITEMS, readPartText) } }
    } catch (error) {
      if (error instanceof PartsError) return { field: 'parts', error: error.message }
      throw error
    }
  },
  show: (task, seed) => ({ items: withIds(seed, String(task.id), sortedItems(task)) }),
  letters: () => null,
  readAnswer(task, given, seed) {
    const ids = idsOf(task, seed)
    if (!Array.isArray(given) || given.length !== ids.length) return undefined
    const places = given.map((id) => ids.indexOf(id))
    return places.includes(-1) || new Set(places).size < places.length ? undefined : places.map(String)
  },
  showAnswer(task, answer, seed) {
    const ids = idsOf(task, seed)
    return Array.from(answer, (place) => ids[Number(place)] ?? '')
  },
  rightAnswer(task) {
    const left = sortedItems(task).map((text, place) => ({ text, place }))
    return itemsOf(task).map((item) => {
      const at = left.findIndex(({ text }) => text === item)
      return String(left.splice(at, 1)[0]?.place)
    })
  },
  compile(task, scoring) {
    const rightPlaces = compileOrder(task)
    const denominator = BigInt(itemsOf(task).length)
    const judge = remembering((answer) => {
      const right = BigInt(rightPlaces(answer).length)
      return right === denominator || scoring === 'partial' ? right : 0n
    })
    return { denominator, judge: (answer) => (isBlank(answer) ? undefined : judge(answer)) }
  },
  isAnswered: (_task, answer) => !isBlank(answer),
  isSameTask: (one, other) => areSame(sortedItems(one), sortedItems(other)),
  guess: () => 0,
  counter(task) {
    const rightPlaces = compileOrder(task)
    return { count: (answer) => ({ right: rightPlaces(answer) }), shared: itemsOf(task) }
  },
}

/** The places at which an answer has the right text: equal items are interchangeable. */
function compileOrder(task: Task): (answer: string | string[]) => number[] {
  const sorted = sortedItems(task)
  const wanted = itemsOf(task)
  return (answer) => wanted.flatMap((text, index) => (sorted[Number(answer[index])] === text ? [index] : []))
}

export function itemsOf({ id, parts }: Pick<Task, 'id' | 'parts'>): OrderingParts['items'] {
  if (parts === null || !('items' in parts)) throw new Error(`question ${id} has no items`)
  return parts.items
}

function sortedItems(task: Task): string[] {
  return itemsOf(task).toSorted()
}

function idsOf(task: Task, seed: string): string[] {
  return opaqueIds(seed, String(task.id), itemsOf(task).length)
}
