import { expect } from 'vitest'
import type { Client } from '../client.ts'
import { PATIENCE_MS } from '../patience.ts'
import { form } from './forms.ts'

/** Gives a class a text, and waits until it is read; answers its id. */
export async function giveText(by: Client, classId: number, title: string, text: string): Promise<number> {
  const at = `/api/v01/classes/${classId}/materials` as const
  const fields = form({ title }, { field: 'file', name: 'script.markdown', bytes: text })
  const { id } = (await by.request('POST', at, fields, 201)).body.material
  await expect
    .poll(async () => (await by.get(`${at}/${id}`, 200)).body.material.status, { timeout: PATIENCE_MS })
    .toBe('ready')
  return id
}
