import type { Reaction, RoomMessage } from '@exam-practice/client/chat'
import { chat } from '../../../chat.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { list } from '../../../format.ts'
import { t } from '../../../texts.ts'
import type { Names } from './use-members.ts'

/** Adds one's reaction to a stored message, or takes it back. */
export function react(conversationId: number, messageId: number, emoji: string, added: boolean): void {
  void runWithToast(() => chat.react({ conversationId, messageId, emoji, added }).then(() => {}))
}

interface ReactionsProps {
  conversationId: number
  message: RoomMessage
  names: Names
  canSend: boolean
}

/** The emoji on a message: a click adds one's own or takes it back. */
export function Reactions({ conversationId, message, names, canSend }: ReactionsProps) {
  const { id, reactions } = message
  if (id === null || reactions.length === 0) return null
  return (
    <div class="reactions">
      {reactions.map((reaction) => (
        <button
          key={reaction.emoji}
          type="button"
          class="small"
          aria-pressed={reaction.mine}
          aria-disabled={!canSend}
          title={namesOf(reaction, names)}
          onClick={() => canSend && react(conversationId, id, reaction.emoji, !reaction.mine)}
        >
          {reaction.emoji} {reaction.count}
          <span class="unseen"> {namesOf(reaction, names)}</span>
        </button>
      ))}
    </div>
  )
}

function namesOf({ user_ids, count }: Reaction, names: Names): string {
  const known = user_ids.flatMap((id) => names.get(id) ?? [])
  const others = count - known.length
  return list([...known, ...(others > 0 ? [t('{count, plural, other {# more}}', { count: others })] : [])])
}

interface PickReactionProps {
  pick: (emoji: string) => void
  close: () => void
}

/** Chooses an emoji; what shows them is loaded with the first one. */
export function PickReaction({ pick, close }: PickReactionProps) {
  const picker = useLoad('picker', () => import('./emoji-picker.tsx'))
  return (
    <Dialog title="React" close={close}>
      <Loaded of={picker}>
        {({ EmojiPicker }) => (
          <EmojiPicker
            pick={(emoji) => {
              pick(emoji)
              close()
            }}
          />
        )}
      </Loaded>
    </Dialog>
  )
}
