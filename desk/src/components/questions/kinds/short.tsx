import { t } from '../../../texts.ts'
import { Labelled } from '../../forms/fields.tsx'
import { bestAccepted, describeAccepted, listAccepted } from '../accepted-texts.ts'
import type { AnswerProps, QuestionKind, ReviewProps } from '../kind.ts'
import { QuestionText } from '../question-text.tsx'
import { TypedInput } from '../typed-input.tsx'

/** Characters of an answer. */
export const LONGEST_TEXT = 200

function Answer({ question, answer, change, isReadOnly }: AnswerProps) {
  return (
    <>
      <QuestionText question={question} />
      <Labelled label="Your answer" hint="A word or a few; capitals and extra spaces don’t matter">
        {(tie) => (
          <TypedInput
            maxLength={LONGEST_TEXT}
            value={typeof answer === 'string' ? answer : ''}
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
  const others =
    correct === null ? [] : listAccepted(question.correct_answer).filter(({ text }) => text !== correct)
  return (
    <>
      <QuestionText question={question} />
      <p>
        {t('{name}: <b>{given}</b> · correct: <b>{correct}</b>', {
          name: givenName,
          given: String(given || '–'),
          correct: String(correct ?? '–'),
          b: (inner) => <strong>{inner}</strong>,
        })}
      </p>
      {others.length > 0 && <p>{t('Also accepted: {texts}', { texts: describeAccepted(others) })}</p>}
    </>
  )
}

/** A text that is compared with accepted ones. */
export const short: QuestionKind = {
  name: t('A short text'),
  Answer,
  Review,
  describe: (_question, answer) => String(answer),
  describeKey: ({ correct_answer }) => describeAccepted(listAccepted(correct_answer)),
  show: ({ correct_answer }) => ({
    parts: null,
    option_order: null,
    correct: bestAccepted(listAccepted(correct_answer)),
  }),
}
