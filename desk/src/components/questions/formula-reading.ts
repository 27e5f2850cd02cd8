import { toLatex } from '@exam-practice/expressions/latex'
import { readTyped } from '@exam-practice/expressions/typed'

/** A typed formula as LaTeX; undefined where it can't be read. */
export function readAsLatex(text: string, symbols: readonly string[]): string | undefined {
  try {
    return toLatex(readTyped(text, { symbols }))
  } catch {
    return undefined
  }
}
