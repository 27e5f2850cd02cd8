import type { Conversation } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { chat } from '../../chat.ts'
import { Badge } from '../../components/badge.tsx'
import { Search } from '../../components/forms/search.tsx'
import { Icon, type IconName } from '../../components/icons.tsx'
import { RichText } from '../../components/rich-text/rich-text.tsx'
import { lately } from '../../format.ts'
import { t } from '../../texts.ts'
import { MessageSearch } from './message-search.tsx'
import { isMuted } from './room/options.tsx'

interface ConversationListProps {
  conversations: readonly Conversation[] | undefined
  current: number | undefined
}

/**
 * The conversations, pinned ones first and then by activity, with unread messages, presence and typing; archived ones
 * apart. The search finds their names and their messages.
 */
export function ConversationList({ conversations, current }: ConversationListProps) {
  const [search, setSearch] = useState('')
  const typing = useStore(chat.$typing)
  const [showsArchived, setShowsArchived] = useState(false)
  const [isHereOnly, setHereOnly] = useState(false)
  const archived = conversations?.filter(({ settings }) => settings.archived) ?? []
  const found = conversations?.filter(
    search === ''
      ? ({ settings }) => settings.archived === showsArchived
      : ({ name }) => name.toLowerCase().includes(search.toLowerCase()),
  )
  const only = isHereOnly ? current : undefined
  return (
    <nav class="conversation-list" aria-label="Conversations" aria-busy={conversations === undefined}>
      <Search label="Search chat" value={search} take={setSearch} />
      {search !== '' && current !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={isHereOnly}
            onChange={({ currentTarget }) => setHereOnly(currentTarget.checked)}
          />{' '}
          {t('In the open conversation only')}
        </label>
      )}
      {search === '' && (archived.length > 0 || showsArchived) && (
        <button
          type="button"
          class="small"
          aria-pressed={showsArchived}
          onClick={() => setShowsArchived(!showsArchived)}
        >
          {t('Archived ({count})', { count: archived.length })}
        </button>
      )}
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
                  <small>
                    {each.settings.pinned && <Mark icon="pinned" text={t('pinned')} />}
                    {isMuted(each) && <Mark icon="muted" text={t('muted')} />}
                    {each.last_message && lately(each.last_message.created_at)}
                  </small>
                </span>
                <span class="row spread">
                  <span class="latest">
                    {typing[each.id]?.length ? <em>typing…</em> : describeLast(each.last_message)}
                  </span>
                  {each.unread_mentions > 0 && (
                    <b class="badge" title="You are mentioned">
                      @<span class="unseen"> you are mentioned</span>
                    </b>
                  )}
                  <Badge
                    count={each.unread}
                    label={t('{count, plural, other {# unread}}', { count: each.unread })}
                    isQuiet={isMuted(each) || each.settings.archived}
                  />
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {search !== '' && <MessageSearch key={`${search} ${only}`} q={search} conversationId={only} />}
    </nav>
  )
}

function Mark({ icon, text }: { icon: IconName; text: string }) {
  return (
    <span title={text}>
      <Icon name={icon} />
      <span class="unseen">{text} </span>
    </span>
  )
}

function describeLast(last: Conversation['last_message']): ComponentChildren {
  if (!last) return t('Nothing written yet')
  if (last.message !== '') return <RichText text={last.message} kind="summary" />
  return last.attachments > 0
    ? t('{count, plural, one {# file} other {# files}}', { count: last.attachments })
    : t('Deleted')
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
