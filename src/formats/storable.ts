/** PostgreSQL stores neither NUL nor lone surrogates. */
export function toStorable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
