import type { Member } from './use-members.ts'

/** People whom one message may mention. */
const MOST_MENTIONS = 50
const MOST_SUGGESTED = 6

/** Letters that stand directly before the next word. */
const WITHOUT_BLANKS = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Yiii}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]`
/** Behind other letters and digits it is an e-mail address. */
const AT = String.raw`(?<!(?!${WITHOUT_BLANKS})[\p{L}\p{N}]|@)@`
const MENTION = new RegExp(`${AT}([A-Za-z0-9_.-]+)`, 'gu')
const BEGINNING = new RegExp(String.raw`${AT}([\p{L}\p{N}_.-]*)$`, 'u')

/** Blocks and pieces of code, links with their words, and addresses. */
const LITERAL =
  /^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n(?! {0,3}\1)[^\n]*)*(?:\n {0,3}\1[^\n]*)?|(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\2(?!`)|!?\[[^\]]*\]\([^)]*\)|(?:https?:\/\/|mailto:)\S+/gim

/** A text with blanks in place of what mentions nobody, at the same places. */
const withoutLiterals = (text: string) => text.replace(LITERAL, (literal) => ' '.repeat(literal.length))

/** The ids of members whose usernames stand in a text behind an `@`. */
export function mentionsIn(text: string, members: readonly Member[]): number[] {
  const ids = new Map(members.map(({ id, username }) => [username.toLowerCase(), id]))
  const found = [...withoutLiterals(text).matchAll(MENTION)].flatMap(([, name = '']) => {
    let given = name.toLowerCase()
    // A full stop after it ends the sentence, and an underscore the emphasis, unless the name has them.
    while (!ids.has(given) && /[._-]$/.test(given)) given = given.slice(0, -1)
    return ids.get(given) ?? []
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
  const name = BEGINNING.exec(withoutLiterals(text).slice(0, caret))?.[1]
  return name === undefined ? undefined : { start: caret - name.length, name }
}

/** Members whose username, or a part of whose name, begins so. */
export function suggest(name: string, members: readonly Member[]): Member[] {
  const lower = name.toLowerCase()
  const isMeant = ({ username, full_name }: Member) =>
    [username, ...full_name.split(/\s+/)].some((each) => each.toLowerCase().startsWith(lower))
  return members.filter(isMeant).slice(0, MOST_SUGGESTED)
}
