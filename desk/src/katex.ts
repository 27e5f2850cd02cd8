import 'katex/dist/katex.min.css'
import katex from 'katex'

/** Draws LaTeX into an element, without links, images or markup of the writer; invalid LaTeX is shown as typed. */
export function draw(source: string, displayMode: boolean, into: HTMLElement): void {
  katex.render(source, into, {
    displayMode,
    trust: false,
    strict: 'ignore',
    throwOnError: false,
    errorColor: 'currentColor',
    maxExpand: 200,
    maxSize: 20,
    output: 'htmlAndMathml',
  })
}
