import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.resolve(import.meta.dirname, '../..')

interface Stage {
  name: string
  instructions: [name: string, rest: string][]
}

/** The stages of the Dockerfile, in their order. */
export async function readStages(): Promise<Stage[]> {
  const text = await readFile(path.join(ROOT, 'Dockerfile'), 'utf8')
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)/.exec(line) ?? []
    if (name === 'FROM') stages.push({ name: / AS (\w+)$/.exec(rest)?.[1] ?? 'image', instructions: [] })
    else if (name) stages.at(-1)?.instructions.push([name, rest])
  }
  return stages
}

/** What `docker build` sends: the checkout without what .dockerignore leaves out. */
export async function copyContext(folder: string): Promise<void> {
  const rules = (await readFile(path.join(ROOT, '.dockerignore'), 'utf8')).trim().split('\n')
  const isSent = (file: string) => {
    const name = path.relative(ROOT, file)
    const parents = name.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
    // The last rule that fits decides.
    const rule = rules.findLast((one) => parents.some((it) => path.matchesGlob(it, one.replace('!', ''))))
    return name === '' || rule === undefined || rule.startsWith('!')
  }
  await cp(ROOT, folder, { recursive: true, filter: isSent })
}

/**
 * Does what a stage says in folders instead of images: `folders` has the context and those of earlier stages. What
 * needs root, or the image's own user, is left out. Throws if something is missing that it copies, or a command fails.
 */
export async function buildStage(
  { name, instructions }: Stage,
  folders: Map<string, string>,
  folder: string,
): Promise<void> {
  folders.set(name, folder)
  let workFolder = folder
  const set = readEnvironment(instructions)
  for (const [instruction, rest] of instructions) {
    if (instruction === 'WORKDIR') {
      workFolder = path.join(folder, rest)
      await mkdir(workFolder, { recursive: true })
    } else if (instruction === 'COPY') await copy(rest, folders, workFolder)
    else if (instruction === 'RUN' && !rest.startsWith('install -d -o node')) {
      const env = {
        PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
        HOME: process.env.HOME,
        npm_config_prefer_offline: 'true',
        ...set,
      }
      await promisify(execFile)('sh', ['-c', rest], { cwd: workFolder, env })
    }
  }
}

async function copy(rest: string, folders: Map<string, string>, workFolder: string): Promise<void> {
  const [, from = 'context', names = ''] = /^(?:--from=(\w+) )?(.*)/.exec(rest) ?? []
  const source = folders.get(from) as string
  const sources = names.split(' ')
  const target = path.join(workFolder, sources.pop() as string)
  for (const pattern of sources) {
    const found = globSync(pattern.replace(/^\//, ''), { cwd: source })
    if (found.length === 0) throw new Error(`COPY ${rest}: ${pattern} is not in the ${from}`)
    for (const file of found) {
      const isFile = (await stat(path.join(source, file))).isFile()
      const isInto = isFile && rest.endsWith('/')
      await cp(path.join(source, file), isInto ? path.join(target, path.basename(file)) : target, {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
  }
}

/** The program of an image, as its CMD and ENV say. */
export function readProgram({ instructions }: Stage) {
  const [, command] = instructions.findLast(([name]) => name === 'CMD') as [string, string]
  return { command: JSON.parse(command) as string[], env: readEnvironment(instructions) }
}

function readEnvironment(instructions: Stage['instructions']): Record<string, string> {
  const set = instructions.filter(([name]) => name === 'ENV')
  return Object.fromEntries(set.flatMap(([, rest]) => rest.split(' ').map((pair) => pair.split('='))))
}
