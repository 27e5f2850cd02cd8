import { useEffect, useRef } from 'preact/hooks'

/** `$…$`, `$$…$$`, `\(…\)` and `\[…\]`; a dollar before a space or in an amount is plain text. */
const MATH = /\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\d)/g
const EMPHASIS = /\*\*([^*\n]+)\*\*|`([^`\n]+)`/g

/** A user's text with formulas drawn by KaTeX, which is loaded when the first one is shown. */
export function RichText({ text, class: extra = '' }: { text: string; class?: string }) {
  const parts = []
  let end = 0
  for (const match of text.matchAll(MATH)) {
    parts.push(...emphasised(text.slice(end, match.index), end))
    const [whole, dollars, brackets, parens, dollar] = match
    const isBlock = dollars !== undefined || brackets !== undefined
    parts.push(
      <Formula
        key={`f${match.index}`}
        source={dollars ?? brackets ?? parens ?? dollar ?? ''}
        isBlock={isBlock}
        raw={whole}
      />,
    )
    end = match.index + whole.length
  }
  parts.push(...emphasised(text.slice(end), end))
  return <span class={`rich ${extra}`}>{parts}</span>
}

function emphasised(text: string, at: number) {
  const parts = []
  let end = 0
  for (const match of text.matchAll(EMPHASIS)) {
    parts.push(text.slice(end, match.index))
    const key = `e${at + match.index}`
    parts.push(
      match[1] === undefined ? <code key={key}>{match[2]}</code> : <strong key={key}>{match[1]}</strong>,
    )
    end = match.index + match[0].length
  }
  parts.push(text.slice(end))
  return parts
}

function Formula({ source, isBlock, raw }: { source: string; isBlock: boolean; raw: string }) {
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    let isGone = false
    void import('../katex.ts').then(({ draw }) => {
      if (!isGone && place.current) draw(source, isBlock, place.current)
    })
    return () => {
      isGone = true
    }
  }, [source, isBlock])
  return (
    <span ref={place} class={isBlock ? 'formula block' : 'formula'}>
      {raw}
    </span>
  )
}
