import { t } from '../../../texts.ts'
import { FormulaInput } from '../formula-input.tsx'
import type { AnswerProps, QuestionKind, ReviewProps, StudentQuestion } from '../kind.ts'
import { QuestionText } from '../question-text.tsx'
import { ReadFormula } from '../read-formula.tsx'

function Answer({ question, answer, change, isReadOnly }: AnswerProps) {
  return (
    <>
      <QuestionText question={question} />
      <FormulaInput
        key={question.id}
        label={t('Your answer')}
        value={typeof answer === 'string' ? answer : ''}
        symbols={symbolsOf(question)}
        store={(text) => change(() => text || null)}
        isReadOnly={isReadOnly}
      />
    </>
  )
}

function Review({ question, given, correct, givenName }: ReviewProps) {
  const draw = (formula: ReviewProps['given']) =>
    formula ? <ReadFormula text={String(formula)} symbols={symbolsOf(question)} /> : '–'
  return (
    <>
      <QuestionText question={question} />
      <p>
        {t('{name}: <b>{given}</b> · correct: <b>{correct}</b>', {
          name: givenName,
          given: draw(given),
          correct: draw(correct),
          b: (inner) => <strong>{inner}</strong>,
        })}
      </p>
    </>
  )
}

function symbolsOf({ parts }: Pick<StudentQuestion, 'parts'>): readonly string[] {
  return parts && 'symbols' in parts ? parts.symbols : []
}

/** A formula, right if it has the key's value. */
export const formula: QuestionKind = {
  name: t('A formula'),
  Answer,
  Review,
  describe: (_question, answer) => String(answer),
  show: ({ correct_answer, parts }) => ({
    parts: parts && 'symbols' in parts ? { symbols: parts.symbols.map(({ name }) => name) } : { symbols: [] },
    option_order: null,
    correct: correct_answer || null,
  }),
}
