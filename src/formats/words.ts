/**
 * Words as a search compares them: without case, accents and other ways of writing a character. A word of a script
 * without blanks is a whole run of characters, in which any part may be looked for.
 */
export interface Word {
  /** What it is compared by, for each character; accents have none of their own. */
  units: string[]
  /** Where each unit begins and ends in the text, in code points. */
  starts: number[]
  ends: number[]
  /** Of a script without blanks between words. */
  isDense: boolean
}

/** Code points of a text from `start` on. */
export type Range = [start: number, length: number]

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u
const OTHERS = /[^\p{L}\p{N}\p{M}]/gu
/** What is not seen, as a soft hyphen, doesn't divide a word. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u
const DENSE =
  /[\p{Script=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Marks that make another letter, as か and が are two. */
const VOICED = /[\u3099\u309A]/u
/**
 * Accents of every alphabet; marks of one script alone are vowels for the most part, and Hebrew's and Arabic's are not
 * written.
 */
const ACCENTS = /[\p{Script=Inherited}\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7](?<![\u3099\u309A])/gu
/** Letters with a stroke or two letters in one, which Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
}

/** Longest beginning of a word that the index holds, in characters. */
const LONGEST_KEY = 32

function fold(character: string): string {
  const plain = character.normalize('NFKD').replace(ACCENTS, '').replace(OTHERS, '')
  const folded = plain.toUpperCase().toLowerCase()
  return LETTERS[folded] ?? folded
}

/** What a search makes of a character. */
interface Character {
  kind: 'invisible' | 'divider' | 'word'
  /** What it is compared by; empty for an accent. */
  unit: string
  isVoiced: boolean
  isDense: boolean
}

/** Those met so far, since the expressions take most of the time of reading a text. */
const characters = new Map<string, Character>()
const MOST_CHARACTERS = 20_000

function characterOf(text: string): Character {
  const known = characters.get(text)
  if (known) return known
  const unit = fold(text)
  const character: Character = {
    kind: INVISIBLE.test(text) ? 'invisible' : WORD_CHARACTER.test(text) ? 'word' : 'divider',
    unit,
    isVoiced: VOICED.test(unit[0] ?? ''),
    isDense: DENSE.test(text),
  }
  if (characters.size < MOST_CHARACTERS) characters.set(text, character)
  return character
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let word: Word | undefined
  let place = -1
  for (const character of text) {
    place += 1
    const { kind, unit, isVoiced, isDense } = characterOf(character)
    if (kind === 'invisible') continue
    if (kind === 'divider') {
      word = undefined
      continue
    }
    const last = word ? word.units.length - 1 : -1
    if (word && last >= 0 && (unit === '' || isVoiced)) {
      // One mark makes another letter; more of them would only make a key longer than an index takes.
      const before = word.units[last] as string
      if (!VOICED.test(before)) word.units[last] = before + unit
      word.ends[last] = place + 1
      continue
    }
    if (unit === '') continue
    if (!word || word.isDense !== isDense) {
      word = { units: [], starts: [], ends: [], isDense }
      words.push(word)
    }
    word.units.push(unit)
    word.starts.push(place)
    word.ends.push(place + 1)
  }
  return words
}

/** What the index holds of a text: words, and of scripts without blanks every character with the next one. */
export function keysOf(text: string): Set<string> {
  return new Set(wordsOf(text).flatMap((word) => (word.isDense ? pairsOf(word.units) : keyOf(word))))
}

function pairsOf(units: string[]): string[] {
  return units.map((unit, index) => unit + (units[index + 1] ?? ''))
}

function keyOf({ units }: Word): string {
  return units.slice(0, LONGEST_KEY).join('')
}

/** What somebody looks for: all of these words, each once, the last one as a beginning. */
export type SearchWords = Word[]

/** Different words that are looked for. */
const MOST_WANTED = 32
/** Places that are reported of one text: if it repeats a word, more of them help nobody. */
const MOST_PLACES = 100

/** What is looked for in this text; of too many words the first ones and the last one. */
export function searchWordsOf(text: string): SearchWords {
  const words = wordsOf(text)
  const last = words.pop()
  if (!last) return []
  const others = new Map(words.map((word) => [word.units.join(''), word]))
  return [...[...others.values()].slice(0, MOST_WANTED - 1), last]
}

/** A key that a text must have; `isBeginning`: or one that begins with it. */
export interface SearchKey {
  key: string
  isBeginning: boolean
}

/** The keys of every text that `findWords` finds; a few others may have them too. */
export function searchKeysOf(wanted: SearchWords): SearchKey[] {
  const keys = wanted.flatMap((word, index) => {
    if (!word.isDense)
      return {
        key: keyOf(word),
        isBeginning: index === wanted.length - 1,
      }
    const pairs = pairsOf(word.units)
    return pairs.length === 1
      ? pairs.map((key) => ({ key, isBeginning: true }))
      : pairs.slice(0, -1).map((key) => ({ key, isBeginning: false }))
  })
  return [...new Map(keys.map((each) => [`${each.key} ${each.isBeginning}`, each])).values()]
}

/** A text's words, to be found without comparing each of them: where each word is, and where each dense one may be. */
interface TextIndex {
  /** Words by what they are compared by. */
  plain: Map<string, Word[]>
  /** Dense words with the place in them, by what is there. */
  dense: Map<string, [Word, number][]>
}

function indexOf(texts: string[]): TextIndex {
  const index: TextIndex = { plain: new Map(), dense: new Map() }
  for (const word of texts.flatMap(wordsOf))
    if (word.isDense) for (const [at, unit] of word.units.entries()) addTo(index.dense, unit, [word, at])
    else addTo(index.plain, word.units.join(''), word)
  return index
}

function addTo<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}

/** Where the first text has these words, in its order; undefined unless each of them is in one of the texts. */
export function findWords(wanted: SearchWords, [text = '', ...others]: string[]): Range[] | undefined {
  const here = indexOf([text])
  let further: TextIndex | undefined
  const found: Range[] = []
  for (const [index, each] of wanted.entries()) {
    const isBeginning = index === wanted.length - 1
    const places = placesOf(each, isBeginning, here)
    if (places.length === 0) {
      further ??= indexOf(others)
      if (placesOf(each, isBeginning, further).length === 0) return undefined
    }
    found.push(...places)
  }
  return joinRanges(found).slice(0, MOST_PLACES)
}

/** The first places of a word in a text, in its order. */
function placesOf(wanted: Word, isBeginning: boolean, { plain, dense }: TextIndex): Range[] {
  const { units } = wanted
  if (wanted.isDense) {
    const places = dense.get(units[0] ?? '') ?? []
    const found = places.filter(([word, at]) => units.every((unit, index) => word.units[at + index] === unit))
    return joinRanges(found.map(([word, at]) => rangeOf(word, at, at + units.length))).slice(0, MOST_PLACES)
  }
  const asked = units.join('')
  if (!isBeginning) return firstOf(plain.get(asked) ?? []).map((word) => rangeOf(word, 0, word.units.length))
  const begun = [...plain].flatMap(([there, words]) => (there.startsWith(asked) ? firstOf(words) : []))
  return firstOf(begun.sort((one, other) => (one.starts[0] ?? 0) - (other.starts[0] ?? 0))).map((word) =>
    rangeOf(word, 0, coveringUnits(word.units, asked.length)),
  )
}

const firstOf = (words: Word[]) => words.slice(0, MOST_PLACES)

function rangeOf(word: Word, from: number, to: number): Range {
  const start = word.starts[from] ?? 0
  return [start, (word.ends[to - 1] ?? start) - start]
}

/** How many units hold the first `length` characters of all of them. */
function coveringUnits(units: string[], length: number): number {
  let [count, held] = [0, 0]
  for (; held < length; count++) held += units[count]?.length ?? length
  return count
}

/** In order; adjacent ones are joined. */
function joinRanges(ranges: Range[]): Range[] {
  const joined: Range[] = []
  for (const [start, length] of ranges.sort(([one], [other]) => one - other)) {
    const last = joined.at(-1)
    if (last && start < last[0] + last[1]) last[1] = Math.max(last[1], start + length - last[0])
    else joined.push([start, length])
  }
  return joined
}

/** Different keys of a question that passages are compared by. */
const MOST_ASKED = 64

/** The keys of a question's words, each once; of a dense word its pairs, of a single dense character a beginning. */
export function askedKeysOf(text: string): SearchKey[] {
  const keys = wordsOf(text).flatMap((word) => {
    if (!word.isDense) return [{ key: keyOf(word), isBeginning: false }]
    const pairs = pairsOf(word.units)
    return pairs.length === 1
      ? pairs.map((key) => ({ key, isBeginning: true }))
      : pairs.slice(0, -1).map((key) => ({ key, isBeginning: false }))
  })
  return [...new Map(keys.map((each) => [each.key, each])).values()].slice(0, MOST_ASKED)
}

/** Where a text has any of these words, or of these pairs of characters. */
export function findKeys(asked: readonly SearchKey[], text: string): Range[] {
  const keys = new Set(asked.map(({ key }) => key))
  const found: Range[] = []
  for (const word of wordsOf(text))
    if (!word.isDense) {
      if (keys.has(keyOf(word))) found.push(rangeOf(word, 0, word.units.length))
    } else
      for (const [at, pair] of pairsOf(word.units).entries())
        if (keys.has(pair)) found.push(rangeOf(word, at, Math.min(at + 2, word.units.length)))
        else if (keys.has(word.units[at] ?? '')) found.push(rangeOf(word, at, at + 1))
  return joinRanges(found).slice(0, MOST_PLACES)
}
