import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { check } from 'recheck'
import { expect, test } from 'vitest'
import { CLIENT_FRAMES } from '../../schemas/events.schemas.ts'
import type { Schema } from '../support/promises/documented.ts'
import { sharedService } from '../support/service.ts'

/** Every schema within this one, with its path. */
function* schemasIn(schema: unknown, at: string): Generator<[at: string, schema: Schema]> {
  if (typeof schema !== 'object' || schema === null) return
  if (!Array.isArray(schema)) yield [at, schema as Schema]
  for (const [key, inner] of Object.entries(schema)) yield* schemasIn(inner, `${at}/${key}`)
}

async function requestSchemas(): Promise<[string, Schema][]> {
  const { operations } = (await sharedService()).documented
  return [
    ...operations.flatMap(({ method, path, body, parameters }) => [
      ...schemasIn(body, `${method} ${path}`),
      ...schemasIn(parameters, `${method} ${path}?`),
    ]),
    ...schemasIn(CLIENT_FRAMES, 'frame'),
  ]
}

/** The check takes as long as it needs, so that a busy machine doesn't change its result. */
const PATIENT = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null }

/** Why a pattern may take more than linear time; undefined if it never does. */
async function findSlowness(pattern: string, flags: string): Promise<string | undefined> {
  const result = await check(pattern, flags, PATIENT)
  return result.status === 'safe' ? undefined : result.status
}

test('every declared pattern takes linear time, on texts and lists of bounded length only', async () => {
  const patterns = new Set<string>()
  for (const [at, schema] of await requestSchemas()) {
    if (typeof schema.pattern === 'string') {
      patterns.add(schema.pattern)
      expect(schema.maxLength, `${at} has a pattern, but no maxLength`).toBeTypeOf('number')
    }
    if (schema.type === 'array' && schema.items)
      expect(schema.maxItems, `${at} is a list without maxItems`).toBeTypeOf('number')
    for (const pattern of Object.keys(schema.patternProperties ?? {})) {
      patterns.add(pattern)
      expect(schema.maxProperties, `${at} is a record without maxProperties`).toBeTypeOf('number')
    }
  }
  expect(patterns.size).toBeGreaterThan(8)
  for (const pattern of patterns) expect(await findSlowness(pattern, 'u'), pattern).toBeUndefined()
})

test('every regular expression in the code takes linear time', {
  timeout: 120_000,
  meta: { costly: 'analyses every regular expression of the code' },
}, async () => {
  const literal =
    /(?<=[(,=:!&|?[{]\s?|return )\/((?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g
  const found = new Map<string, string>()
  let checked = 0
  for (const folder of ['src', 'schemas'])
    for (const file of await readdir(folder, { recursive: true })) {
      // Settings come from the operator, and are read once.
      if (!file.endsWith('.ts') || file.startsWith('settings/')) continue
      const source = (await readFile(path.join(folder, file), 'utf8')).replaceAll(/`[^`]*`/g, '')
      for (const [whole, pattern, flags] of source.matchAll(literal)) {
        // The checker can't read classes of whole strings; the one that is here looks at a parameter of bounded length.
        if (pattern === String.raw`^\p{RGI_Emoji}$`) continue
        checked += 1
        const slowness = await findSlowness(pattern ?? '', (flags ?? '').replace(/[dgy]/g, ''))
        if (slowness !== undefined) found.set(`${folder}/${file}: ${whole}`, slowness)
      }
    }
  expect(checked).toBeGreaterThan(50)
  expect([...found]).toEqual([])
})
