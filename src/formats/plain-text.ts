/** Without case, blanks and punctuation, hyphens at the ends of lines among it: quotations are looked up in it. */
export function toPlain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{P}\p{Z}\p{C}]+/gu, '')
}
