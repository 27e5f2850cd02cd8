import 'katex/dist/katex.min.css'
import katex from 'katex'
import { isDrawable, KATEX_OPTIONS } from './formula-limits.ts'

/** What KaTeX makes of a formula before there are elements; its types lack it. */
interface Branch {
  attributes?: Record<string, string>
  children?: Branch[]
  toNode(): HTMLElement
}
const { __renderToDomTree: toTree } = katex as unknown as {
  __renderToDomTree(source: string, options: object): Branch
}

/** Draws LaTeX into an element. What can't be drawn is shown as it was typed. */
export function draw(source: string, displayMode: boolean, raw: string, into: HTMLElement): void {
  try {
    if (isDrawable(source)) {
      into.replaceChildren(toElements(toTree(source, { ...KATEX_OPTIONS, displayMode })))
      return
    }
  } catch {
    // Invalid, or nested deeper than there is room for.
  }
  into.textContent = raw
}

/**
 * KaTeX gives some elements, as the arrow of `\vec`, an attribute `style`, which the security policy refuses: it takes
 * styles that scripts set. So the attribute waits under another name.
 */
function toElements(tree: Branch): HTMLElement {
  setAside(tree)
  const root = tree.toNode()
  for (const element of root.querySelectorAll<HTMLElement | SVGElement>('[data-style]')) {
    element.style.cssText = element.dataset.style ?? ''
    delete element.dataset.style
  }
  return root
}

function setAside({ attributes, children }: Branch): void {
  if (attributes?.style) {
    attributes['data-style'] = attributes.style
    delete attributes.style
  }
  children?.forEach(setAside)
}
