import type { User } from '@exam-practice/client'

/** The properties of each view: the parameters of its address, and the signed-in person. */
export interface ViewProps {
  params: Record<string, string | undefined>
  user: User
}
