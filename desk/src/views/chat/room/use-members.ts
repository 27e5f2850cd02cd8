import type { Conversation } from '@exam-practice/client/chat'
import { type Answer, ask, client } from '../../../client.ts'
import { useLoad } from '../../../components/page/use-load.ts'

export type Member = Answer<'/api/v01/chat/conversations/{id}', 'get'>['conversation']['members'][number]
/** Full names by user id. */
export type Names = ReadonlyMap<number, string>

const NOBODY: readonly Member[] = []

/** The members of a conversation; nobody until they are known. */
export function useMembers({ id, member_count }: Conversation): readonly Member[] {
  const params = { path: { id } }
  const found = useLoad(`${id} ${member_count}`, async () => {
    const { conversation } = await ask(client.GET('/api/v01/chat/conversations/{id}', { params }))
    return conversation.members
  })
  return found.data ?? NOBODY
}
