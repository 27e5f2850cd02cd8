import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Transactions a second of PostgreSQL's own load generator, which repeats a script on as many connections. undefined if
 * the machine doesn't have it.
 */
export async function pgbench(
  databaseUrl: string,
  script: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-pgbench-'))
  const file = path.join(folder, 'script.sql')
  await writeFile(file, script)
  const options = ['--no-vacuum', '--protocol=prepared', `--client=${connections}`, `--time=${seconds}`]
  try {
    const { stdout } = await run('pgbench', [...options, `--file=${file}`, databaseUrl])
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true })
  }
}
