import type { Answer, PaperQuestion } from '@exam-practice/client/exam'
import { useEffect, useState } from 'preact/hooks'
import { Labelled } from '../../../components/forms/fields.tsx'
import { RichText } from '../../../components/rich-text.tsx'

interface AnswerFieldProps {
  question: PaperQuestion
  answer: Answer | undefined
  give: (answer: Answer | null) => void
  isReadOnly: boolean
}

/** The answer to a question: one letter, several, or a number. */
export function AnswerField({ question, answer, give, isReadOnly }: AnswerFieldProps) {
  if (question.question_type === 'NUMERIC')
    return <NumberField key={question.id} answer={answer} give={give} isReadOnly={isReadOnly} />
  const isSeveral = question.question_type === 'MSQ'
  const chosen = Array.isArray(answer) ? answer : answer === undefined ? [] : [answer]
  function choose(letter: string, isChosen: boolean) {
    if (!isSeveral) return give(letter)
    const all = new Set(chosen)
    if (isChosen) all.add(letter)
    else all.delete(letter)
    give(all.size > 0 ? [...all].sort() : null)
  }
  return (
    <fieldset class="options" disabled={isReadOnly}>
      <legend class="label">{isSeveral ? 'Choose all that are right' : 'Choose one'}</legend>
      {listOptions(question).map(([letter, text]) => (
        <label key={letter} class="option">
          <input
            type={isSeveral ? 'checkbox' : 'radio'}
            name={`question-${question.id}`}
            checked={chosen.includes(letter)}
            onChange={({ currentTarget }) => choose(letter, currentTarget.checked)}
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

function NumberField({ answer, give, isReadOnly }: Omit<AnswerFieldProps, 'question'>) {
  const [typed, setTyped] = useState(typeof answer === 'string' ? answer : '')
  const stored = typeof answer === 'string' ? answer : ''
  // The answer was cleared, or given in another tab.
  useEffect(() => setTyped(stored), [stored])
  const isReadable = typed.trim() === '' || /^[+-]?(\d+([.,]\d+)?|[.,]\d+)$/.test(typed.trim())
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
