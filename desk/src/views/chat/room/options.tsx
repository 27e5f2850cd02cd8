import type { Conversation } from '@exam-practice/client/chat'
import { ask, client } from '../../../client.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { moment } from '../../../format.ts'
import { serverNow } from '../../../server-time.ts'
import { t } from '../../../texts.ts'

const HOUR_MS = 3_600_000
const MUTES = [
  [t('For an hour'), HOUR_MS],
  [t('For 8 hours'), 8 * HOUR_MS],
  [t('For a week'), 7 * 24 * HOUR_MS],
] as const
/** The end of a mute without an end. */
const FOR_EVER = '9999-01-01T00:00:00.000Z'

export function isMuted({ settings: { muted_until } }: Pick<Conversation, 'settings'>): boolean {
  return muted_until !== null && Date.parse(muted_until) > serverNow()
}

/** How one wants to be bothered by a conversation: muted, archived, pinned. Nobody else is told. */
export function Options({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const { id, settings } = conversation
  const change = (body: { muted_until?: string | null; archived?: boolean; pinned?: boolean }) =>
    ask(client.PATCH('/api/v01/chat/conversations/{id}/settings', { params: { path: { id } }, body }))
  const { pinned, archived, muted_until: end } = settings
  return (
    <Dialog title="Options" close={close}>
      <section class="stack tight" aria-labelledby="mute">
        <h3 id="mute">Mute</h3>
        <p class="lead">
          {isMuted(conversation)
            ? end === FOR_EVER
              ? t('Muted until you unmute it.')
              : t('Muted until {time}.', { time: moment(end ?? '') })
            : 'A muted conversation isn’t counted as unread. Mentions of you still are.'}
        </p>
        <div class="row">
          {isMuted(conversation) ? (
            <Action act={() => change({ muted_until: null })}>Unmute</Action>
          ) : (
            <>
              {MUTES.map(([text, ms]) => (
                <Action
                  key={ms}
                  class="small"
                  act={() => change({ muted_until: new Date(serverNow() + ms).toISOString() })}
                >
                  {text}
                </Action>
              ))}
              <Action class="small" act={() => change({ muted_until: FOR_EVER })}>
                Until I unmute it
              </Action>
            </>
          )}
        </div>
      </section>
      <section class="stack tight" aria-labelledby="place">
        <h3 id="place">In the list</h3>
        <div class="row">
          <Action class="small" act={() => change({ pinned: !pinned })}>
            {pinned ? 'Unpin' : 'Pin to the top'}
          </Action>
          <Action class="small" act={() => change({ archived: !archived })}>
            {archived ? 'Unarchive' : 'Archive'}
          </Action>
        </div>
        {!archived && <small>An archived conversation comes back with its next message.</small>}
      </section>
    </Dialog>
  )
}
