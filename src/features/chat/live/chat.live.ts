import type { LivePlugin } from '../../../gateway/live-plugin.ts'
import { every } from '../../../scheduling/periodic.ts'
import { markRead, tellTyping } from '../conversations/conversations.service.ts'
import { countersOf, listEndedMutes } from '../conversations/memberships.service.ts'
import { sendMessage } from '../messages/messages.service.ts'
import { ConversationWatches } from './conversation-watches.live.ts'
import { PresenceUpdates } from './presence.live.ts'
import { resume } from './resume.live.ts'
import { CounterUpdates } from './unread-counters.live.ts'

/** How often mutes that have ended are looked for: what they hid counts again. */
const MUTES_MS = 2_000

/** Peer chat on sockets: conversations and their messages, counters, and presence. */
export const chatLive: LivePlugin = (core, people) => {
  const counters = new CounterUpdates(core)
  const presence = new PresenceUpdates(core, people)
  const watches = new ConversationWatches(core, people, counters, presence)
  /** When mutes that had ended were last looked for, by the database's clock. */
  let mutesSeen: string | undefined
  const mutes = every(
    MUTES_MS,
    'looking for ended mutes',
    async () => {
      const { userIds, until } = await listEndedMutes(core, mutesSeen)
      mutesSeen = until
      for (const userId of userIds) {
        const person = people.find(userId)
        if (person) counters.changed(person)
      }
    },
    core.log,
  )
  // From now on: a mute may end before the first of these looks.
  mutes.soon()
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
          follow: async (ids) => (person ? watches.follow(person, ids) : false),
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
      else if (event.kind === 'conversation') void watches.admit(person, event.conversationId)
    },
    close() {
      watches.close()
      void mutes.close()
      counters.close()
      presence.close()
    },
  }
}
