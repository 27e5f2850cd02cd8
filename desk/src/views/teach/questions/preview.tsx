import type { Answer } from '../../../client.ts'
import { RichText } from '../../../components/rich-text.tsx'
import { QuestionText } from '../../exams/question-text.tsx'
import { listOptions } from '../../exams/taking/answer-field.tsx'

/** A question that is being edited; a new one has no id yet. */
export type Question = Omit<Answer<'/api/v01/admin/questions/{id}', 'get'>['question'], 'id'>

/** A question as students see it, with its key marked. */
export function Preview({ question }: { question: Question }) {
  const key = question.correct_answer.toUpperCase()
  return (
    <section class="sheet preview" aria-label="As students see it">
      <p class="row spread">
        <small>As students see it</small>
        <small>
          +{question.positive_marks} / −{question.negative_marks}
        </small>
      </p>
      <QuestionText question={question} />
      {question.question_type === 'NUMERIC' ? (
        <p>
          Key: <strong>{question.correct_answer || 'none yet'}</strong>
          {question.tolerance > 0 && ` ± ${question.tolerance}`}
        </p>
      ) : (
        <ul class="options reviewed">
          {listOptions(question).map(([letter, text]) => (
            <li key={letter} class={`option ${key.includes(letter) ? 'right' : ''}`}>
              <b>{letter}</b>
              <RichText text={text} />
              {key.includes(letter) && <span class="chip good marks">Right</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
