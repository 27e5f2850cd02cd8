import { expect, test } from 'vitest'
import type { Core } from '../../src/core.ts'
import { fileUrl, isLiveAddress } from '../../src/features/uploads/upload-addresses.ts'
import { deriveKeys } from '../../src/tokens/secrets.ts'

const OLD = 'an old secret of at least 32 characters'
const NEW = 'a newer secret of at least 32 characters'
const NOW = Date.parse('2026-11-21T10:20:00Z')

function coreWith(...secrets: string[]): Core {
  return {
    clock: () => NOW,
    config: { publicUrl: undefined },
    fileKeys: deriveKeys(secrets, 'file addresses'),
  } as Core
}

function isLive(core: Core, address: string): boolean {
  const { pathname, searchParams } = new URL(address, 'http://service')
  const key = decodeURIComponent(pathname.slice('/files/'.length))
  const { expires = '', signature = '', ...saved } = Object.fromEntries(searchParams)
  return isLiveAddress(core, { key, expires, ...saved }, signature)
}

test('an address survives the rotation of the secret, until the secret that signed it is removed', () => {
  const address = fileUrl(coreWith(OLD), 'Maths/circle.png') ?? ''
  expect(isLive(coreWith(OLD), address)).toBe(true)
  expect(isLive(coreWith(NEW, OLD), address)).toBe(true)
  expect(isLive(coreWith(NEW), address)).toBe(false)
  expect(isLive(coreWith(OLD), fileUrl(coreWith(NEW, OLD), 'Maths/circle.png') ?? '')).toBe(false)
})

test('an address is signed together with the name that the file is saved as', () => {
  const address = fileUrl(coreWith(OLD), 'Attachments/1', { name: 'a.txt', type: 'text/plain' }) ?? ''
  expect(isLive(coreWith(OLD), address)).toBe(true)
  expect(isLive(coreWith(OLD), address.replace('a.txt', 'a.html'))).toBe(false)
  expect(isLive(coreWith(OLD), address.replace('plain', 'html'))).toBe(false)
  expect(isLive(coreWith(OLD), address.replace('&name=a.txt', ''))).toBe(false)
})

test('keys for different purposes differ', () => {
  const [files] = deriveKeys([OLD], 'file addresses')
  const [refresh] = deriveKeys([OLD], 'refresh tokens')
  expect(files.equals(refresh)).toBe(false)
})
