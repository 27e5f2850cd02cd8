/** Characters that no text may have, so that no converter of texts takes one for something else. */
const OPEN = '\ufdd0'
const CLOSE = '\ufdd1'
const ZERO = 0xfdd2
const MARK = /\ufdd0([\ufdd2-\ufddb]+)\ufdd1/g

/** Stand for places of values in a text while it becomes another format's, and are replaced at the end. */
export class Marks<T> {
  readonly #marked: T[] = []

  /** What stands in the text for it. */
  mark(value: T): string {
    this.#marked.push(value)
    const digits = [...String(this.#marked.length - 1)].map((digit) => ZERO + Number(digit))
    return OPEN + String.fromCharCode(...digits) + CLOSE
  }

  replace(text: string, write: (value: T) => string): string {
    return text.replace(MARK, (mark, digits: string) => {
      const index = [...digits].map((digit) => digit.charCodeAt(0) - ZERO).join('')
      const value = this.#marked[Number(index)]
      return value === undefined ? mark : write(value)
    })
  }
}

/** A question, or a part of one, with all of its texts written anew. */
export function mapTexts<T>(value: T, write: (text: string) => string): T {
  if (typeof value === 'string') return write(value) as T
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, write)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, write)])) as T
}
