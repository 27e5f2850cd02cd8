import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { t } from '../../../texts.ts'

interface SubmitDialogProps {
  total: number
  answered: number
  marked: number
  unsynced: number
  submit: () => Promise<void>
  close: () => void
}

/** Asks before handing in, with the numbers of answered, open and marked questions. */
export function SubmitDialog({ total, answered, marked, unsynced, submit, close }: SubmitDialogProps) {
  const open = total - answered
  return (
    <Dialog title="Hand in?" close={close}>
      <ul>
        <li>
          {open > 0
            ? t('{answered} of {total, plural, one {# question} other {# questions}} answered, {open} not.', {
                answered,
                total,
                open,
              })
            : t('{answered} of {total, plural, one {# question} other {# questions}} answered.', {
                answered,
                total,
              })}
        </li>
        {marked > 0 && (
          <li>
            {t('{count, plural, one {# question marked for later.} other {# questions marked for later.}}', {
              count: marked,
            })}
          </li>
        )}
        {unsynced > 0 && (
          <li>
            {t(
              '{count, plural, one {# answer not delivered yet; it goes along.} other {# answers not delivered yet; they go along.}}',
              { count: unsynced },
            )}
          </li>
        )}
        <li>Afterwards nothing can be changed.</li>
      </ul>
      <div class="row end">
        <button type="button" onClick={close}>
          Go on with the exam
        </button>
        <button
          type="button"
          class="main"
          onClick={() => {
            close()
            void runWithToast(submit)
          }}
        >
          Hand in now
        </button>
      </div>
    </Dialog>
  )
}
