import { useLayoutEffect, useRef } from 'preact/hooks'
import { drawLater } from './draw-queue.ts'

interface FormulaProps {
  source: string
  isBlock: boolean
  /** As it was typed, with its marks: shown until it is drawn, and if it can't be. */
  raw: string
}

/** A formula, drawn by KaTeX, which is loaded with the first one. */
export function Formula({ source, isBlock, raw }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(
    () =>
      drawLater(({ draw }) => {
        if (place.current) draw(source, isBlock, raw, place.current)
      }),
    [source, isBlock, raw],
  )
  return (
    <span ref={place} class={isBlock ? 'formula block' : 'formula'}>
      {raw}
    </span>
  )
}
