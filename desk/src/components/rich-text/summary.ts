/** What a list shows of a question's text: no tables, and "…" for gaps. */
export function summaryOf(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*\|.*\|\s*$/.test(line))
  return (
    lines
      .join('\n')
      .trim()
      .replace(/\[\[\d+\]\]/g, '…') || text
  )
}

/** The same where nothing can be drawn, as in a choice: its first line without the marks of Markdown. */
export function plainSummaryOf(text: string): string {
  const [line = ''] = summaryOf(text).split('\n', 1)
  return line.replace(/^(?:#+|>|[-+*])\s+|\*\*|__|~~|`/g, '')
}
