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

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center }
  main { width: min(22rem, 100vw - 2rem); padding: 2rem 0 }
  h1 { font-size: 1.5rem; margin: 0 0 1rem }
  label { display: block; margin: .75rem 0 .25rem; font-weight: 600 }
  small { display: block; opacity: .75 }
  input, button { box-sizing: border-box; width: 100%; padding: .6rem; font: inherit; border: 1px solid #767676; border-radius: .4rem }
  button { margin-top: 1.25rem; border: 0; background: #1d4ed8; color: #fff; font-weight: 600; cursor: pointer }
  :focus-visible { outline: 3px solid #60a5fa; outline-offset: 2px }
  [role=alert] { border-left: 4px solid #dc2626; padding: .5rem .75rem; margin: 0 0 1rem }
  [role=status] { border-left: 4px solid #16a34a; padding: .5rem .75rem; margin: 0 0 1rem }
`

/** A whole page. */
export function layout(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Exam Practice</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text
}
