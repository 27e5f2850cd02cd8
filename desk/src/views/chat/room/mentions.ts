import type { Member } from './use-members.ts'

/** People whom one message may mention. */
const MOST_MENTIONS = 50
const MOST_SUGGESTED = 6

const MENTION = /(?<![\p{L}\p{N}_@.-])@([A-Za-z0-9_.-]+)/gu
const BEGINNING = /(?:^|[^\p{L}\p{N}_@.-])@([\p{L}\p{N}_.-]*)$/u

/** The ids of members whose usernames stand in a text behind an `@`. */
export function mentionsIn(text: string, members: readonly Member[]): number[] {
  const ids = new Map(members.map(({ id, username }) => [username.toLowerCase(), id]))
  const found = [...text.matchAll(MENTION)].flatMap(([, name = '']) => {
    const lower = name.toLowerCase()
    // A full stop after it ends the sentence, unless the name has one.
    return ids.get(lower) ?? ids.get(lower.replace(/[.-]+$/, '')) ?? []
  })
  return [...new Set(found)].slice(0, MOST_MENTIONS)
}

/** What somebody is typing behind an `@` at this place of a text. */
export interface MentionBeginning {
  /** Where the name begins, behind the `@`. */
  start: number
  name: string
}

export function mentionAt(text: string, caret: number): MentionBeginning | undefined {
  const name = BEGINNING.exec(text.slice(0, caret))?.[1]
  return name === undefined ? undefined : { start: caret - name.length, name }
}

/** Members whose username, or a part of whose name, begins so. */
export function suggest(name: string, members: readonly Member[]): Member[] {
  const lower = name.toLowerCase()
  const isMeant = ({ username, full_name }: Member) =>
    [username, ...full_name.split(/\s+/)].some((each) => each.toLowerCase().startsWith(lower))
  return members.filter(isMeant).slice(0, MOST_SUGGESTED)
}
