import { t } from '../../../texts.ts'
import { Labelled } from '../../forms/fields.tsx'
import type { AnswerProps, QuestionKind, ReviewProps } from '../kind.ts'
import { isReadableNumber, LONGEST_NUMBER, withTolerance } from '../numbers.ts'
import { QuestionText } from '../question-text.tsx'
import { TypedInput } from '../typed-input.tsx'

function Answer({ question, answer, change, isReadOnly }: AnswerProps) {
  const typed = typeof answer === 'string' ? answer : ''
  return (
    <>
      <QuestionText question={question} />
      <Labelled
        label="Your answer"
        isWarning={!isReadableNumber(typed)}
        hint={
          isReadableNumber(typed)
            ? 'With a point or a comma, such as 3.14'
            : 'This doesn’t read as a number yet, and would count as unanswered.'
        }
      >
        {(tie) => (
          <TypedInput
            inputMode="decimal"
            maxLength={LONGEST_NUMBER}
            value={typed}
            type={(text) => change(() => text || null)}
            isReadOnly={isReadOnly}
            {...tie}
          />
        )}
      </Labelled>
    </>
  )
}

function Review({ question, given, correct, givenName }: ReviewProps) {
  return (
    <>
      <QuestionText question={question} />
      <p>
        {t('{name}: <b>{given}</b> · correct: <b>{correct}</b>', {
          name: givenName,
          given: String(given || '–'),
          correct: correct === null ? '–' : withTolerance(String(correct), question.tolerance),
          b: (inner) => <strong>{inner}</strong>,
        })}
      </p>
    </>
  )
}

/** A number, right within a tolerance. */
export const numeric: QuestionKind = {
  name: t('A number'),
  Answer,
  Review,
  isComplete: (_question, answer) => String(answer).trim() !== '' && isReadableNumber(String(answer)),
  describe: (_question, answer) => String(answer),
  describeKey: ({ correct_answer, tolerance }) => withTolerance(correct_answer, tolerance),
  show: ({ correct_answer }) => ({ parts: null, option_order: null, correct: correct_answer || null }),
}
