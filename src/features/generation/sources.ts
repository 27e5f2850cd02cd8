import type { QuestionSource } from '../../../schemas/generation.schemas.ts'
import { toPlain } from '../../formats/plain-text.ts'
import type { ReadText } from '../../formats/reading.ts'
import { toStorable } from '../../formats/storable.ts'

/** Code points of a quotation. */
const LONGEST_QUOTE = 300

/** The text of a PDF, to look quotations up in it. */
export class Pages {
  readonly #texts: readonly string[]
  readonly #plain: readonly string[]

  constructor({ texts, plain }: ReadText) {
    this.#texts = texts
    this.#plain = plain
  }

  /** '' without such a page. */
  textOf(page: number): string {
    return this.#texts[page - 1] ?? ''
  }

  /**
   * Where the quotation stands: on the page that is named, or else on the only other one that has it. null where the
   * model named no page of the file or nothing that could be looked up.
   */
  find(page: unknown, quote: unknown): QuestionSource | null {
    const said =
      typeof quote === 'string' ? [...toStorable(quote).trim()].slice(0, LONGEST_QUOTE).join('') : ''
    const wanted = toPlain(said)
    if (!/[\p{L}\p{N}]/u.test(wanted)) return null
    const named = this.#read(page)
    if (named !== undefined && this.#plain[named - 1]?.includes(wanted))
      return { page: named, quote: said, found: true }
    const others = this.#plain.flatMap((text, index) => (text.includes(wanted) ? [index + 1] : []))
    const [only] = others
    if (only !== undefined && others.length === 1) return { page: only, quote: said, found: true }
    if (named === undefined) return null
    const isScan = this.#plain[named - 1] === '' && others.length === 0
    return { page: named, quote: said, found: isScan ? null : false }
  }

  /** The number of a page of the file. */
  #read(page: unknown): number | undefined {
    const number = typeof page === 'string' ? Number(page) : page
    return typeof number === 'number' &&
      Number.isInteger(number) &&
      number >= 1 &&
      number <= this.#plain.length
      ? number
      : undefined
  }
}
