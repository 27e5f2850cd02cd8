import '../../exams/taking.css'
import { useRef, useState } from 'preact/hooks'
import { ask, client, toFormData } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Area, Choice, Field, IMAGE_TYPES, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { useDebounced } from '../../../components/use-debounced.ts'
import { go } from '../../../router.ts'
import type { ViewProps } from '../../view-props.ts'
import { Preview, type Question } from './preview.tsx'

const EMPTY: Question = {
  exam_id: 0,
  question_text: '',
  option_a: '',
  option_b: '',
  option_c: '',
  option_d: '',
  correct_answer: '',
  question_type: 'MCQ',
  image_path: null,
  image_url: null,
  positive_marks: 4,
  negative_marks: 1,
  tolerance: 0,
}
/** Delay of the preview, so that it never slows down typing. */
const PREVIEW_MS = 150

/** One question: the form, and beside it a preview as students will see it. */
export default function QuestionView({ params }: ViewProps) {
  const examId = Number(params.exam)
  const id = params.id === 'new' ? undefined : Number(params.id)
  const found = useLoad(params.id, async () =>
    id === undefined
      ? { ...EMPTY, exam_id: examId }
      : (await ask(client.GET('/api/v01/admin/questions/{id}', { params: { path: { id } } }))).question,
  )
  return <Loaded of={found}>{(question) => <Editor key={params.id} id={id} question={question} />}</Loaded>
}

function Editor({ id, question }: { id: number | undefined; question: Question }) {
  const [shown, setShown] = useState(question)
  const saved = useRef(question)
  const back = `/desk/teach/exams/${question.exam_id}/questions`
  const follow = useDebounced(
    (form: HTMLFormElement) => setShown((before) => ({ ...before, ...read(form) })),
    PREVIEW_MS,
  )
  return (
    <Page
      title={id === undefined ? 'New question' : `Question ${id}`}
      actions={
        <>
          <a class="button" href={back}>
            To the exam
          </a>
          {id !== undefined && (
            <Action
              class="bad"
              confirm="Delete this question? Attempts under way keep it."
              act={async () => {
                await ask(client.DELETE('/api/v01/admin/questions/{id}', { params: { path: { id } } }))
                go(back, 'replace')
              }}
            >
              Delete
            </Action>
          )}
        </>
      }
    >
      <div class="two">
        <div
          class="sheet"
          onInput={({ target }) =>
            target instanceof Element && follow(target.closest('form') as HTMLFormElement)
          }
        >
          <Form
            button="Save"
            send={async (_fields, form) => {
              const fields = { ...read(form), image_path: shown.image_path ?? '' }
              if (id !== undefined) {
                // What somebody else has changed meanwhile stays, such as a key that was corrected.
                const changes = changesOf(saved.current, fields)
                if (Object.keys(changes).length > 0) {
                  const body = toFormData(changes)
                  await ask(client.PATCH('/api/v01/admin/questions/{id}', { params: { path: { id } }, body }))
                }
                saved.current = { ...saved.current, ...fields }
              } else {
                const body = toFormData({ ...fields, exam_id: question.exam_id })
                const made = await ask(client.POST('/api/v01/admin/questions', { body }))
                go(`/desk/teach/questions/${question.exam_id}/${made.question_id}`, 'replace')
              }
              return 'Saved'
            }}
          >
            <Choice
              label="Type"
              name="question_type"
              value={question.question_type}
              options={[
                ['MCQ', 'One right option'],
                ['MSQ', 'Several right options'],
                ['NUMERIC', 'A number'],
              ]}
            />
            <Area
              label="Question"
              name="question_text"
              value={question.question_text}
              rows={6}
              hint="LaTeX between dollar signs: $x^2$"
            />
            {shown.question_type !== 'NUMERIC' && (
              <div class="fields">
                {(['a', 'b', 'c', 'd'] as const).map((letter) => (
                  <Area
                    key={letter}
                    label={`Option ${letter.toUpperCase()}`}
                    name={`option_${letter}`}
                    value={question[`option_${letter}`]}
                    rows={2}
                  />
                ))}
              </div>
            )}
            <div class="fields">
              <Field
                label="Key"
                name="correct_answer"
                value={question.correct_answer}
                hint={{ MCQ: 'A letter', MSQ: 'Letters: A,C', NUMERIC: 'A number' }[shown.question_type]}
              />
              {shown.question_type === 'NUMERIC' && (
                <NumberField label="Tolerance" name="tolerance" allowsFractions value={question.tolerance} />
              )}
              <NumberField
                label="For right"
                name="positive_marks"
                allowsFractions
                value={question.positive_marks}
              />
              <NumberField
                label="Off for wrong"
                name="negative_marks"
                allowsFractions
                value={question.negative_marks}
              />
            </div>
            <ImageField
              examId={question.exam_id}
              path={shown.image_path}
              take={(image) => setShown((before) => ({ ...before, ...image }))}
            />
          </Form>
        </div>
        <Preview question={shown} />
      </div>
    </Page>
  )
}

function read(form: HTMLFormElement): Partial<Question> {
  const fields = Object.fromEntries(new FormData(form)) as Record<string, string>
  const { question_type, positive_marks = '', negative_marks = '', tolerance = '0', ...texts } = fields
  return {
    ...texts,
    question_type: question_type as Question['question_type'],
    positive_marks: Number(positive_marks),
    negative_marks: Number(negative_marks),
    tolerance: Number(tolerance),
  }
}

function changesOf(before: Question, fields: Partial<Question>): Partial<Question> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== (before[name as keyof Question] ?? '')),
  )
}

interface ImageFieldProps {
  examId: number
  path: string | null
  take: (image: Pick<Question, 'image_path' | 'image_url'>) => void
}

/** The image is uploaded at once; saving the question makes it the question's image. */
function ImageField({ examId, path, take }: ImageFieldProps) {
  async function upload(file: File) {
    const folder = `exam-${examId}`
    const name = `${client.platform.uuid().slice(0, 8)}-${file.name.replaceAll(/[^\w.-]/g, '_')}`
    const body = toFormData({ subject_folder_id: folder })
    body.append('images', file, name)
    const { failed } = await ask(client.POST('/api/v01/admin/images', { body }))
    if (failed[0]) throw new Error(failed[0].error)
    take({ image_path: `${folder}/${name}`, image_url: URL.createObjectURL(file) })
  }
  return (
    <div class="stack tight">
      <Field
        label="Image"
        type="file"
        accept={IMAGE_TYPES}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          if (file) void runWithToast(() => upload(file))
        }}
      />
      {path && (
        <p class="row">
          <small>{path}</small>
          <button
            type="button"
            class="quiet small"
            onClick={() => take({ image_path: null, image_url: null })}
          >
            Remove
          </button>
        </p>
      )}
    </div>
  )
}
