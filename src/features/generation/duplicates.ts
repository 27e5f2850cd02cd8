import { setImmediate } from 'node:timers/promises'
import { slicesOf } from '../../formats/slices.ts'
import { breaks } from '../../scheduling/breaks.ts'
import type { ExamReader } from './generation.store.ts'

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

/**
 * The texts of an exam's questions, of which there may be tens of thousands. Each is read once; of it a sketch is kept,
 * which tells those that can't be like a draft. The few others are read again as they are then.
 */
export class ExamTexts {
  readonly #read: ExamReader
  readonly #sketches: { ids: number[]; sketches: Sketches }[] = []
  #last = 0
  /** Batches may ask at the same time. */
  #reading: Promise<void> = Promise.resolve()

  constructor(read: ExamReader) {
    this.#read = read
  }

  /** Which of the drafts repeat a text of the exam. */
  async findRepeated(drafts: readonly string[]): Promise<Set<string>> {
    this.#reading = this.#reading.catch(() => {}).then(() => this.#readNewer())
    await this.#reading
    const takeBreak = breaks()
    const asked = drafts.map((text) => ({ text, fingerprint: fingerprint(text), sketch: sketchesOf([text]) }))
    const candidates = new Set<number>()
    for (const { ids, sketches } of this.#sketches)
      for (const draft of asked) {
        addCandidates(candidates, draft, ids, sketches)
        await takeBreak()
      }
    const repeated = new Set<string>()
    for (const slice of slicesOf([...candidates], CANDIDATES_AT_ONCE))
      for (const text of await this.#read.find(slice)) {
        const one = fingerprint(text)
        for (const draft of asked) if (areAlike(draft.fingerprint, one)) repeated.add(draft.text)
        await takeBreak()
      }
    return repeated
  }

  async #readNewer(): Promise<void> {
    for await (const texts of this.#read.after(this.#last)) {
      const last = texts.at(-1)
      if (!last) continue
      this.#sketches.push({
        ids: texts.map(({ id }) => id),
        sketches: sketchesOf(texts.map(({ text }) => text)),
      })
      this.#last = last.id
      await setImmediate()
    }
  }
}

const CANDIDATES_AT_ONCE = 100

/** Words of a sketch, with 32 bits each. */
const WORDS = 32

interface Sketches {
  /** A hash of the digits: texts with other numbers aren't alike. */
  digits: Int32Array
  /** Of each text `WORDS`, where a bit is set for the hash of each trigram. */
  bits: Int32Array
}

function sketchesOf(texts: readonly string[]): Sketches {
  const digits = new Int32Array(texts.length)
  const bits = new Int32Array(texts.length * WORDS)
  for (const [at, text] of texts.entries()) digits[at] = sketch(plainOf(text), bits, at * WORDS)
  return { digits, bits }
}

/** Sets the bits of a text's trigrams; answers the hash of its digits. */
function sketch(plain: string, bits: Int32Array, start: number): number {
  let digits = 0
  let last = BLANK
  // Six bits further with each unit: three are in it.
  let trigram = (BLANK << 6) ^ BLANK
  for (let at = 0; at <= plain.length; at++) {
    const unit = at === plain.length ? BLANK : unitAt(plain, at)
    if (unit === BLANK && last === BLANK) continue
    if (unit >= 0x30 && unit <= 0x39) digits = (Math.imul(digits, 31) + unit) | 0
    trigram = ((trigram << 6) ^ unit) & 0x3ffff
    const hash = Math.imul(trigram, 0x9e3779b1) >>> 22
    const word = start + (hash >>> 5)
    bits[word] = (bits[word] as number) | (1 << (hash & 31))
    last = unit
  }
  return digits
}

/**
 * Adds those that can be like the draft. Texts that are have at most a quarter as many trigrams that aren't common as
 * the draft has trigrams (1 ÷ `ALIKE` - 1), and no fewer than there are bits in which their sketches differ.
 */
function addCandidates(
  candidates: Set<number>,
  draft: { fingerprint: Fingerprint; sketch: Sketches },
  ids: readonly number[],
  { digits, bits }: Sketches,
): void {
  const most = (1 / ALIKE - 1) * draft.fingerprint.trigrams.size
  const own = draft.sketch.bits
  for (let at = 0; at < ids.length; at++) {
    if (draft.sketch.digits[0] !== digits[at]) continue
    let different = 0
    for (let word = 0, start = at * WORDS; word < WORDS && different <= most; word++)
      different += countBits((own[word] as number) ^ (bits[start + word] as number))
    if (different <= most) candidates.add(ids[at] as number)
  }
}

function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

const BLANK = 0x20
const SEPARATOR = /[^\p{L}\p{N}+*/=<>^-]/u
/** For each code unit whether it stands in a fingerprint: 0 unknown as yet, 1 yes, 2 no. */
const stands = new Uint8Array(1 << 16)

/** A code unit of a plain text; a blank for what a fingerprint leaves out. */
function unitAt(plain: string, at: number): number {
  const unit = plain.charCodeAt(at)
  const known = stands[unit]
  if (known === 1) return unit
  if (known === 2) return BLANK
  // Halves of a pair say nothing by themselves.
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const start = unit >= 0xdc00 ? at - 1 : at
    return SEPARATOR.test(String.fromCodePoint(plain.codePointAt(start) ?? BLANK)) ? BLANK : unit
  }
  stands[unit] = SEPARATOR.test(String.fromCharCode(unit)) ? 2 : 1
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
