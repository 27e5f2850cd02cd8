import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { Area, Choice, NumberField } from '../../../components/forms/fields.tsx'
import { JsonField } from '../../../components/forms/json-field.tsx'
import type { QuestionContent } from '../../../components/questions/editor.ts'
import { editorOf } from '../../../components/questions/editors.ts'
import type { QuestionType, TeacherQuestion } from '../../../components/questions/kind.ts'
import { kindOf, QUESTION_TYPES } from '../../../components/questions/kinds.ts'
import { TagsField } from './tags-field.tsx'
import { VariablesFields } from './variables-fields.tsx'

/** Characters of an explanation. */
const LONGEST_EXPLANATION = 10_000

interface QuestionFieldsProps {
  question: TeacherQuestion
  /** The text as it is now, a moment later. */
  text: string
  content: QuestionContent
  setContent: (content: QuestionContent) => void
  tags: string[]
  setTags: (tags: string[]) => void
}

/** The fields of a question: type, text, what its kind needs, explanation, tags and marks. */
export function QuestionFields({ question, text, content, setContent, tags, setTags }: QuestionFieldsProps) {
  const { Editor } = editorOf(content.question_type)
  const box = useRef<HTMLDivElement>(null)
  const setType = useTypes(content, setContent)
  return (
    <>
      <Choice
        label="Type"
        value={content.question_type}
        options={QUESTION_TYPES.map((type) => [type, kindOf(type).name] as const)}
        onChange={({ currentTarget }) => setType(currentTarget.value as QuestionType)}
      />
      <div ref={box}>
        <Area
          label="Question"
          name="question_text"
          value={question.question_text}
          rows={6}
          hint="Formulas between dollar signs ($x^2$), lists, tables and code as in Markdown"
        />
      </div>
      <Editor
        key={content.question_type}
        content={content}
        change={(changes) => setContent({ ...content, ...changes })}
        isKeyOnly={false}
        text={text}
        editText={(edit) => editArea(box, edit)}
      />
      <VariablesFields
        content={content}
        change={(changes) => setContent({ ...content, ...changes })}
        written={() => ({ ...question, question_text: text, ...content })}
      />
      <JsonField name="content" value={content} take={setContent} />
      <Area
        label="Explanation"
        name="explanation"
        value={question.explanation}
        rows={3}
        maxLength={LONGEST_EXPLANATION}
        hint="Why the correct answer is correct. Students see it where they see the key."
      />
      <TagsField tags={tags} change={setTags} />
      <JsonField name="tags" value={tags} take={setTags} />
      <div class="fields">
        <NumberField
          label="Marks for a correct answer"
          name="positive_marks"
          allowsFractions
          value={question.positive_marks}
        />
        <NumberField
          label="Marks off for an incorrect one"
          name="negative_marks"
          allowsFractions
          value={question.negative_marks}
        />
      </div>
    </>
  )
}

/** Changes the type. Keys and parts of other types are kept until the page is left: arrow keys pass through types. */
function useTypes(content: QuestionContent, setContent: (content: QuestionContent) => void) {
  const left = useRef<Partial<Record<QuestionType, Pick<QuestionContent, 'correct_answer' | 'parts'>>>>({})
  return (type: QuestionType) => {
    const { question_type, correct_answer, parts } = content
    left.current[question_type] = { correct_answer, parts }
    setContent({ ...content, ...(left.current[type] ?? editorOf(type).adopt(content)), question_type: type })
  }
}

/** Edits the text within, with the cursor after what was changed. */
function editArea(box: RefObject<HTMLElement | null>, edit: (text: string, cursor: number) => string): void {
  const area = box.current?.querySelector('textarea')
  if (!area) return
  const { value, selectionEnd } = area
  const next = edit(value, selectionEnd)
  area.value = next
  area.selectionEnd = Math.max(0, selectionEnd + next.length - value.length)
  area.dispatchEvent(new Event('input', { bubbles: true }))
}
