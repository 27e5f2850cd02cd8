import type { ComponentChildren } from 'preact'

interface MarkedTextProps {
  text: string
  /** `[start, length]` in code points, in their order. */
  matches: readonly (readonly number[])[]
}

/** A text in which what was looked for is marked. */
export function MarkedText({ text, matches }: MarkedTextProps) {
  const characters = [...text]
  const part = (start: number, end?: number) => characters.slice(start, end).join('')
  const pieces: ComponentChildren[] = []
  let at = 0
  for (const [start = 0, length = 0] of matches) {
    if (start < at) continue
    pieces.push(part(at, start), <mark key={start}>{part(start, start + length)}</mark>)
    at = start + length
  }
  return (
    <>
      {pieces}
      {part(at)}
    </>
  )
}
