import type { Device } from '../../actor.ts'
import type { GoogleIdentity } from '../../adapters/google.ts'
import type { Core } from '../../core.ts'
import type { Executor } from '../../db/database-client.ts'
import { type UserRow, updateUser } from '../../db/user-rows.ts'
import { AppError } from '../../errors.ts'
import { foldCase } from '../../formats/case-fold.ts'
import { decideOwner, type Newcomer, settleOwner } from './account-owner.ts'
import { noteAddress } from './address-proof.ts'
import * as store from './auth.store.ts'
import { fitName, suggestUsername } from './new-names.ts'
import { isLinkedToProvider } from './provider-only.service.ts'
import { requireRegistration } from './registration.ts'

/**
 * The account of somebody whom the identity provider has identified: the one with their subject, else the one with
 * their address, which is linked to the subject if it is theirs, else a new one. 403 `registration_closed`. A refusal is
 * answered, to be thrown after the commit: 409 `account_exists` if it has to be asked whose it is, `email_taken`.
 */
export async function findOrCreateGoogleUser(
  core: Core,
  tx: Executor,
  identity: GoogleIdentity,
  { passwordHash, anew }: Omit<Newcomer, 'isOthers'>,
  device: Device,
): Promise<{ user: UserRow; isNew: boolean } | AppError> {
  const { subject, email } = identity
  return settleOwner(tx, device, {
    find: () => store.findUserByGoogleForUpdate(tx, identity),
    decide: async (holder) => {
      if (holder.googleSubject === subject) {
        await proveAnew(core, tx, holder, email)
        return holder
      }
      // At a school, the school says who somebody is: an address that reaches them proves nothing there.
      const isKnown = passwordHash !== undefined && passwordHash === holder.passwordHash
      const isSchools = !isKnown && (await isLinkedToProvider(core, tx, holder.id))
      const isOthers = holder.googleSubject !== null || isSchools
      const owned = await decideOwner(tx, holder, { passwordHash, anew, isOthers }, device)
      return owned && !(owned instanceof AppError)
        ? updateUser(tx, owned.id, { googleSubject: subject })
        : owned
    },
    create: (attempt) => {
      requireRegistration(core, email)
      const username = suggestUsername(email, attempt)
      return store.insertUserIfFree(tx, {
        username,
        email,
        emailVerified: true,
        googleSubject: subject,
        fullName: fitName(identity.name) ?? username,
        role: 'user',
      })
    },
  })
}

/** Notes that the account's own address is verified, also if another subject had it meanwhile. */
async function proveAnew(core: Core, tx: Executor, user: UserRow, email: string): Promise<void> {
  if (user.emailVerified || foldCase(user.email) !== foldCase(email)) return
  // At a school, the school says whose address that is.
  if (!(await isLinkedToProvider(core, tx, user.id))) await noteAddress(tx, user.id)
}
