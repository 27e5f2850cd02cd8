/**
 * Whether a text has more code points than that. They are only counted where the number of code units leaves it open.
 */
export function isLonger(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false
  if (text.length > 2 * codePoints) return true
  let count = 0
  for (const _ of text) count += 1
  return count > codePoints
}
