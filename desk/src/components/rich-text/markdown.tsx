import { createMarkdown } from '@exam-practice/exchange/markdown'
import type { Token } from 'markdown-it'
import type { ComponentChildren, VNode } from 'preact'
import { CodeBlock } from './code-block.tsx'
import { type DrawnMarks, drawMarks } from './drawn-marks.tsx'
import { Formula } from './formula.tsx'

const markdown = createMarkdown()

/** Images of a text by the keys that it names, with the addresses that the service signed for them. */
export type Images = Readonly<Record<string, string>>

interface DrawOptions {
  images?: Images | undefined
  /** A single line, in which nothing begins a block: a number with a full stop is no list. */
  isLine: boolean
  /** Whether links lead anywhere: they don't within a link. */
  hasLinks: boolean
  marks: DrawnMarks
}

/**
 * Draws a text. The result holds only the elements that are named here: markup in the text stays text, links lead to
 * other pages alone, and of images only those with a signed address are loaded.
 */
export function drawMarkdown(
  text: string,
  { images = {}, isLine, hasLinks, marks }: DrawOptions,
): ComponentChildren {
  const tokens = isLine ? markdown.parseInline(text, {}) : markdown.parse(text, {})
  return drawAll(tokens, { images, hasLinks, marks })
}

interface Context {
  images: Images
  hasLinks: boolean
  marks: DrawnMarks
}

interface OpenElement {
  token: Token | undefined
  children: ComponentChildren[]
}

/** Tokens come as a list in which an opening one has its closing one. */
function drawAll(tokens: Token[], context: Context): ComponentChildren[] {
  const root: OpenElement = { token: undefined, children: [] }
  const stack = [root]
  for (const token of tokens) {
    const top = stack.at(-1) ?? root
    if (token.nesting === 1) stack.push({ token, children: [] })
    else if (token.nesting === -1) {
      stack.pop()
      const key = stack.at(-1)?.children.length ?? 0
      ;(stack.at(-1) ?? root).children.push(drawContainer(top.token ?? token, top.children, key, context))
    } else top.children.push(drawLeaf(token, top.children.length, context))
  }
  return root.children
}

function drawContainer(
  token: Token,
  children: ComponentChildren[],
  key: number,
  { hasLinks }: Context,
): ComponentChildren {
  switch (token.type) {
    case 'paragraph_open':
      return token.hidden ? children : <p key={key}>{children}</p>
    case 'heading_open':
      // The text stands anywhere in a page, whose own headings it must not disturb.
      return (
        <p key={key} class={`heading ${token.tag}`}>
          <strong>{children}</strong>
        </p>
      )
    case 'link_open':
      return hasLinks ? drawLink(token, children, key) : <span key={key}>{children}</span>
    case 'th_open':
    case 'td_open': {
      const align = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1] ?? ''
      return token.type === 'th_open' ? (
        <th key={key} class={align}>
          {children}
        </th>
      ) : (
        <td key={key} class={align}>
          {children}
        </td>
      )
    }
    case 'table_open':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable with the keyboard
        <div key={key} class="wide" tabIndex={0}>
          <table>{children}</table>
        </div>
      )
    case 'ordered_list_open':
      return (
        <ol key={key} start={Number(token.attrGet('start') ?? 1)}>
          {children}
        </ol>
      )
  }
  const Tag = CONTAINERS[token.type]
  return Tag ? <Tag key={key}>{children}</Tag> : children
}

const CONTAINERS: Record<
  string,
  'ul' | 'li' | 'blockquote' | 'thead' | 'tbody' | 'tr' | 'em' | 'strong' | 's'
> = {
  bullet_list_open: 'ul',
  list_item_open: 'li',
  blockquote_open: 'blockquote',
  thead_open: 'thead',
  tbody_open: 'tbody',
  tr_open: 'tr',
  em_open: 'em',
  strong_open: 'strong',
  s_open: 's',
}

function drawLink(token: Token, children: ComponentChildren[], key: number): ComponentChildren {
  const href = String(token.attrGet('href') ?? '')
  // A path would lead to a page of this service under the words of somebody else.
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return <span key={key}>{children}</span>
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
      {children}
    </a>
  )
}

function drawLeaf(token: Token, key: number, context: Context): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return drawAll(token.children ?? [], context)
    case 'text':
      return drawMarks(token.content, context.marks)
    case 'softbreak':
    case 'hardbreak':
      return <br key={key} />
    case 'code_inline':
      return <code key={key}>{token.content}</code>
    case 'fence':
      return <CodeBlock key={key} code={token.content} language={token.info.trim().split(/\s/)[0] ?? ''} />
    case 'hr':
      return <hr key={key} />
    case 'formula':
      return <Formula key={key} source={token.content} isBlock={token.block} raw={token.markup} />
    case 'image':
      return drawImage(token, key, context)
  }
  return token.content
}

function drawImage(token: Token, key: number, { images }: Context): VNode {
  const source = String(token.attrGet('src') ?? '')
  const address = Object.hasOwn(images, source) ? images[source] : undefined
  if (address === undefined) return <span key={key}>{`![${token.content}](${source})`}</span>
  return <img key={key} src={address} alt={token.content} loading="lazy" />
}
