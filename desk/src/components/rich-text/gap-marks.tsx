import type { ComponentChildren } from 'preact'

/** Draws a gap by its number, from 1; undefined: there is none of that number, and its mark is shown. */
export type DrawGap = (number: number) => ComponentChildren

const MARK = /\[\[(\d+)\]\]/

/** A text in which the marks `[[1]]` … are drawn as gaps. */
export function drawGaps(text: string, gap: DrawGap): ComponentChildren {
  return text
    .split(MARK)
    .map((piece, index) => (index % 2 === 0 ? piece : (gap(Number(piece)) ?? `[[${piece}]]`)))
}
