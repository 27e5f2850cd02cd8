import type { Answer, PaperQuestion } from '@exam-practice/client/exam'
import { useEffect, useState } from 'preact/hooks'
import { Labelled } from '../../../components/forms/fields.tsx'
import { RichText } from '../../../components/rich-text.tsx'

/** The service's rule for a complete number (`readGivenNumber` in scoring.ts); change both together. */
const COMPLETE_NUMBER = /^[+-]?(\d+([.,]\d+)?|[.,]\d+)([eE][+-]?\d{1,3})?$/

interface AnswerFieldProps {
  question: PaperQuestion
  answer: Answer | undefined
  give: (answer: Answer | null) => void
  /** An option was clicked. */
  toggle: (letter: string) => void
  isReadOnly: boolean
}

/** The answer to a question: one letter, several, or a number. */
export function AnswerField({ question, answer, give, toggle, isReadOnly }: AnswerFieldProps) {
  if (question.question_type === 'NUMERIC')
    return <NumberField key={question.id} answer={answer} give={give} isReadOnly={isReadOnly} />
  const isSeveral = question.question_type === 'MSQ'
  const chosen = Array.isArray(answer) ? answer : answer === undefined ? [] : [answer]
  return (
    <fieldset class="options" disabled={isReadOnly}>
      <legend class="label">{isSeveral ? 'Choose all that are right' : 'Choose one'}</legend>
      {listOptions(question).map(([letter, text]) => (
        <label key={letter} class="option">
          <input
            type={isSeveral ? 'checkbox' : 'radio'}
            name={`question-${question.id}`}
            checked={chosen.includes(letter)}
            onChange={() => toggle(letter)}
          />
          <b>{letter}</b>
          <RichText text={text} />
        </label>
      ))}
    </fieldset>
  )
}

/** The options with a text; all of them if none has a text, because then the image shows them. */
export function listOptions(
  question: Pick<PaperQuestion, 'option_a' | 'option_b' | 'option_c' | 'option_d'>,
): [string, string][] {
  const all: [string, string][] = [
    ['A', question.option_a],
    ['B', question.option_b],
    ['C', question.option_c],
    ['D', question.option_d],
  ]
  const named = all.filter(([, text]) => text !== '')
  return named.length > 0 ? named : all
}

function NumberField({ answer, give, isReadOnly }: Omit<AnswerFieldProps, 'question' | 'toggle'>) {
  const [typed, setTyped] = useState(typeof answer === 'string' ? answer : '')
  const stored = typeof answer === 'string' ? answer : ''
  // The answer was cleared, or given in another tab.
  useEffect(() => setTyped(stored), [stored])
  const isReadable = typed.trim() === '' || COMPLETE_NUMBER.test(typed.trim())
  return (
    <Labelled
      label="Your number"
      hint={
        isReadable
          ? 'With a point or a comma, such as 3.14'
          : 'This doesn’t read as a number yet, and would count as unanswered.'
      }
    >
      {(tie) => (
        <input
          inputMode="decimal"
          autoComplete="off"
          maxLength={100}
          value={typed}
          readOnly={isReadOnly}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
            give(currentTarget.value.trim() === '' ? null : currentTarget.value)
          }}
          {...tie}
        />
      )}
    </Labelled>
  )
}
