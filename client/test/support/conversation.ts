import type { Conversation } from '../../src/chat/chat.ts'

/** What an app and the service have to agree on about a conversation; the end of a mute is left to the counters. */
export function brief({
  id,
  name,
  unread,
  unread_mentions,
  version,
  last_seq,
  last_message,
  settings: { archived, pinned },
}: Conversation) {
  return { id, name, unread, unread_mentions, version, last_seq, last_message, archived, pinned }
}
