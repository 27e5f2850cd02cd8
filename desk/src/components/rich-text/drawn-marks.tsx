import type { ComponentChildren } from 'preact'

/** Draws what stands for a mark by its number, from 1; undefined: there is none of that number, and its mark is shown. */
export type DrawMark = (number: number) => ComponentChildren

/** What marks in a text stand for: `[[1]]` a gap, `【1】` a page. */
export interface DrawnMarks {
  gap?: DrawMark | undefined
  source?: DrawMark | undefined
}

const MARK = /(\[\[\d+\]\]|【\d+】)/

/** A text in which these marks are drawn as what they stand for. */
export function drawMarks(text: string, { gap, source }: DrawnMarks): ComponentChildren {
  return text.split(MARK).map((piece, index) => {
    if (index % 2 === 0) return piece
    const draw = piece.startsWith('[') ? gap : source
    return draw?.(Number(piece.replaceAll(/\D/g, ''))) ?? piece
  })
}
