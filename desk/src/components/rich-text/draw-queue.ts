import type * as katex from './katex.ts'

/** Formulas are drawn for so long, then the page may do other things: a text can hold thousands of them. */
const BUDGET_MS = 8

type Draw = (tool: typeof katex) => void

const waiting = new Set<Draw>()
let tool: typeof katex | undefined
let isRunning = false

/** Draws soon, at once if there is little to do. Returns a function that calls it off. */
export function drawLater(draw: Draw): () => void {
  waiting.add(draw)
  if (!isRunning) {
    isRunning = true
    if (tool) queueMicrotask(run)
    else
      void import('./katex.ts').then((loaded) => {
        tool = loaded
        run()
      }, stop)
  }
  return () => waiting.delete(draw)
}

function run(): void {
  const until = performance.now() + BUDGET_MS
  for (const draw of waiting) {
    waiting.delete(draw)
    draw(tool as typeof katex)
    if (performance.now() > until) break
  }
  if (waiting.size > 0) setTimeout(run)
  else stop()
}

function stop(): void {
  isRunning = false
}
