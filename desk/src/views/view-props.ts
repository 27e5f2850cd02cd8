import type { User } from '@exam-practice/client'

/** What every view is given: the parts of its address, and who is looking. */
export interface ViewProps {
  params: Record<string, string | undefined>
  user: User
}
