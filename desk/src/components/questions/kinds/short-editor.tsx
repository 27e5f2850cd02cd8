import { AcceptedFields } from '../accepted-fields.tsx'
import { findWrongAccepted } from '../accepted-texts.ts'
import { type EditorProps, NO_KEY, type QuestionEditor } from '../editor.ts'

function Editor({ content, change }: EditorProps) {
  return (
    <AcceptedFields
      legend="Accepted answers"
      lines={content.correct_answer.split('\n')}
      change={(lines) => change({ correct_answer: lines.join('\n') })}
    />
  )
}

export const shortEditor: QuestionEditor = {
  Editor,
  hasOptions: false,
  adopt: () => ({ correct_answer: '', parts: null }),
  findProblems: ({ correct_answer: key }) =>
    key.trim() === ''
      ? { wrong: [], doubtful: [NO_KEY] }
      : { wrong: findWrongAccepted(key.split('\n')), doubtful: [] },
}
