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
  readonly #known = new Map<string, Fingerprint>()
  /** Texts are taken one after another: two that are alike may come at once. */
  #last: Promise<unknown> = Promise.resolve()
  /** There can be a megabyte of texts, which others must not wait for. */
  readonly #takeBreak = breaks()

  async add(texts: Iterable<string>): Promise<void> {
    for (const text of texts) {
      this.#known.set(text, fingerprint(text))
      await this.#takeBreak()
    }
  }

  /**
   * Adds a text, unless it or a very similar one is among them: case, punctuation, LaTeX spacing and a word or two make
   * no difference. `besides` are those that it may repeat. Answers whether it was added.
   */
  take(text: string, besides: ReadonlySet<string> = new Set()): Promise<boolean> {
    const taking = this.#last.then(() => this.#take(text, besides))
    this.#last = taking.catch(() => {})
    return taking
  }

  async #take(text: string, besides: ReadonlySet<string>): Promise<boolean> {
    const one = fingerprint(text)
    for (const [known, other] of this.#known) {
      if (!besides.has(known) && areAlike(one, other)) return false
      await this.#takeBreak()
    }
    this.#known.set(text, one)
    return true
  }
}

/** Texts that are compared at once: one bit each. */
const AT_ONCE = 32

/**
 * Which of the drafts repeat one of the texts, of which there may be tens of thousands. Each is read once, and only
 * compared with a draft if it has enough of that draft's trigrams.
 */
export async function findRepeated(
  drafts: readonly string[],
  slices: AsyncIterable<readonly string[]>,
): Promise<Set<string>> {
  const sieves: Sieve[] = []
  for (let at = 0; at < drafts.length; at += AT_ONCE) sieves.push(new Sieve(drafts.slice(at, at + AT_ONCE)))
  const repeated = new Set<string>()
  const takeBreak = breaks()
  for await (const texts of slices)
    for (const text of texts) {
      for (const sieve of sieves) for (const draft of sieve.repeatedBy(text)) repeated.add(draft)
      await takeBreak()
    }
  return repeated
}

/** How many bits of a hash tell trigrams apart. */
const BITS = 16

class Sieve {
  readonly #drafts: { text: string; fingerprint: Fingerprint }[]
  /** For each hash of a trigram, which drafts have it. */
  readonly #having = new Int32Array(1 << BITS)
  readonly #counts = new Uint32Array(AT_ONCE)

  constructor(drafts: readonly string[]) {
    this.#drafts = drafts.map((text) => ({ text, fingerprint: fingerprint(text) }))
    for (const [at, { fingerprint }] of this.#drafts.entries())
      for (const trigram of fingerprint.trigrams) {
        const [one, two, three] = [0, 1, 2].map((place) => trigram.charCodeAt(place))
        const hash = hashOf(one as number, two as number, three as number)
        this.#having[hash] = (this.#having[hash] as number) | (1 << at)
      }
  }

  repeatedBy(text: string): string[] {
    this.#count(text)
    const other = { fingerprint: undefined as Fingerprint | undefined }
    return this.#drafts.flatMap(({ text: draft, fingerprint: one }, at) => {
      // What is alike has at least this share of the draft's trigrams.
      if ((this.#counts[at] as number) < ALIKE * one.trigrams.size) return []
      other.fingerprint ??= fingerprint(text)
      return areAlike(one, other.fingerprint) ? [draft] : []
    })
  }

  /** How many trigrams of the text each draft has, repetitions included: never fewer than they have in common. */
  #count(text: string): void {
    const counts = this.#counts.fill(0)
    const having = this.#having
    const plain = plainOf(text)
    let before = BLANK
    let last = BLANK
    for (let at = 0; at <= plain.length; at++) {
      const unit = at === plain.length ? BLANK : unitAt(plain, at)
      if (unit === BLANK && last === BLANK && at < plain.length) continue
      let found = having[hashOf(before, last, unit)] as number
      while (found !== 0) {
        const draft = 31 - Math.clz32(found)
        counts[draft] = (counts[draft] as number) + 1
        found &= ~(1 << draft)
      }
      before = last
      last = unit
    }
  }
}

function hashOf(one: number, two: number, three: number): number {
  return (
    (Math.imul(one, 0x9e3779b1) ^ Math.imul(two, 0x85ebca6b) ^ Math.imul(three, 0xc2b2ae35)) >>> (32 - BITS)
  )
}

const BLANK = 0x20
const SEPARATOR = /[^\p{L}\p{N}+*/=<>^-]/u
/** For each code unit whether it stands in a fingerprint: 0 unknown as yet, 1 yes, 2 no. */
const stands = new Uint8Array(1 << 16)

/** A code unit of a plain text; a blank for what a fingerprint leaves out. */
function unitAt(plain: string, at: number): number {
  const unit = plain.charCodeAt(at)
  // Halves of a pair say nothing by themselves.
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const start = unit >= 0xdc00 ? at - 1 : at
    return SEPARATOR.test(String.fromCodePoint(plain.codePointAt(start) ?? BLANK)) ? BLANK : unit
  }
  if (stands[unit] === 0) stands[unit] = SEPARATOR.test(String.fromCharCode(unit)) ? 2 : 1
  return stands[unit] === 1 ? unit : BLANK
}

function plainOf(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

function fingerprint(text: string): Fingerprint {
  const plain = plainOf(text)
  const words = plain.replace(/[^\p{L}\p{N}+*/=<>^-]+/gu, ' ').trim()
  const padded = `  ${words} `
  const trigrams = new Set<string>()
  for (let start = 0; start + 3 <= padded.length; start++) trigrams.add(padded.slice(start, start + 3))
  return { numbers: (plain.match(/\d+(?:[.,]\d+)*/g) ?? []).join(' '), trigrams }
}

function areAlike(one: Fingerprint, other: Fingerprint): boolean {
  return one.numbers === other.numbers && similarity(one.trigrams, other.trigrams) >= ALIKE
}

/** Jaccard similarity: common ÷ all; 0 if the sizes alone show that they differ. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (Math.min(one.size, other.size) < ALIKE * Math.max(one.size, other.size)) return 0
  let common = 0
  for (const trigram of one) if (other.has(trigram)) common += 1
  return common / (one.size + other.size - common)
}
