import type { StoredSource } from '../../db/tables/assistant.tables.ts'
import { isHeading, sentencesOf } from '../../formats/passages.ts'
import { keysOf } from '../../formats/words.ts'
import type { PassageRow } from '../materials/passages.service.ts'
import { readMarks } from './marks.ts'

/** What the marks of an answer name, each passage once, by its first place: the first passage is number 1. */
export function sourcesOf(text: string, passages: readonly PassageRow[]): StoredSource[] {
  if (passages.length === 0) return []
  const sources = new Map<number, StoredSource>()
  for (const { n, claim } of claimsOf(text)) {
    const passage = passages[n - 1]
    if (!passage || sources.has(n)) continue
    const { materialId, title, page } = passage
    sources.set(n, {
      n,
      material_id: materialId,
      title,
      page,
      quote: likest(sentencesOf(passage.text), claim),
    })
  }
  return [...sources.values()]
}

/** The marks of an answer, each with the sentence that is marked. */
export function claimsOf(text: string): { n: number; claim: string }[] {
  const { plain, marks } = readMarks(text)
  const sentences = sentencesOf(plain)
  return marks.map(({ n, at }) => ({ n, claim: sentenceAt(sentences, plain.slice(0, at).trimEnd().length) }))
}

/** The sentence in which a place is, or at whose end. */
function sentenceAt(sentences: readonly string[], place: number): string {
  let end = 0
  return (
    sentences.find((sentence) => {
      end += sentence.length
      return end >= place
    }) ?? ''
  )
}

/** The first of the sentences that have most words in common with the claim; a heading says nothing that bears it out. */
function likest(sentences: readonly string[], claim: string): string {
  const claimed = keysOf(claim)
  const common = (sentence: string) => [...keysOf(sentence)].filter((key) => claimed.has(key)).length
  let best = { sentence: '', count: -1 }
  for (const sentence of sentences) {
    const count = isHeading(sentence) ? -1 : common(sentence)
    if (count > best.count || best.count < 0) best = { sentence, count }
  }
  return best.sentence.trim()
}
