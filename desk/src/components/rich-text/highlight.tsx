import { common, createLowlight } from 'lowlight'
import type { ComponentChildren } from 'preact'

const lowlight = createLowlight(common)
type HighlightNode = ReturnType<typeof lowlight.highlight>['children'][number]

/** Code with its parts marked by kind; undefined for a language that isn't known. */
export function highlight(code: string, language: string): ComponentChildren {
  return lowlight.registered(language) ? lowlight.highlight(language, code).children.map(draw) : undefined
}

function draw(part: HighlightNode, key: number): ComponentChildren {
  if (part.type === 'text') return part.value
  if (part.type !== 'element') return null
  const names = part.properties.className
  return (
    <span key={key} class={Array.isArray(names) ? names.join(' ') : ''}>
      {part.children.map(draw)}
    </span>
  )
}
