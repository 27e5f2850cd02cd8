import { useEffect, useReducer } from 'preact/hooks'
import { Formula } from '../rich-text/formula.tsx'

type Reading = typeof import('./formula-reading.ts')

let reading: Reading | undefined

/** How formulas are read, which is loaded with the first one; undefined until then. */
export function useFormulas(): Reading | undefined {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0)
  useEffect(() => {
    if (reading) return
    let isGone = false
    void import('./formula-reading.ts').then((loaded) => {
      reading = loaded
      if (!isGone) redraw()
    })
    return () => {
      isGone = true
    }
  }, [])
  return reading
}

/** A typed formula, drawn as it was read; as it was typed where it can't be. */
export function ReadFormula({ text, symbols }: { text: string; symbols: readonly string[] }) {
  const latex = useFormulas()?.readAsLatex(text, symbols)
  return latex === undefined ? <bdi>{text}</bdi> : <Formula source={latex} isBlock={false} raw={text} />
}
