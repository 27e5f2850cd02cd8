import 'katex/dist/katex.min.css'
import katex from 'katex'
import { isDrawable, KATEX_OPTIONS } from './formula-limits.ts'

/** Draws LaTeX into an element. What can't be drawn is shown as it was typed. */
export function draw(source: string, displayMode: boolean, raw: string, into: HTMLElement): void {
  try {
    if (isDrawable(source)) {
      katex.render(source, into, { ...KATEX_OPTIONS, displayMode })
      return
    }
  } catch {
    // Invalid, or nested deeper than there is room for.
  }
  into.textContent = raw
}
