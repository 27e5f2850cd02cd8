import type { ConfirmResetBody } from '../../../schemas/account.schemas.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { lockUser, type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import type { Asker } from '../../scheduling/fair-queue.ts'
import { LINK_LIFETIME_MS } from './address-mails.ts'
import { confirmAddress } from './address-proof.ts'
import * as store from './password-resets.store.ts'
import { hashPassword } from './passwords.ts'
import { requireOwnDoors } from './provider-only.service.ts'
import { createSecretToken, hashSecretToken } from './secret-tokens.ts'
import { announceRevocations, endSessionsOf } from './sessions.service.ts'

/** How long the link of an administrator works. */
const HANDED_LIFETIME_MS = 24 * LINK_LIFETIME_MS

/**
 * Sets the password of the account that this token was mailed to, if that still has the address that the mail went to,
 * or that an administrator made it for. The token works once; the account's other links and all of its sessions end.
 * 400 `invalid_token`.
 */
export async function confirmPasswordReset(
  core: Core,
  { token, new_password }: ConfirmResetBody,
  asker: Asker,
): Promise<void> {
  requireOwnDoors(core)
  const isMailed = (await findLink(core, core.db, token)) !== undefined
  if (!isMailed && !(await findHanded(core, core.db, token))) throw new AppError('invalid_token')
  const passwordHash = await core.gate.passwords.run(asker, () =>
    hashPassword(core.config.passwordCost, new_password),
  )
  const change = async (tx: Executor, { id }: UserRow) => {
    await updateUser(tx, id, { passwordHash })
    await endSessionsOf(tx, id)
  }
  await (isMailed ? useLink(core, token, change) : useHandedLink(core, token, change))
}

/**
 * A token by which somebody can choose a password for a day, whoever hands it to them; it takes the place of an earlier
 * one. 403 `oidc_only`.
 */
export async function createPasswordToken(
  core: Core,
  tx: Executor,
  userId: number,
): Promise<{ token: string; endsAt: Date }> {
  requireOwnDoors(core)
  const { token, hash } = createSecretToken()
  const endsAt = new Date(core.clock() + HANDED_LIFETIME_MS)
  await store.putPasswordLink(tx, { userId, tokenHash: hash, endsAt })
  return { token, endsAt }
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

function findHanded({ clock }: Core, db: Executor, token: string): Promise<number | undefined> {
  return store.findPasswordLink(db, hashSecretToken(token), new Date(clock()))
}

/** Proves nothing of the address. Who has become an administrator since is not let in by it. */
async function useHandedLink(
  core: Core,
  token: string,
  change: (tx: Executor, user: UserRow) => Promise<void>,
): Promise<void> {
  await core.db.transaction(async (tx) => {
    const userId = await findHanded(core, tx, token)
    const user = userId === undefined ? undefined : await lockUser(tx, userId)
    if (user?.role !== 'user' || !(await findHanded(core, tx, token))) throw new AppError('invalid_token')
    await change(tx, user)
    await store.voidResets(tx, user.id)
  })
  announceRevocations(core)
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
