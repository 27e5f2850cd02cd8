import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { plural } from '../../../format.ts'

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
          {answered} of {plural(total, 'question')} answered{open > 0 && `, ${open} not`}.
        </li>
        {marked > 0 && <li>{plural(marked, 'question')} marked for later.</li>}
        {unsynced > 0 && <li>{plural(unsynced, 'answer')} not delivered yet; they go along.</li>}
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
