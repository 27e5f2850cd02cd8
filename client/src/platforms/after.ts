/** Longer timers would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(ms, LONGEST_MS))
  return () => clearTimeout(timer)
}
