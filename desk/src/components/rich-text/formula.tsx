import { useLayoutEffect, useRef } from 'preact/hooks'
import { drawLater } from './draw-queue.ts'

interface FormulaProps {
  source: string
  isBlock: boolean
  /** As it was typed, with its marks: shown until it is drawn, and if it can't be. */
  raw: string
}

/** A formula that is wider than its text scrolls. (One that always could would not stand on the line.) */
const widths = new ResizeObserver((formulas) => {
  for (const { target, contentRect } of formulas) {
    const drawn = target.firstElementChild?.getBoundingClientRect().width ?? 0
    const isWide = drawn > contentRect.width + 1
    target.classList.toggle('wide', isWide)
    // Whoever has a keyboard alone scrolls it too.
    if (isWide) target.setAttribute('tabindex', '0')
    else target.removeAttribute('tabindex')
  }
})

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
  useLayoutEffect(() => {
    const formula = place.current
    if (!formula || isBlock) return
    widths.observe(formula)
    return () => widths.unobserve(formula)
  }, [isBlock])
  return (
    <span ref={place} class={isBlock ? 'formula block' : 'formula'}>
      {raw}
    </span>
  )
}
