import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Client } from './support/client.ts'
import { buildStage, copyContext, readProgram, readStages } from './support/image.ts'
import { createDatabase, SECRET } from './support/service.ts'

/** Two installs and a build of the desk, while other tests run. */
const BUILD_TIMEOUT_MS = 400_000

test(
  'the image is built from what .dockerignore lets through, and its program serves',
  async () => {
    const work = await mkdtemp(path.join(tmpdir(), 'exam-practice-image-'))
    onTestFinished(() => rm(work, { recursive: true, force: true, maxRetries: 5 }))
    const folders = new Map([['context', path.join(work, 'context')]])
    await copyContext(folders.get('context') as string)
    const stages = await readStages()
    for (const stage of stages) await buildStage(stage, folders, path.join(work, stage.name))

    const app = path.join(work, 'image/app')
    const { command, env } = readProgram(stages.at(-1) as (typeof stages)[0])
    const packages = await readdir(path.join(app, 'node_modules'))
    expect(
      packages.filter((name) => /^(node-(linux|darwin|win|bin)-|embedded|@embedded)/.test(name)),
    ).toEqual([])
    expect(existsSync(path.join(app, 'desk/dist/en.html'))).toBe(true)
    const compiled = await readdir(path.join(app, 'node_modules/.cache/compiled'), { recursive: true })
    expect(compiled.length).toBeGreaterThan(1_000)

    const database = await createDatabase()
    const [, ...args] = command
    const service = spawn(process.execPath, args, {
      cwd: app,
      env: {
        ...env,
        ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: path.join(work, 'data'), DRAIN_DELAY: '0' },
        ...{ DATABASE_URL: database.url, JWT_SECRET: SECRET },
      },
    })
    const exited = new Promise((resolve) => service.on('exit', resolve))
    onTestFinished(async () => {
      service.kill()
      await exited
      await database.drop()
    })
    let output = ''
    for (const stream of [service.stdout, service.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    await expect.poll(() => output).toContain('ready at')
    const guest = await Client.guest(/ready at (http:[^"\s]+)/.exec(output)?.[1] as string)
    await guest.get('/readyz', 200)
    expect((await guest.get('/desk/exams', 200)).body).toContain('<div id="desk">')
    expect((await guest.get('/login', 200)).body).toContain('stylesheet')
    service.kill()
    expect(await exited).toBe(0)
  },
  BUILD_TIMEOUT_MS,
)
