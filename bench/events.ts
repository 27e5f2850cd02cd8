import type { MessageChange } from '../src/bus/events.ts'

/** What a send publishes after its commit. */
export function messageEvent(version: number, message: string): MessageChange {
  return {
    kind: 'message',
    version,
    message: {
      id: version,
      seq: version,
      version,
      sender_id: 1,
      sender_name: 'Person 1',
      message,
      client_id: null,
      created_at: '2026-11-20T10:15:00.000Z',
      is_edited: false,
      is_deleted: false,
      reply_to_id: null,
      reply_to_text: null,
      reply_to_name: null,
      reactions: [],
      attachments: [],
      mentions: [],
    },
  }
}
