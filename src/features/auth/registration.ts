import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'

/** 403 `registration_closed` where people don't make their accounts themselves, or not with this address. */
export function requireRegistration({ config: { registration } }: Pick<Core, 'config'>, email: string): void {
  if (registration === 'open') return
  if (registration === 'closed') throw new AppError('registration_closed')
  const domain = foldCase(email.split('@').at(-1) ?? '')
  if (registration.domains.includes(domain)) return
  const message = `Accounts here are for addresses of ${registration.domains.join(', ')}`
  throw new AppError('registration_closed', { message })
}
