import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Core } from '../../core.ts'
import { html } from '../../formats/html.ts'
import type { ShownLanguage } from '../../formats/translations.ts'
import { perNode } from '../../per-node.ts'

const FOLDER = fileURLToPath(new URL('../../../desk', import.meta.url))
/** The built desk. */
export const DIST = path.join(FOLDER, 'dist')
/** How long a request waits for the build: less than a request may take. */
const PATIENCE_MS = 6_000

/** Builds the desk if it is missing or older than its sources. False if that failed. */
export const buildDesk = perNode(({ log }: Core): Promise<boolean> => {
  const script = path.join(FOLDER, 'build.ts')
  // A container image contains the built desk, without what builds it.
  if (!existsSync(script)) return Promise.resolve(existsSync(DIST))
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const build = spawn(process.execPath, [script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  build.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4_000)
  })
  build.once('error', (err) => {
    log.error({ err }, 'the desk could not be built')
    resolve(false)
  })
  build.once('close', (code) => {
    if (code !== 0) log.error({ complaint }, 'the desk could not be built')
    resolve(code === 0)
  })
  return promise
})

/** `waiting`: it is still being built. */
export function getDeskState(core: Core): Promise<'ready' | 'failed' | 'waiting'> {
  return Promise.race([
    buildDesk(core).then((isBuilt) => (isBuilt ? ('ready' as const) : ('failed' as const))),
    setTimeout(PATIENCE_MS, 'waiting' as const, { ref: false }),
  ])
}

/** The desk's only page. It tells its scripts who is signed in by cookie, so that they continue as that person. */
export async function readDesk(
  language: ShownLanguage,
  signedIn?: { id: number; username: string },
): Promise<string> {
  const page = await readFile(path.join(DIST, `${language}.html`), 'utf8')
  if (!signedIn) return page
  const attributes = html` data-user-id="${String(signedIn.id)}" data-username="${signedIn.username}"`
  return page.replace('<html', () => `<html${attributes.text}`)
}

/** The style of the pages that work without scripts. */
export async function readPageStyle(): Promise<string> {
  const parts = ['tokens', 'forms', 'plain'].map((name) =>
    readFile(path.join(FOLDER, `src/design/${name}.css`), 'utf8'),
  )
  return (await Promise.all(parts)).join('\n')
}
