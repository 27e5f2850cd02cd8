import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Longer code is shown without colours: finding them can take the square of its length. */
const LONGEST = 2_000

/** Code that stands by itself; its colours are loaded with the first one that names its language. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  const [coloured, setColoured] = useState<ComponentChildren>()
  useEffect(() => {
    setColoured(undefined)
    if (language === '' || code.length > LONGEST) return
    let isGone = false
    void import('./highlight.tsx').then(({ highlight }) => {
      if (!isGone) setColoured(highlight(code, language))
    })
    return () => {
      isGone = true
    }
  }, [code, language])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable with the keyboard
    <pre tabIndex={0}>
      <code>{coloured ?? code}</code>
    </pre>
  )
}
