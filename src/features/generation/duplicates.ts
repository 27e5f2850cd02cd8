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

  constructor(texts: Iterable<string>) {
    for (const text of texts) this.add(text)
  }

  add(text: string): void {
    this.#known.push(fingerprint(text))
  }

  /**
   * Whether the text, or a very similar one, is among them: case, punctuation, LaTeX spacing and a word or two make
   * no difference.
   */
  has(text: string): boolean {
    const one = fingerprint(text)
    return this.#known.some(
      (other) => one.numbers === other.numbers && similarity(one.trigrams, other.trigrams) >= ALIKE,
    )
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
