import { type Answer, ask, client } from '../../../client.ts'
import { Area } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { moment } from '../../../format.ts'
import { t } from '../../../texts.ts'

export type ChallengeRow = Answer<'/api/v01/attempts/{attempt_id}/challenges', 'get'>['challenges'][number]

interface ChallengeProps {
  attemptId: number
  questionId: number
  challenges: ChallengeRow[]
  reload: () => Promise<void>
}

const WORDS = { open: t('Not decided yet'), accepted: t('Accepted'), rejected: t('Rejected') }

/** The person's challenges of one question, with the replies, and the form for a new one. */
export function Challenge({ attemptId, questionId, challenges, reload }: ChallengeProps) {
  const isOpen = challenges.some(({ status }) => status === 'open')
  return (
    <div class="stack tight">
      {challenges.map((each) => (
        <div key={each.id} class={`notice ${each.status === 'rejected' ? 'warn' : ''}`}>
          <p>
            <strong>{WORDS[each.status]}</strong> · {moment(each.created_at)}
          </p>
          <RichText text={each.message} />
          {each.reply && (
            <>
              <p>Reply:</p>
              <RichText text={each.reply} />
            </>
          )}
        </div>
      ))}
      {!isOpen && (
        <Form
          button="Send challenge"
          draft={`challenge-${attemptId}-${questionId}`}
          clears
          send={async ({ message }) => {
            await ask(
              client.POST('/api/v01/attempts/{attempt_id}/challenges', {
                params: { path: { attempt_id: attemptId } },
                body: { question_id: questionId, message: String(message) },
              }),
            )
            await reload()
            return t('Sent. You are told when a teacher has looked at it.')
          }}
        >
          <Area label="What should be looked at again, and why?" name="message" required maxLength={4000} />
        </Form>
      )}
    </div>
  )
}
