import type { MatchingParts } from '../../../../schemas/parts.schemas.ts'
import type { StoredAnswer } from '../../../db/tables/attempts.tables.ts'
import type { Kind, Task } from './kind.ts'
import { remembering } from './kind.ts'
import { opaqueIds, withIds } from './opaque-ids.ts'
import { areSame, inPlainOrder, PartsError, readList, readObject, readPartText } from './parts.ts'

const PAIRS = [2, 20] as const
const DISTRACTORS = [0, 10] as const

/** Prompts that each have a match among choices. A stored answer has for each prompt the place of a choice. */
export const matching: Kind = {
  readKey({ parts }) {
    try {
      return { correct_answer: '', parts: readParts(parts) }
    } catch (error) {
      if (error instanceof PartsError) return { field: 'parts', error: error.message }
      throw error
    }
  },
  show(task, seed) {
    const { pairs } = pairsOf(task)
    return {
      prompts: pairs.map(({ prompt }) => prompt),
      choices: withIds(seed, String(task.id), choicesOf(task)),
    }
  },
  letters: () => null,
  readAnswer(task, given, seed) {
    if (!Array.isArray(given) || given.length !== pairsOf(task).pairs.length) return undefined
    const ids = idsOf(task, seed)
    const places = given.map((id) => (id === '' ? '' : ids.indexOf(id)))
    return places.includes(-1) ? undefined : places.map(String)
  },
  showAnswer(task, answer, seed) {
    const ids = idsOf(task, seed)
    return Array.from(answer, (place) => (place === '' ? '' : (ids[Number(place)] ?? '')))
  },
  rightAnswer: rightPlaces,
  compile(task, scoring) {
    const wanted = rightPlaces(task)
    const denominator = BigInt(wanted.length)
    const judge = remembering((answer) => {
      if (!isAnyGiven(answer)) return null
      const right = BigInt(wanted.filter((place, index) => answer[index] === place).length)
      return right === denominator || scoring === 'partial' ? right : 0n
    })
    return {
      denominator,
      judge: (answer) => (answer === undefined ? undefined : (judge(answer) ?? undefined)),
    }
  },
  isAnswered: (_task, answer) => isAnyGiven(answer),
  isSameTask: (one, other) =>
    areSame(promptsOf(one), promptsOf(other)) && areSame(choicesOf(one), choicesOf(other)),
  guess: () => 0,
  counter(task) {
    const wanted = rightPlaces(task)
    return {
      count: (answer) => ({
        right: wanted.flatMap((place, index) => (answer[index] === place ? [index] : [])),
      }),
      shared: promptsOf(task),
    }
  },
}

function readParts(given: unknown): MatchingParts {
  const { pairs, distractors } = readObject(given)
  const read = {
    pairs: readList(pairs, 'pairs', PAIRS, (entry, name) => {
      const { prompt, match } = readObject(entry, name)
      return { prompt: readPartText(prompt, `${name}.prompt`), match: readPartText(match, `${name}.match`) }
    }),
    distractors: readList(distractors ?? [], 'distractors', DISTRACTORS, readPartText),
  }
  const prompts = read.pairs.map(({ prompt }) => prompt)
  const twice = prompts.findIndex((prompt, index) => prompts.indexOf(prompt) !== index)
  if (twice >= 0) throw new PartsError(`pairs[${twice}].prompt is the same as an earlier one`)
  return read
}

export function pairsOf({ id, parts }: Pick<Task, 'id' | 'parts'>): MatchingParts {
  if (parts === null || !('pairs' in parts)) throw new Error(`question ${id} has no pairs`)
  return parts
}

function rightPlaces(task: Task): string[] {
  const choices = choicesOf(task)
  return pairsOf(task).pairs.map(({ match }) => String(choices.indexOf(match)))
}

function isAnyGiven(answer: StoredAnswer): boolean {
  return Array.isArray(answer) && answer.some((place) => place !== '')
}

function promptsOf(task: Task): string[] {
  return pairsOf(task).pairs.map(({ prompt }) => prompt)
}

/** Equal texts are one choice. */
function choicesOf(task: Task): string[] {
  const { pairs, distractors } = pairsOf(task)
  return inPlainOrder([...pairs.map(({ match }) => match), ...distractors])
}

function idsOf(task: Task, seed: string): string[] {
  return opaqueIds(seed, String(task.id), choicesOf(task).length)
}
