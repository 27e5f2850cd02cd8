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
          ...(tolerance === undefined ? {} : { tolerance: Number(tolerance) }),
        })
      }
    />
  )
}

const isNumber = (key: string) => key.trim() !== '' && isReadableNumber(key)

export const numericEditor: QuestionEditor = {
  Editor,
  hasOptions: false,
  adopt: ({ correct_answer: key }: QuestionContent) => ({
    correct_answer: isNumber(key) ? key : '',
    parts: null,
  }),
  findProblems: ({ correct_answer: key }) =>
    key.trim() === ''
      ? { wrong: [], doubtful: [NO_KEY] }
      : { wrong: isNumber(key) ? [] : [t('The correct answer is not a number.')], doubtful: [] },
}
