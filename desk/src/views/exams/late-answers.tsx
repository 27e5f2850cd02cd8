import type { Journal } from '@exam-practice/client/exam'
import { copyText } from '../../clipboard.ts'
import { showToast } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { kindOf } from '../../components/questions/kinds.ts'
import { t } from '../../texts.ts'

/** Answers that did not reach the service in time: they don't count, but they can be shown to a teacher. */
export function LateAnswers({ journal }: { journal: Journal }) {
  const lines = Object.entries(journal.unsynced).map(([id, answer]) => {
    const at = journal.questions.findIndex((question) => question.id === Number(id))
    const question = journal.questions[at]
    const words =
      answer && question ? kindOf(question.question_type).describe(question, answer) : t('cleared')
    return t('Question {number}: {answer}', { number: at + 1, answer: words })
  })
  return (
    <div class="stack tight">
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p>
        <Action
          class="small"
          act={async () => {
            await copyText(lines.join('\n'))
            showToast(t('Copied'))
          }}
        >
          Copy these answers
        </Action>
      </p>
    </div>
  )
}
