import type { Core } from '../../core.ts'
import { hashPassword } from '../auth/passwords.ts'
import * as auth from '../auth/store.ts'
import { requestConnection } from '../chat/connections.ts'

export const DEMO_PASSWORD = 'practice-demo'

const PEOPLE = [
  { username: 'admin', fullName: 'Ada Admin', role: 'user,admin' },
  { username: 'alice', fullName: 'Alice Example', role: 'user' },
  { username: 'bob', fullName: 'Bob Example', role: 'user' },
] as const

/** Fills an empty service with people to try it as. True if it did: a service that has accounts is left alone. */
export async function seedDemo(core: Core): Promise<boolean> {
  if (await auth.hasUsers(core.db)) return false
  const passwordHash = await hashPassword(DEMO_PASSWORD)
  const [, alice, bob] = await core.db.transaction(async (tx) => {
    const made = []
    for (const person of PEOPLE)
      made.push(
        await auth.insertUser(tx, { ...person, email: `${person.username}@example.org`, passwordHash }),
      )
    return made
  })
  if (alice && bob) {
    await requestConnection(core, alice.id, bob.id)
    await requestConnection(core, bob.id, alice.id)
  }
  return true
}
