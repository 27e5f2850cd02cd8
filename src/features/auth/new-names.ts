import { randomInt } from 'node:crypto'
import { isPersonName } from '../../../schemas/name-formats.ts'

/** Tries to find a free username; from the second try on it ends with six random digits. */
export const NAME_TRIES = 10

/** A username that fits, from what a provider calls somebody or from their address. */
export function suggestUsername(wanted: string, attempt: number): string {
  const [local = ''] = wanted.split('@', 1)
  const base = local.replaceAll(/[^A-Za-z0-9_.-]/g, '').slice(0, 24)
  if (attempt === 0 && base.length >= 3) return base
  return `${base || 'user'}.${String(randomInt(1_000_000)).padStart(6, '0')}`
}

/** A full name that fits, in one line; undefined if nothing is left of it that a person can be called. */
export function fitName(name = ''): string | undefined {
  const line = name.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const fitting = [...line.trim()].slice(0, 200).join('').trim()
  return isPersonName(fitting) ? fitting : undefined
}
