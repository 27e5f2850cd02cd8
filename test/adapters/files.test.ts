import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FoundFile } from '../../src/adapters/files.ts'
import { createDiskFiles } from '../../src/adapters/files-disk.ts'
import { createS3Files } from '../../src/adapters/files-s3.ts'
import { ConfigError, readConfig } from '../../src/settings/config.ts'
import type { S3Storage } from '../../src/settings/storage-settings.ts'
import { filesContract } from '../contracts/files.ts'
import { LoopbackS3 } from '../support/outside/s3.ts'

let folder: string
let s3: LoopbackS3
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-files-'))
  s3 = await LoopbackS3.start()
})
afterAll(async () => {
  await s3.close()
  await rm(folder, { recursive: true, force: true })
})

const s3Storage = (change: Partial<S3Storage> = {}): S3Storage => ({
  kind: 's3',
  bucket: 'exams',
  endpoint: s3.endpoint,
  region: 'eu-central-1',
  accessKeyId: s3.accessKeyId,
  secretAccessKey: s3.secretAccessKey,
  sessionToken: undefined,
  ...change,
})

filesContract('on disk', () => createDiskFiles(path.join(folder, 'files')))
filesContract('in S3', () => createS3Files(s3Storage()))

describe('on disk', () => {
  test.each(['../secret', 'a/../../secret', '/etc/passwd', 'a/b\0.png', '..', ''])(
    'the key %j never leaves the folder',
    async (key) => {
      await writeFile(path.join(folder, 'secret'), 'secret')
      const files = createDiskFiles(path.join(folder, 'files'))
      await expect(files.put(key, Buffer.from('x'), 'image/png')).rejects.toThrow('leaves the storage folder')
      await expect(files.get(key)).rejects.toThrow('leaves the storage folder')
      await expect((async () => files.delete(key))()).rejects.toThrow('leaves the storage folder')
    },
  )

  test('no temporary file is left behind', async () => {
    const files = createDiskFiles(path.join(folder, 'clean'))
    await Promise.all([1, 2, 3].map((n) => files.put('A/x.png', Buffer.from(`${n}`), 'image/png')))
    expect(await readdir(path.join(folder, 'clean', 'A'))).toEqual(['x.png'])
  })
})

describe('in S3', () => {
  test.each(['../others/secret', 'a/../../others/secret', '..', './a', 'a/./b'])(
    'the key %j never leaves the bucket',
    async (key) => {
      const files = createS3Files(s3Storage())
      await expect(files.put(key, Buffer.from('x'), 'image/png')).rejects.toThrow()
      await expect(files.get(key)).rejects.toThrow()
      await expect(files.find(key)).rejects.toThrow()
      await expect(files.delete(key)).rejects.toThrow()
      expect([...s3.objects.keys()].filter((each) => !each.startsWith('/exams/'))).toEqual([])
    },
  )

  test('a large file is read in small pieces, since each slow reader holds some of its own', async () => {
    const files = createS3Files(s3Storage())
    await files.put('a/large.png', Buffer.alloc(2_000_000), 'image/png')
    const found = (await files.find('a/large.png')) as FoundFile
    for await (const piece of await found.read(0, found.size - 1))
      expect(piece.length).toBeLessThanOrEqual(128 * 1024)
    await files.delete('a/large.png')
  })

  test('a wrong secret, a failing storage and an unreachable one are 503, not missing files', async () => {
    const wrong = createS3Files(s3Storage({ secretAccessKey: 'another' }))
    await expect(wrong.put('a/b.png', Buffer.from('x'), 'image/png')).rejects.toMatchObject({
      code: 'unavailable',
    })
    await expect(wrong.get('a/b.png')).rejects.toMatchObject({ code: 'unavailable' })
    const absent = createS3Files(s3Storage({ endpoint: 'http://127.0.0.1:1' }))
    await expect(absent.get('a/b.png')).rejects.toMatchObject({ code: 'unavailable' })
    s3.failing = 503
    await expect(createS3Files(s3Storage()).delete('a/b.png')).rejects.toMatchObject({ code: 'unavailable' })
    s3.failing = undefined
    s3.breaking = true
    await expect(createS3Files(s3Storage()).get('a/b.png')).rejects.toMatchObject({ code: 'unavailable' })
    s3.breaking = false
    expect([...s3.objects.keys()].filter((key) => key.endsWith('a/b.png'))).toEqual([])
  })
})

describe('STORAGE_URL', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const read = (env: Record<string, string>) => readConfig({ DATA_DIR: '/data', ...env }).storage

  test('names a folder or a bucket', () => {
    expect(read({})).toEqual({ kind: 'disk', folder: '/data/files' })
    expect(read({ STORAGE_URL: 'file:///var/lib/exam%20files' })).toEqual({
      kind: 'disk',
      folder: '/var/lib/exam files',
    })
    expect(read({ STORAGE_URL: 's3://exams', AWS_REGION: 'eu-west-1', ...keys })).toMatchObject({
      kind: 's3',
      bucket: 'exams',
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      region: 'eu-west-1',
    })
    const url = 's3://exams?endpoint=http://minio:9000/&region=x'
    expect(read({ STORAGE_URL: url, ...keys, AWS_SESSION_TOKEN: 't' })).toMatchObject({
      endpoint: 'http://minio:9000',
      region: 'x',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      sessionToken: 't',
    })
  })

  test.each([
    [{ STORAGE_URL: 'ftp://x' }, 'STORAGE_URL'],
    [{ STORAGE_URL: 's3://' }, 'STORAGE_URL'],
    [{ STORAGE_URL: 's3://exams' }, 'AWS_ACCESS_KEY_ID'],
    [{ STORAGE_URL: 's3://exams?endpoint=minio:9000', ...keys }, 'STORAGE_URL'],
  ])('%j is refused by an error that names the variable', (env, problem) => {
    expect(() => read(env)).toThrow(ConfigError)
    expect(() => read(env)).toThrow(problem)
  })
})
