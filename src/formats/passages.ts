/** Code points of a passage. */
const LONGEST = 1_200

const SENTENCES = new Intl.Segmenter('und', { granularity: 'sentence' })
const WORDS = new Intl.Segmenter('und', { granularity: 'word' })

const LINE_END = /(\r?\n)/

const HEADING = /^ {0,3}#{1,6}(?:\s|$)/
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/

/** Whether a sentence without an end of its own ends between these lines, as it does at a heading or another item. */
function isApart(line: string, next: string): boolean {
  const ends = line.trim() === '' || HEADING.test(line) || UNDERLINE.test(line)
  return ends || next.trim() === '' || HEADING.test(next) || ITEM.test(next)
}

/** Other lines of a paragraph are one. As long as before. */
function joinLines(text: string): string {
  const parts = text.split(LINE_END)
  return parts
    .map((part, at) =>
      at % 2 === 0 || isApart(parts[at - 1] ?? '', parts[at + 1] ?? '') ? part : ' '.repeat(part.length),
    )
    .join('')
}

/** The sentences of a text, which together are the text. */
export function sentencesOf(text: string): string[] {
  const joined = joinLines(text)
  const sentences: string[] = []
  for (const { index, segment } of SENTENCES.segment(joined))
    sentences.push(text.slice(index, index + segment.length))
  return sentences
}

export function isHeading(sentence: string): boolean {
  return HEADING.test(sentence)
}

const lengthOf = (text: string) => {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** Cuts a page between sentences, a sentence that is too long between words, and a word that is too long anywhere. */
export function cutPassages(page: string): string[] {
  const passages: string[] = []
  let [passage, length] = ['', 0]
  const end = () => {
    if (passage.trim() !== '') passages.push(passage.trim())
    passage = ''
    length = 0
  }
  for (const sentence of sentencesOf(page))
    for (const piece of piecesOf(sentence)) {
      const more = lengthOf(piece)
      if (length + more > LONGEST) end()
      passage += piece
      length += more
    }
  end()
  return passages
}

function* piecesOf(sentence: string): Generator<string> {
  if (lengthOf(sentence) <= LONGEST) return yield sentence
  let [piece, length] = ['', 0]
  for (const { segment } of WORDS.segment(sentence)) {
    const word = [...segment]
    for (let at = 0; at < word.length; at += LONGEST) {
      const part = word.slice(at, at + LONGEST)
      if (length + part.length > LONGEST) {
        yield piece
        piece = ''
        length = 0
      }
      piece += part.join('')
      length += part.length
    }
  }
  yield piece
}

const HYPHEN = /(\p{L})[-\u00AD]\n(\p{Ll})/gu

/** A page of a PDF without the hyphens at the ends of its lines. */
export function joinHyphens(page: string): string {
  return page.replaceAll(HYPHEN, '$1$2')
}
