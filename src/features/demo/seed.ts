import type { Core } from '../../core.ts'
import { createAccount, hasAccounts } from '../auth/service.ts'
import { requestConnection } from '../chat/connections.ts'
import { seedDemoExam } from './exam.ts'

export const DEMO_PASSWORD = 'practice-demo'

const PEOPLE = [
  { username: 'admin', fullName: 'Ada Admin', role: 'user,admin' },
  { username: 'alice', fullName: 'Alice Example', role: 'user' },
  { username: 'bob', fullName: 'Bob Example', role: 'user' },
] as const

/** Fills an empty service with people to try it as. True if it did: a service that has accounts is left alone. */
export async function seedDemo(core: Core): Promise<boolean> {
  if (await hasAccounts(core)) return false
  const made = []
  for (const person of PEOPLE)
    made.push(
      await createAccount(core, {
        ...person,
        email: `${person.username}@example.org`,
        password: DEMO_PASSWORD,
      }),
    )
  const [, alice, bob] = made
  if (alice && bob) {
    await requestConnection(core, alice.id, bob.id)
    await requestConnection(core, bob.id, alice.id)
  }
  await seedDemoExam(core)
  return true
}
