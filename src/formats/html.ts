import type { Say } from './translations.ts'

/** Text as HTML; what `html` made stays as it is. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** HTML from a template whose values are escaped. */
export function html(parts: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html {
  const rendered = values.map((value) =>
    Array.isArray(value)
      ? value.map(({ text }) => text).join('')
      : value instanceof Html
        ? value.text
        : escapeText(value),
  )
  return new Html(String.raw({ raw: parts }, ...rendered))
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** A whole page; its style is the desk's. */
export function layout(
  { language, direction }: Say,
  title: string,
  content: Html,
  width: 'narrow' | 'wide' = 'narrow',
): string {
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Exam Practice</title>
<link rel="icon" href="/desk/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/pages.css">
</head>
<body>
<main class="${width}">
<p class="brand"><img src="/desk/icon.svg" alt="" width="28" height="28"> Exam Practice</p>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text
}
