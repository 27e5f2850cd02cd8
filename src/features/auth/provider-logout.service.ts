import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { announceRevocations, endSessionsByProvider } from './sessions.service.ts'

/**
 * Ends the sessions that a logout token names. 400 `invalid_request` unless the provider signed it for this service.
 */
export async function logOutByProvider(core: Core, token: string): Promise<void> {
  if (!core.oidc) throw new AppError('not_configured')
  const order = await core.oidc.readLogoutToken(token)
  if (!order) throw new AppError('invalid_request', { message: 'The logout token is not valid' })
  await endSessionsByProvider(core.db, order)
  announceRevocations(core)
}
