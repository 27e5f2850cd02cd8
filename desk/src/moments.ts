/**
 * Times as fields of a date and a time show them, in this device's time zone. When clocks are set back, an hour comes
 * twice; when they are set forward, one is left out.
 */

const DAY_MS = 86_400_000

/** As an input takes it: seconds and their parts only where there are some. What is no time (`momentIn`) stays so. */
export function toLocalInput(iso: string | null | undefined): string {
  if (!iso?.endsWith('Z')) return iso ?? ''
  const date = new Date(iso)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1)
  return local.replace(/(:00)?\.000$/, '')
}

/** The times that a field can mean: none in an hour that is left out, two in one that comes twice. */
export function momentsOf(text: string): string[] {
  const asUtc = Date.parse(`${text}Z`)
  if (Number.isNaN(asUtc)) return []
  const offsets = [asUtc - DAY_MS, asUtc + DAY_MS].map((at) => new Date(at).getTimezoneOffset() * 60_000)
  return [...new Set(offsets.map((offset) => asUtc + offset))]
    .sort((one, other) => one - other)
    .map((at) => new Date(at))
    .filter((at) => at.getTime() - at.getTimezoneOffset() * 60_000 === asUtc)
    .map((at) => at.toISOString())
}

/**
 * The time in a field: the one that was there before as long as it is the same, to the second and the hour, and while
 * another is half typed. One that clocks leave out, which can't be sent, is what was typed.
 */
export function momentIn(form: HTMLFormElement, name: string): string | null {
  const text = textIn(form, name)
  if (text === '') return null
  const found = momentsOf(text)
  return found[Number(textIn(form, turnName(name)))] ?? found[0] ?? text
}

/** What says which of two equal hours is meant. */
export const turnName = (name: string) => `${name}_turn`

function textIn(form: HTMLFormElement, name: string): string {
  const field = form.elements.namedItem(name)
  if (field instanceof HTMLInputElement) return field.validity.badInput ? field.defaultValue : field.value
  return field instanceof HTMLSelectElement ? field.value : ''
}
