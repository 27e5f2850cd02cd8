import type { LivePlugin } from '../../../gateway/live.ts'
import { markRead, tellTyping } from '../conversations/service.ts'
import { countersOf } from '../memberships/service.ts'
import { sendMessage } from '../messages/service.ts'
import { ConversationWatches } from './conversation-watches.ts'
import { CounterUpdates } from './counters.ts'
import { PresenceUpdates } from './presence.ts'
import { resume } from './resume.ts'

/** Peer chat on sockets: conversations and their messages, counters, and presence. */
export const chatLive: LivePlugin = (core, people) => {
  const counters = new CounterUpdates(core)
  const presence = new PresenceUpdates(core, people)
  const watches = new ConversationWatches(core, people, counters, presence)
  return {
    commands: {
      async send({ claims }, { conversation_id, ...input }) {
        const { message } = await sendMessage(core, claims.userId, conversation_id, input)
        return { message }
      },
      async read({ claims }, { conversation_id, up_to_seq }) {
        return { unread: await markRead(core, claims.userId, conversation_id, up_to_seq) }
      },
      async typing({ claims }, { conversation_id }) {
        await tellTyping(core, claims.userId, conversation_id)
        return undefined
      },
      async resume(connection, { conversations }) {
        const known = Object.entries(conversations).map(([id, version]) => [Number(id), version] as const)
        const person = people.find(connection.claims.userId)
        return resume(core, connection, new Map(known), {
          async follow(ids) {
            if (person) await watches.follow(person, ids)
          },
          catchUp: (id, version) => watches.catchUp(id, version),
        })
      },
    },
    async arrive(person) {
      core.presence.arrive(person.userId)
      await watches.arrive(person)
    },
    async greet(person) {
      counters.forget(person)
      return countersOf(core, person.userId)
    },
    leave(person) {
      core.presence.leave(person.userId)
      watches.leave(person)
    },
    receive(person, event) {
      if (event.kind === 'counters') counters.changed(person, event.conversationId)
      else void watches.admit(person, event.conversationId)
    },
    close() {
      watches.close()
      counters.close()
      presence.close()
    },
  }
}
