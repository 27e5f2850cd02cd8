/**
 * Whether a key belongs to an input method. The key that ends a composition comes after its end in Safari: it is told by
 * the code 229 alone.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229
}

/** Whether Enter was pressed, and not to end a composition. */
export function isEnter(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !isComposing(event)
}
