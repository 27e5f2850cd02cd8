import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { getBinaries, prepareBinaries } from '../../../src/db/embedded/staging.ts'

const isRoot = process.getuid?.() === 0
const log = { info: vi.fn() }

/** A small stand-in for the package, and a home of a cluster. */
let root: string
let native: string
let home: string
let version: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'embedded staging '))
  native = join(root, 'package', 'native')
  home = join(root, 'home')
  version = `0.0.0-test-${root.slice(-6)}`
  await mkdir(join(native, 'bin'), { recursive: true })
  await mkdir(join(native, 'lib'))
  await mkdir(home)
  await writeFile(join(native, 'bin', 'postgres'), '#!/bin/sh\n', { mode: 0o755 })
  await writeFile(join(native, 'lib', 'libpq.so.5.18'), 'library')
  await writeFile(
    join(native, 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
  )
  log.info.mockClear()
  return () => rm(root, { recursive: true, force: true })
})

test('finds the package of this platform', async () => {
  const found = await getBinaries()
  expect(await readdir(join(found.native, 'bin'))).toContain('postgres')
  expect(found.version).toMatch(/^18\./)
})

test('says to set DATABASE_URL where the package is not installed', async () => {
  await expect(getBinaries(join(root, 'elsewhere.js'))).rejects.toThrow('set DATABASE_URL')
})

test('makes the links that the install script would, under simultaneous starts too', async () => {
  const prepare = () => prepareBinaries({ native, version }, {}, home, log)
  expect(await Promise.all([prepare(), prepare(), prepare()])).toEqual([native, native, native])
  expect(await readlink(join(native, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
  expect(await prepare()).toBe(native)
  expect(await readdir(home)).toEqual([])
})

test.runIf(!isRoot)('copies the binaries once, with their links, out of a read-only package', async () => {
  await chmod(join(native, 'lib'), 0o555)
  const prepare = () => prepareBinaries({ native, version }, {}, home, log)
  const staged = join(home, `postgresql-${version}`)
  expect(await Promise.all([prepare(), prepare(), prepare()])).toEqual([staged, staged, staged])
  await prepare()
  expect(log.info).toHaveBeenCalledOnce()
  expect(await readdir(home)).toEqual([`postgresql-${version}`])
  expect(await readlink(join(staged, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
  await chmod(join(native, 'lib'), 0o755)
})

test.runIf(isRoot)(
  'copies the binaries once, with their links, to where their user can read them',
  async () => {
    const nobody = { uid: 65_534, gid: 65_534 }
    // Nobody else can read the package: mkdtemp gave `root` mode 0700, and this file is private too.
    await chmod(join(native, 'lib', 'libpq.so.5.18'), 0o600)
    // As if npm had run the install script: the copy of this link must not lead back here.
    await symlink('libpq.so.5.18', join(native, 'lib', 'libpq.so.5'))
    const prepare = () => prepareBinaries({ native, version }, nobody, home, log)
    const [staged, ...others] = await Promise.all([prepare(), prepare(), prepare()])
    onTestFinished(() => rm(staged, { recursive: true }))
    expect([await prepare(), ...others]).toEqual([staged, staged, staged])
    expect(log.info).toHaveBeenCalledOnce()
    expect(await readlink(join(staged, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
    expect(await readFile(join(staged, 'lib', 'libpq.so.5'), 'utf8')).toBe('library')
    expect(await prepareBinaries({ native: staged, version: 'unused' }, nobody, home, log)).toBe(staged)

    await chmod(root, 0o755)
    expect(await prepare()).toBe(native)
  },
)
