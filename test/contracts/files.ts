import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { Files, FoundFile } from '../../src/adapters/files.ts'

/** What every storage guarantees (src/adapters/files.ts). */
export function filesContract(name: string, create: () => Files): void {
  describe(`files ${name}`, () => {
    const newKey = () => `Physics/${randomUUID()}.png`

    test('come back as they were put, with their type', async () => {
      const files = create()
      const key = newKey()
      const bytes = randomBytes(300_000)
      await files.put(key, bytes, 'image/png')
      expect(await files.get(key)).toEqual({ bytes, contentType: 'image/png' })
    })

    test('replace what was under the key', async () => {
      const files = create()
      const key = newKey()
      await files.put(key, Buffer.from('a longer old one'), 'image/png')
      await files.put(key, Buffer.from('new'), 'image/png')
      expect((await files.get(key))?.bytes.toString()).toBe('new')
    })

    test('are found without their bytes, and read in parts', async () => {
      const files = create()
      const key = newKey()
      expect(await files.find(key)).toBeUndefined()
      expect(await files.find(path.dirname(key))).toBeUndefined()
      const bytes = randomBytes(2_500_000)
      await files.put(key, bytes, 'image/png')
      const found = (await files.find(key)) as FoundFile
      expect(found).toMatchObject({ size: bytes.length, contentType: 'image/png' })
      const read = async (start: number, end: number) => buffer(await found.read(start, end))
      expect(bytes.equals(await read(0, bytes.length - 1))).toBe(true)
      expect(bytes.subarray(7, 8).equals(await read(7, 7))).toBe(true)
      expect(bytes.subarray(1_000, 2_400_000).equals(await read(1_000, 2_399_999))).toBe(true)
    })

    test('have another version after each change, and no part of the earlier one is read', async () => {
      const files = create()
      const key = newKey()
      await files.put(key, Buffer.from('one'), 'image/png')
      const before = (await files.find(key)) as FoundFile
      expect((await files.find(key))?.version).toBe(before.version)
      await files.put(key, Buffer.from('two'), 'image/png')
      expect((await files.find(key))?.version).not.toBe(before.version)
      await expect(before.read(0, 2)).rejects.toMatchObject({ code: 'unavailable' })
      await files.delete(key)
      await expect(before.read(0, 2)).rejects.toMatchObject({ code: 'unavailable' })
    })

    test('put at once under one key leave one whole file', async () => {
      const files = create()
      const key = newKey()
      const versions = Array.from({ length: 8 }, (_, n) => Buffer.alloc(100_000, n))
      await Promise.all(versions.map((bytes) => files.put(key, bytes, 'image/png')))
      const stored = await files.get(key)
      expect(versions.some((bytes) => stored?.bytes.equals(bytes))).toBe(true)
    })

    test('that don’t exist are undefined, and may be deleted', async () => {
      const files = create()
      const key = newKey()
      expect(await files.get(key)).toBeUndefined()
      expect(await files.get(`${key}/below`)).toBeUndefined()
      await files.put(key, Buffer.from('x'), 'image/png')
      await files.delete(key)
      await files.delete(key)
      expect(await files.get(key)).toBeUndefined()
    })

    test('are listed, however many there are, whatever their names', async () => {
      const files = create()
      const keys = [newKey(), newKey(), newKey(), 'Maths/a & <b> #1?.png', 'Mathématiques/½ 😀.png']
      for (const key of keys) await files.put(key, Buffer.from(key), 'image/png')
      const listed = await readAll(files.list())
      expect(listed).toEqual(expect.arrayContaining(keys))
      expect(new Set(listed).size).toBe(listed.length)
      for (const key of keys) await files.delete(key)
      expect(await readAll(files.list())).not.toEqual(expect.arrayContaining([keys[0]]))
    })

    test.each([
      'Maths/integral 1 (final) + more!.png',
      'Mathématiques/½ 😀.png',
      "Maths/it's 100% *sure* & #1?.png",
      'Maths/a=b,c;d@e$f.png',
    ])('keep the name %s', async (key) => {
      const files = create()
      await files.put(key, Buffer.from(key), 'image/png')
      expect((await files.get(key))?.bytes.toString()).toBe(key)
      await files.delete(key)
      expect(await files.get(key)).toBeUndefined()
    })
  })
}

async function readAll(keys: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const key of keys) all.push(key)
  return all
}
