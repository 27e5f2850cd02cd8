import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { AppError } from '../../errors.ts'
import { ConfigError } from '../../settings/config.ts'
import { hasIdentity, hasOperatorsAdmin } from './identities.store.ts'
import { endOtherSessions } from './sessions.service.ts'

/** Whether everybody has to sign in by the provider. */
export function isProviderOnly({ config }: Pick<Core, 'config'>): boolean {
  return config.oidc?.only ?? false
}

/** Whether an account belongs to somebody whom the provider knows. */
export async function isLinkedToProvider(
  { config: { oidc } }: Pick<Core, 'config'>,
  db: Executor,
  userId: number,
): Promise<boolean> {
  return oidc !== undefined && hasIdentity(db, userId, oidc.issuer)
}

/**
 * 403 `oidc_only` if everybody has to sign in by the provider, except for `account` if the operator made it: for all of
 * the service's own ways in.
 */
export function requireOwnDoors(core: Pick<Core, 'config'>, account?: { byOperator: boolean }): void {
  if (isProviderOnly(core) && !account?.byOperator) throw new AppError('oidc_only')
}

/**
 * Ends the sessions that came another way, when a node starts with the provider alone. Throws a ConfigError if no
 * administrator could sign in while the provider is away.
 */
export async function closeOtherDoors(core: Core): Promise<void> {
  if (!isProviderOnly(core)) return
  if (!(await hasOperatorsAdmin(core.db)))
    throw new ConfigError([
      'OIDC_ONLY: needs an administrator with a password: npm run admin -- create --username … --email …',
    ])
  await endOtherSessions(core)
}
