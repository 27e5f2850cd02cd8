import { t } from '../../../texts.ts'
import { type EditorProps, NO_KEY, type QuestionContent, type QuestionEditor } from '../editor.ts'
import { NumberKey } from '../number-key.tsx'
import { isReadableNumber } from '../numbers.ts'

function Editor({ content, change }: EditorProps) {
  return (
    <NumberKey
      number={content.correct_answer}
      tolerance={content.tolerance}
      change={({ number, tolerance }) =>
        change({
          ...(number === undefined ? {} : { correct_answer: number }),
          ...(tolerance === undefined ? {} : { tolerance: readTolerance(tolerance) }),
        })
      }
    />
  )
}

/** A number, or what depends on variables. */
function readTolerance(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
}

const isPlace = (text: string) => /^\{@.*@\}$/s.test(text.trim())
const isNumber = (key: string) => key.trim() !== '' && (isReadableNumber(key) || isPlace(key))
const isTolerance = (tolerance: number | string) => isPlace(String(tolerance)) || Number(tolerance) >= 0

export const numericEditor: QuestionEditor = {
  Editor,
  hasOptions: false,
  adopt: ({ correct_answer: key }: QuestionContent) => ({
    correct_answer: isNumber(key) ? key : '',
    parts: null,
  }),
  findProblems: ({ correct_answer: key, tolerance }) => ({
    wrong: [
      ...(key.trim() === '' || isNumber(key) ? [] : [t('The correct answer is not a number.')]),
      ...(isTolerance(tolerance) ? [] : [t('The tolerance is no number from 0 on.')]),
    ],
    doubtful: key.trim() === '' ? [NO_KEY] : [],
  }),
}
