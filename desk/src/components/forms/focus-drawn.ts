/** Puts the focus into a field that the change before it adds: it is there once that change is drawn. */
export function focusDrawn(selector: string): void {
  queueMicrotask(() => document.querySelector<HTMLElement>(selector)?.focus())
}
