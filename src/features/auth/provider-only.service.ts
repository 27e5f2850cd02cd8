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

/** Whether an account is somebody's whom the provider knows. */
export async function isLinkedToProvider(
  { config: { oidc } }: Pick<Core, 'config'>,
  db: Executor,
  userId: number,
): Promise<boolean> {
  return oidc !== undefined && hasIdentity(db, userId, oidc.issuer)
}

/**
 * 403 `oidc_only` where everybody signs in by the provider, but for `account` if the operator made it: at all doors of
 * the service's own.
 */
export function requireOwnDoors(core: Pick<Core, 'config'>, account?: { byOperator: boolean }): void {
  if (isProviderOnly(core) && !account?.byOperator) throw new AppError('oidc_only')
}

/**
 * Ends what came by other doors, when a node starts that has the provider alone. Throws a ConfigError if nobody could
 * administrate while the provider is away.
 */
export async function closeOtherDoors(core: Core): Promise<void> {
  if (!isProviderOnly(core)) return
  if (!(await hasOperatorsAdmin(core.db)))
    throw new ConfigError([
      'OIDC_ONLY: needs an administrator with a password: npm run admin -- create --username … --email …',
    ])
  await endOtherSessions(core)
}
