/** A PDF with this many pages, and nothing on them. */
export function pdf(pages = 3): Buffer {
  const objects = Array.from(
    { length: pages },
    (_, n) => `${n + 3} 0 obj <</Type /Page /Parent 2 0 R>> endobj`,
  )
  return Buffer.from(
    `%PDF-1.4\n2 0 obj <</Type /Pages /Count ${pages}>> endobj\n${objects.join('\n')}\n%%EOF`,
  )
}
