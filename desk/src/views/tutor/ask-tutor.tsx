import './tutor.css'
import { useState } from 'preact/hooks'
import type { Answer } from '../../client.ts'
import { Exchange } from './exchange.tsx'

type Reviewed = Answer<'/api/v01/attempts/{attempt_id}', 'get'>['review'][number]

/** The tutor beside a reviewed question: the question is sent along with what the person asks. */
export function AskTutor({ question }: { question: Reviewed }) {
  const [conversation, setConversation] = useState<number>()
  return (
    <section class="stack tight" aria-label="Tutor">
      <Exchange
        conversationId={conversation}
        opened={setConversation}
        suggestion={
          conversation === undefined ? 'Why is this the answer? Explain it step by step.' : undefined
        }
        about={conversation === undefined ? describe(question) : undefined}
      />
      {conversation !== undefined && (
        <a href={`/desk/tutor/${conversation}`}>Go on in the tutor’s own page</a>
      )}
    </section>
  )
}

/** The question as text, cut so that it fits into one message together with what is asked. */
function describe(question: Reviewed): string {
  const options = [question.option_a, question.option_b, question.option_c, question.option_d]
    .map((text, index) => (text ? `${'ABCD'[index]}) ${text}` : ''))
    .filter(Boolean)
  const given = Array.isArray(question.given_answer)
    ? question.given_answer.join(', ')
    : question.given_answer
  return [
    'This is a question of an exam that I have handed in:',
    question.question_text,
    ...options,
    `My answer: ${given ?? 'none'}. The right answer: ${question.correct_answer}.`,
  ]
    .join('\n')
    .slice(0, 6_000)
}
