import type { Conversation } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { chat } from '../../chat.ts'
import { Badge } from '../../components/badge.tsx'
import { Search } from '../../components/forms/search.tsx'
import { lately } from '../../format.ts'

interface ConversationListProps {
  conversations: readonly Conversation[] | undefined
  current: number | undefined
}

/** The conversations, latest activity first, with unread messages, presence and typing. */
export function ConversationList({ conversations, current }: ConversationListProps) {
  const [search, setSearch] = useState('')
  const typing = useStore(chat.$typing)
  const found = conversations?.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
  return (
    <nav class="conversation-list" aria-label="Conversations" aria-busy={conversations === undefined}>
      <Search label="Search conversations" value={search} take={setSearch} />
      {conversations === undefined && (
        <div class="skeleton">
          <i />
          <i />
        </div>
      )}
      <ul>
        {found?.map((each) => (
          <li key={each.id}>
            <a href={`/desk/chat/${each.id}`} aria-current={each.id === current ? 'page' : undefined}>
              <Avatar conversation={each} />
              <span class="who">
                <span class="row spread">
                  <strong>{each.name}</strong>
                  <small>{each.last_message && lately(each.last_message.created_at)}</small>
                </span>
                <span class="row spread">
                  <span class="latest">
                    {typing[each.id]?.length ? (
                      <em>typing…</em>
                    ) : (
                      (each.last_message?.message ?? 'Nothing written yet')
                    )}
                  </span>
                  <Badge count={each.unread} what="unread" />
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export function Avatar({
  conversation,
}: {
  conversation: Pick<Conversation, 'name' | 'online' | 'is_group'>
}) {
  return (
    <span class={`avatar ${conversation.online ? 'online' : ''}`}>
      <span aria-hidden="true">{[...conversation.name][0]?.toUpperCase()}</span>
      {!conversation.is_group && conversation.online && <span class="unseen">online</span>}
    </span>
  )
}
