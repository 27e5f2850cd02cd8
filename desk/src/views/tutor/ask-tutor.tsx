import './tutor.css'
import { useState } from 'preact/hooks'
import { t } from '../../texts.ts'
import { Exchange } from './exchange.tsx'

const IDEAS = [
  t('Why is this the answer? Explain it step by step.'),
  t('Where did I go wrong?'),
  t('Give me a hint only.'),
]

/** The tutor beside a reviewed question, which the service tells it about. */
export function AskTutor({ attemptId, questionId }: { attemptId: number; questionId: number }) {
  const [conversation, setConversation] = useState<number>()
  return (
    <section class="stack tight" aria-label="Tutor">
      <Exchange
        conversationId={conversation}
        opened={setConversation}
        suggestions={IDEAS}
        draft={`question-${questionId}`}
        about={{ attempt_id: attemptId, question_id: questionId }}
      />
      {conversation !== undefined && <a href={`/desk/tutor/${conversation}`}>Open this conversation</a>}
    </section>
  )
}
