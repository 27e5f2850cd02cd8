import type { Conversation } from '@exam-practice/client/chat'

/** The direct conversations with people who can be taken into a group. */
export function listConnected(conversations: readonly Conversation[]): Conversation[] {
  return conversations.filter(({ user_id, can_send }) => user_id !== null && can_send)
}
