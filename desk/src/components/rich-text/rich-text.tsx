import './rich-text.css'
import { useEffect, useReducer } from 'preact/hooks'
import { type DrawMark, drawMarks } from './drawn-marks.tsx'
import type { drawMarkdown, Images } from './markdown.tsx'

let draw: typeof drawMarkdown | undefined

/** Without these there is nothing to draw but the text. */
const MARKS = /[\\$*_`~#>[\]|<&\n]|^\s*([-+]|\d+[.)])\s|:\/\//

interface RichTextProps {
  text: string
  /** The signed addresses of images by the keys in the text; without them no image is loaded. */
  images?: Images | undefined
  /** `option`: mostly a single line, in which nothing begins a list. `summary`: one line, without links or images. */
  kind?: 'text' | 'option' | 'summary'
  class?: string
  /** Draws what stands in place of `[[1]]` and so on. */
  gap?: DrawMark | undefined
  /** Draws what stands in place of `【1】` and so on. */
  source?: DrawMark | undefined
}

/**
 * What people and the model write, drawn: CommonMark with tables, code and formulas. What draws it is loaded with the
 * first text that needs it; until then the text stands there as it was typed.
 */
export function RichText({ text, images, kind = 'text', class: extra = '', gap, source }: RichTextProps) {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0)
  const needsDrawing = MARKS.test(text)
  useEffect(() => {
    if (!needsDrawing || draw) return
    let isGone = false
    void import('./markdown.tsx').then(({ drawMarkdown }) => {
      draw = drawMarkdown
      if (!isGone) redraw()
    })
    return () => {
      isGone = true
    }
  }, [needsDrawing])
  const isSummary = kind === 'summary'
  const isLine = isSummary || (kind === 'option' && !text.includes('\n'))
  const Tag = isLine ? 'span' : 'div'
  if (!needsDrawing || !draw)
    return (
      <Tag class={`rich typed ${extra}`} dir="auto">
        {drawMarks(text, { gap, source })}
      </Tag>
    )
  const given = isSummary ? text.replaceAll('\n', ' ') : text
  return (
    <Tag class={`rich ${extra}`} dir="auto">
      {draw(given, { images, isLine, hasLinks: !isSummary, marks: { gap, source } })}
    </Tag>
  )
}
