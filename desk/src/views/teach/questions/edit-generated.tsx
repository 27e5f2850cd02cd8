import { useState } from 'preact/hooks'
import { Form } from '../../../components/forms/form.tsx'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { QuestionFields } from './question-fields.tsx'
import { clean, contentOf } from './written-question.ts'

interface EditGeneratedProps {
  question: TeacherQuestion
  save: (changed: TeacherQuestion) => void
}

/** Changes a generated question before it is kept; it stays on this page until then. */
export function EditGenerated(props: EditGeneratedProps) {
  // A job may have hundreds of questions: each form is made when it is needed.
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Edit before keeping</summary>
      {isOpen && <EditForm {...props} />}
    </details>
  )
}

function EditForm({ question, save }: EditGeneratedProps) {
  const [content, setContent] = useState(contentOf(question))
  const [tags, setTags] = useState(question.tags)
  return (
    <Form
      button="Use this version"
      send={async (fields) =>
        save({
          ...question,
          ...clean(content),
          tags,
          question_text: String(fields.question_text ?? ''),
          explanation: String(fields.explanation ?? ''),
          positive_marks: Number(fields.positive_marks ?? question.positive_marks),
          negative_marks: Number(fields.negative_marks ?? question.negative_marks),
        })
      }
    >
      <QuestionFields
        question={question}
        text={question.question_text}
        content={content}
        setContent={setContent}
        tags={tags}
        setTags={setTags}
      />
    </Form>
  )
}
