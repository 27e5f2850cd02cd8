import type { ConfirmResetBody } from '../../../schemas/account.schemas.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { LINK_LIFETIME_MS } from './address-mails.ts'
import { confirmAddress } from './address-proof.ts'
import * as store from './password-resets.store.ts'
import { hashPassword } from './passwords.ts'
import { requireOwnDoors } from './provider-only.service.ts'
import { hashSecretToken } from './secret-tokens.ts'
import { announceRevocations, endSessionsOf } from './sessions.service.ts'

/**
 * Sets the password of the account that this token was mailed to, if that still has the address that the mail went to.
 * The token works once; the account's other links and all of its sessions end. 400 `invalid_token`.
 */
export async function confirmPasswordReset(
  core: Core,
  { token, new_password }: ConfirmResetBody,
  asker: Asker,
): Promise<void> {
  requireOwnDoors(core)
  if (!(await findLink(core, core.db, token))) throw new AppError('invalid_token')
  const passwordHash = await core.gate.passwords.run(asker, () =>
    hashPassword(core.config.passwordCost, new_password),
  )
  await useLink(core, token, async (tx, user) => {
    await updateUser(tx, user.id, { passwordHash })
    await endSessionsOf(tx, user.id)
  })
}

/**
 * Proves the address that this token was mailed to: somebody who signs in by a provider that has verified it gets into
 * the account from then on. The token works once; the account's other links end. 400 `invalid_token`.
 */
export async function confirmAddressByLink(core: Core, token: string): Promise<void> {
  await useLink(core, token, async () => {})
}

function findLink({ clock }: Core, db: Executor, token: string): Promise<store.Addressee | undefined> {
  return store.findReset(db, hashSecretToken(token), new Date(clock() - LINK_LIFETIME_MS))
}

/** Whoever has the link has the address: that is proved, whatever else is done, and all of the account's links end. */
async function useLink(
  core: Core,
  token: string,
  change: (tx: Executor, user: UserRow) => Promise<void>,
): Promise<void> {
  const link = await findLink(core, core.db, token)
  if (!link) throw new AppError('invalid_token')
  await core.db.transaction(async (tx) => {
    // The account's row is locked first, as everywhere (docs/architecture.md#locks).
    const user = await store.holdAddressee(tx, link)
    if (!user || !(await findLink(core, tx, token))) throw new AppError('invalid_token')
    await confirmAddress(tx, user)
    await change(tx, user)
    await store.voidResets(tx, user.id)
  })
  announceRevocations(core)
}
