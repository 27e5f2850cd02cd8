import MarkdownIt from 'markdown-it'

/** The parts of a Markdown text, each with its heading; what stands before the first one is a part if it isn't blank. */
export function partsOfMarkdown(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/)
  const blocks = new MarkdownIt('commonmark')
  blocks.core.ruler.enableOnly(['normalize', 'block'])
  const starts = blocks
    .parse(text, {})
    .flatMap(({ type, map, level }) => (type === 'heading_open' && map && level === 0 ? [map[0]] : []))
  const parts = [0, ...starts].map((start, index) => lines.slice(start, starts[index]).join('\n'))
  return parts[0]?.trim() === '' ? parts.slice(1) : parts
}
