import type { Core } from '../../core.ts'
import { violates } from '../../db/database-errors.ts'
import { createAccount, hasAccounts } from '../auth/auth.service.ts'
import { hashPassword } from '../auth/passwords.ts'
import { requestConnection } from '../chat/connections/connections.service.ts'
import { DEMO_PASSWORD } from './demo-accounts.ts'
import { seedDemoExams } from './demo-exam.ts'

const PEOPLE = [
  { username: 'admin', full_name: 'Ada Admin', role: 'user,admin' },
  { username: 'alice', full_name: 'Alice Example', role: 'user' },
  { username: 'bob', full_name: 'Bob Example', role: 'user' },
] as const

/** Fills an empty service with accounts to try it. True if it did: a service that has accounts is left alone. */
export async function seedDemo(core: Core): Promise<boolean> {
  if (await hasAccounts(core.db)) return false
  try {
    await insertDemo(core)
    return true
  } catch (error) {
    // Another node, which started at the same moment, does it.
    if (violates(error, 'users_username_key')) return false
    throw error
  }
}

async function insertDemo(core: Core): Promise<void> {
  const passwordHash = await hashPassword(core.config.passwordCost, DEMO_PASSWORD)
  const [, alice, bob] = await core.db.transaction(async (tx) => {
    const made = []
    for (const { username, full_name, role } of PEOPLE) {
      const email = `${username}@example.org`
      made.push(await createAccount(tx, { username, full_name, email }, passwordHash, role))
    }
    return made
  })
  if (!alice || !bob) return
  await requestConnection(core, alice.id, bob.id)
  await requestConnection(core, bob.id, alice.id)
  await seedDemoExams(core, bob.id)
}
