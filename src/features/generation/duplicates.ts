import { breaks } from '../../scheduling/breaks.ts'

/** Two texts with at least this share of common trigrams count as the same. */
const ALIKE = 0.8

interface Fingerprint {
  /** The numbers in the text: `2 + 3` and `2 + 4` are different questions, however alike they look. */
  numbers: string
  trigrams: ReadonlySet<string>
}

/** The texts that a job must not repeat, itself included. */
export class KnownTexts {
  readonly #known: Fingerprint[] = []
  /** There can be a megabyte of texts, which others must not wait for. */
  readonly #takeBreak = breaks()

  async add(texts: Iterable<string>): Promise<void> {
    for (const text of texts) {
      this.#known.push(fingerprint(text))
      await this.#takeBreak()
    }
  }

  /**
   * Whether the text, or a very similar one, is among them: case, punctuation, LaTeX spacing and a word or two make
   * no difference.
   */
  async has(text: string): Promise<boolean> {
    const one = fingerprint(text)
    for (const other of this.#known) {
      if (one.numbers === other.numbers && similarity(one.trigrams, other.trigrams) >= ALIKE) return true
      await this.#takeBreak()
    }
    return false
  }
}

function fingerprint(text: string): Fingerprint {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = plain.replace(/[^\p{L}\p{N}+*/=<>^-]+/gu, ' ').trim()
  const padded = `  ${words} `
  const trigrams = new Set<string>()
  for (let start = 0; start + 3 <= padded.length; start++) trigrams.add(padded.slice(start, start + 3))
  return { numbers: (plain.match(/\d+(?:[.,]\d+)*/g) ?? []).join(' '), trigrams }
}

/** Jaccard similarity: common ÷ all; 0 if the sizes alone show that they differ. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (Math.min(one.size, other.size) < ALIKE * Math.max(one.size, other.size)) return 0
  let common = 0
  for (const trigram of one) if (other.has(trigram)) common += 1
  return common / (one.size + other.size - common)
}
