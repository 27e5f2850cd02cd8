import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readStamp, replace, STAMP } from '../../desk/replace.ts'

test('a built desk replaces one of other sources, and leaves one of the same, which may be being served', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-desk-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const place = path.join(folder, 'dist')
  const build = async (name: string, sources: string) => {
    const made = path.join(folder, name)
    await mkdir(made)
    await writeFile(path.join(made, STAMP), sources)
    await writeFile(path.join(made, name), '')
    return made
  }
  const [one, same, newer] = [
    await build('one', 'these'),
    await build('same', 'these'),
    await build('newer', 'those'),
  ]
  await replace(place, one)
  await replace(place, same)
  expect(await readdir(place)).toEqual([STAMP, 'one'])
  await replace(place, newer)
  expect(await readdir(place)).toEqual([STAMP, 'newer'])
  expect(await readStamp(place)).toBe('those')
  // Whoever built it removes what was left.
  expect((await readdir(folder)).sort()).toEqual(['dist', 'same'])
})
