import { createMarkdown } from '../src/markdown/dialect.ts'
import type { Place } from '../src/markdown/from-markdown.ts'

const markdown = createMarkdown()
const asText = (tokens: { markup: string; map: unknown }[], index: number) => {
  const { markup = '', map = null } = tokens[index] ?? {}
  return markdown.utils.escapeHtml(markup) + (map ? '\n\n' : '')
}
markdown.renderer.rules.formula = asText
markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '')

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** What markdown-it draws of a text, with the tags of what isn't plain text. */
export function drawn(source: string): string {
  return markdown
    .render(source)
    .replace(/<a href="[^"]*">|<\/a>|<p>/g, '')
    .replace(/<br>\n?/g, '\n')
    .replace(/<\/p>\n/g, '\n\n')
    .replace(/&(lt|gt|amp|quot);/g, (_: string, name: string) => ENTITIES[name] ?? '')
}

/** What is read of a drawn text, whatever it is marked with; blanks of any length count once. */
export function readDrawn(source: string, place: Place): string {
  const isLine = place === 'option' && !source.includes('\n')
  const text = (isLine ? markdown.renderInline(source) : markdown.render(source))
    .replace(/<[^>]*>/g, (tag) => (/^<\/?(em|strong|s|a|code)\b/.test(tag) ? '' : ' '))
    .replace(/&(lt|gt|amp|quot);/g, (_: string, name: string) => ENTITIES[name] ?? '')
  return (text.trim() === '' ? source : text).replace(/\s+/g, ' ').trim()
}
