import './chat.css'
import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { chat } from '../../chat.ts'
import { Empty } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { $query, setQuery } from '../../router.ts'
import { $shared, takeShared } from '../../shared-files.ts'
import { t } from '../../texts.ts'
import type { ViewProps } from '../view-props.ts'
import { ConversationList } from './conversation-list.tsx'
import { NewGroup } from './new-group.tsx'
import { RoomView } from './room/room.tsx'

/** The list of conversations and the open one beside it; on a phone only one of the two. */
export default function ChatView({ params, user }: ViewProps) {
  const conversations = useStore(chat.$conversations)
  const [isGrouping, setGrouping] = useState(false)
  const id = params.id ? Number(params.id) : undefined
  const shared = useShared()
  const open = conversations?.find((each) => each.id === id)
  return (
    <Page
      title="Chat"
      class={`chat ${id !== undefined ? 'reading' : conversations?.length === 0 ? 'beginning' : 'choosing'}`}
      actions={
        <>
          <a class="button" href="/desk/people">
            Find people
          </a>
          <button type="button" onClick={() => setGrouping(true)}>
            New group
          </button>
        </>
      }
    >
      {shared.length > 0 && (
        <div class="notice row spread" role="status">
          <span>
            {t(
              '{count, plural, one {Choose the conversation that gets the picture.} other {Choose the conversation that gets the # pictures.}}',
              { count: shared.length },
            )}
          </span>
          <button type="button" class="small" onClick={() => $shared.set([])}>
            Discard
          </button>
        </div>
      )}
      <div class="chat-body">
        <ConversationList conversations={conversations} current={id} />
        {open ? (
          <RoomView key={open.id} conversation={open} user={user} />
        ) : (
          <div class="room nothing">
            <Empty
              title={
                id !== undefined && conversations ? 'This conversation isn’t there' : 'Choose a conversation'
              }
            >
              {conversations?.length === 0 && (
                <p>
                  {t('You have none yet. <a>Find somebody</a> to talk to.', {
                    a: (inner) => <a href="/desk/people">{inner}</a>,
                  })}
                </p>
              )}
            </Empty>
          </div>
        )}
      </div>
      {isGrouping && <NewGroup conversations={conversations ?? []} close={() => setGrouping(false)} />}
    </Page>
  )
}

/** What another app has shared: the service worker leads here with it. */
function useShared() {
  const { shared: id } = useStore($query)
  useEffect(() => {
    if (!id) return
    setQuery({ shared: undefined })
    void takeShared(id)
  }, [id])
  return useStore($shared)
}
