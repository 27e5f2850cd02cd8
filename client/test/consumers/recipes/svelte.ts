import { readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { mount, unmount } from 'svelte'
import { compile } from 'svelte/compiler'
import { openApp, tryPage } from './service.ts'

const root = document.querySelector('main') as HTMLElement

/** Compiles a component, as an app's bundler does. */
async function build(name: string): Promise<string> {
  const source = await readFile(new URL(name, import.meta.url), 'utf8')
  const { js } = compile(source, { filename: name, generate: 'client', dev: false })
  const built = fileURLToPath(new URL(`${name}.js`, import.meta.url))
  await writeFile(built, js.code.replaceAll(".svelte'", ".svelte.js'"))
  return built
}

const built = [await build('Exam.svelte'), await build('Page.svelte')]
try {
  const { default: Page } = await import(`${built[1]}`)
  const client = await openApp()
  const page = mount(Page, { target: root, props: { client, id: 7 } })
  await tryPage()
  await unmount(page)
  client.close()
} finally {
  for (const file of built) await rm(file)
}
