import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { promptForConfirmation } from '../../../components/dialogs/prompts.tsx'
import { deleteSoon, OUTLIVING } from '../../../components/dialogs/toasts.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { sendChanges } from '../../../components/forms/changes.ts'
import { Form, isReadable } from '../../../components/forms/form.tsx'
import { JsonField } from '../../../components/forms/json-field.tsx'
import { isEnter } from '../../../components/forms/typing-keys.ts'
import { useChanges } from '../../../components/forms/use-changes.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { editorOf } from '../../../components/questions/editors.ts'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { useDebounced } from '../../../components/use-debounced.ts'
import { go } from '../../../router.ts'
import { t } from '../../../texts.ts'
import type { ViewProps } from '../../view-props.ts'
import { mayAdd, mayChangeMarks, mayDelete } from '../exam/change-question.ts'
import { ImageField, useImageUpload } from './image-field.tsx'
import { usePlaceInExam } from './place-in-exam.ts'
import { Preview } from './preview.tsx'
import { findProblems } from './problems.ts'
import { QuestionFields } from './question-fields.tsx'
import {
  clean,
  contentOf,
  EMPTY,
  fieldsOf,
  isKeyChanged,
  toQuestionForm,
  type WrittenFields,
  withContent,
} from './written-question.ts'
import { describeFields } from './written-words.ts'

/** Delay of the preview, so that it never slows down typing. */
const PREVIEW_MS = 150

/** One question: the form, and beside it a preview as students will see it. */
export default function QuestionView({ params }: ViewProps) {
  const examId = Number(params.exam)
  const id = params.id === 'new' ? undefined : Number(params.id)
  // A second new question in a row is another one.
  const [made, setMade] = useState(0)
  const [kept, setKept] = useState<Partial<TeacherQuestion>>({})
  const key = `${params.id} ${made}`
  const found = useLoad(key, async () =>
    id === undefined
      ? { ...EMPTY, ...kept, exam_id: examId }
      : (await ask(client.GET('/api/v01/admin/questions/{id}', { params: { path: { id } } }))).question,
  )
  return (
    <Loaded of={found}>
      {(question) => (
        <Editor
          key={key}
          id={id}
          question={question}
          reload={found.reload}
          isAnother={made > 0}
          another={(like) => {
            setKept(like)
            setMade((count) => count + 1)
          }}
        />
      )}
    </Loaded>
  )
}

interface QuestionEditorProps {
  id: number | undefined
  question: TeacherQuestion
  /** Reads anew what is stored. */
  reload: () => Promise<void>
  isAnother: boolean
  /** Begins another new question, of the same type and with the same tags. */
  another: (like: Partial<TeacherQuestion>) => void
}

/** The form begins anew when what was typed is discarded. */
function Editor(props: QuestionEditorProps) {
  const typed = useRef<() => WrittenFields | undefined>(() => undefined)
  const sheet = useRef<HTMLDivElement>(null)
  const [wantsRegrade, setWantsRegrade] = useState(false)
  const { id, question } = props
  const changes = useChanges<WrittenFields>(
    fieldsOf(question),
    draftOf(id ?? `new-${question.exam_id}`),
    () => typed.current(),
    () => isReadable(sheet.current?.querySelector('form') ?? undefined),
  )
  return (
    <EditorForm
      key={changes.turn}
      {...props}
      {...{ changes, typed, sheet, wantsRegrade }}
      keyChanged={() => setWantsRegrade(true)}
    />
  )
}

const draftOf = (id: number | string) => `question-${id}`

interface EditorFormProps extends QuestionEditorProps {
  changes: ReturnType<typeof useChanges<WrittenFields>>
  /** Reads what is typed. */
  typed: { current: () => WrittenFields | undefined }
  sheet: RefObject<HTMLDivElement | null>
  wantsRegrade: boolean
  keyChanged: () => void
}

function EditorForm({
  id,
  question: stored,
  reload,
  isAnother,
  another,
  changes,
  typed,
  sheet,
  wantsRegrade,
  keyChanged,
}: EditorFormProps) {
  const question: TeacherQuestion = {
    ...stored,
    ...changes.shown,
    image_url: changes.shown.image_path === stored.image_path ? stored.image_url : null,
  }
  const [shown, setShown] = useState(question)
  const [content, setContent] = useState(() => contentOf(question))
  const [tags, setTags] = useState(question.tags)
  const [problems, setProblems] = useState<string[]>([])
  const saved = useRef<TeacherQuestion>({ ...stored, ...changes.before })
  const goesOn = useRef(false)
  const settle = useRef<(() => void) | undefined>(undefined)
  const examId = question.exam_id
  useEffect(() => {
    if (isAnother) sheet.current?.querySelector('textarea')?.focus()
  }, [])
  const place = usePlaceInExam(examId, id)
  const read = (form: HTMLFormElement) => ({ ...readForm(form), ...clean(content), tags })
  typed.current = () => {
    const form = sheet.current?.querySelector('form')
    return form ? { ...read(form), image_path: shown.image_path } : undefined
  }
  const follow = useDebounced(
    (form: HTMLFormElement) => setShown((before) => ({ ...before, ...read(form) })),
    PREVIEW_MS,
  )
  const upload = useImageUpload(examId, (image) => setShown((before) => ({ ...before, ...image })))
  /** Of an image that was uploaded before a reload only its key is known, until the question is saved. */
  const setImage = (path: string | null) =>
    setShown((before) => ({
      ...before,
      image_path: path,
      image_url: path === saved.current.image_path ? saved.current.image_url : null,
    }))
  async function save(form: HTMLFormElement) {
    const fields = { ...read(form), image_path: shown.image_path }
    const sent = changes.takeChanges()
    const { wrong, doubtful } = findProblems({ ...shown, ...fields })
    setProblems(wrong)
    if (wrong.length > 0) return false
    // What was so before has been decided.
    const decided = id === undefined ? [] : findProblems(saved.current).doubtful
    const doubts = doubtful.filter((doubt) => !decided.includes(doubt)).join(' ')
    if (
      doubts &&
      !(await promptForConfirmation(t('{doubts} Save it all the same?', { doubts }), t('Save'), false))
    )
      return false
    if (id === undefined) {
      const { question_type } = content
      if (!(await mayAdd(examId, 1))) return false
      const body = toQuestionForm({ ...fields, exam_id: examId })
      const made = await ask(client.POST('/api/v01/admin/questions', { body }))
      changes.settleInto(draftOf(made.question_id))
      if (goesOn.current)
        another({
          question_type,
          tags,
          ...editorOf(question_type).adopt(contentOf({ ...EMPTY, exam_id: examId })),
        })
      else go(`/desk/teach/questions/${examId}/${made.question_id}`, 'replace')
      return t('Saved')
    }
    const isMarkedAnew = 'positive_marks' in sent.changes || 'negative_marks' in sent.changes
    if (isMarkedAnew && !(await mayChangeMarks(examId))) return false
    const outcome = await sendChanges(
      withContent(sent, changes.before),
      (changes, was) =>
        ask(
          client.PATCH('/api/v01/admin/questions/{id}', {
            params: { path: { id } },
            body: toQuestionForm({ ...changes, was }),
          }),
        ),
      describeFields({ ...shown, ...fields }),
    )
    if (outcome === false) return false
    if (isKeyChanged(sent.changes)) keyChanged()
    saved.current = { ...saved.current, ...fields, image_url: shown.image_url }
    if (outcome === 'decided' && !goesOn.current) {
      await reload()
      settle.current = changes.kept.settle
    } else changes.settleAs(fieldsOf(saved.current))
    if (goesOn.current) go(place?.next ?? `/desk/teach/questions/${examId}/new`)
    return t('Saved')
  }
  return (
    <Page
      title={
        id === undefined
          ? 'New question'
          : place
            ? t('Question {number} of {total}', { number: place.number, total: place.total })
            : 'Question'
      }
      actions={
        <>
          {place?.previous && (
            <a class="button" href={place.previous}>
              Previous
            </a>
          )}
          {place?.next && (
            <a class="button" href={place.next}>
              Next
            </a>
          )}
          <a class="button" href={questionsOf(examId)}>
            All questions
          </a>
          {id !== undefined && <QuestionActions id={id} read={() => saved.current} />}
        </>
      }
    >
      <div class="two">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: keys, files and input of the form within */}
        <div
          class="sheet"
          ref={sheet}
          onInput={({ target }) =>
            target instanceof Element && follow(target.closest('form') as HTMLFormElement)
          }
          onPaste={(event) => upload.take(event, event.clipboardData)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => upload.take(event, event.dataTransfer)}
          onKeyDown={(event) => {
            if (!isEnter(event) || !(event.ctrlKey || event.metaKey)) return
            goesOn.current = true
            sheet.current?.querySelector('form')?.requestSubmit()
          }}
        >
          <Form
            button="Save"
            kept={{ ...changes.kept, settle: () => settle.current?.() }}
            send={(_fields, form) =>
              save(form).finally(() => {
                goesOn.current = false
              })
            }
            aside={
              <button type="submit" aria-keyshortcuts="Control+Enter" onClick={() => (goesOn.current = true)}>
                {id === undefined ? 'Save and add another' : 'Save and next'}
                <span aria-hidden="true">
                  <kbd>Ctrl ↵</kbd>
                </span>
              </button>
            }
          >
            <QuestionFields
              question={question}
              text={shown.question_text}
              content={content}
              setContent={setContent}
              tags={tags}
              setTags={setTags}
            />
            <ImageField
              path={shown.image_path}
              alt={question.image_alt}
              take={upload.upload}
              remove={() => setImage(null)}
            />
            <JsonField name="image_path" value={shown.image_path} take={setImage} />
            {problems.length > 0 && (
              <div class="notice bad" role="alert">
                <ul>
                  {problems.map((problem) => (
                    <li key={problem}>{problem}</li>
                  ))}
                </ul>
              </div>
            )}
            {wantsRegrade && (
              <p class="notice warn row spread" role="status">
                <span>
                  The key was changed. Attempts that are finished keep their marks until they are regraded.
                </span>
                <a
                  class="button small"
                  href={`/desk/teach/exams/${examId}/corrections?question=${id}&action=new_key`}
                >
                  Regrade now
                </a>
              </p>
            )}
          </Form>
        </div>
        <Preview question={shown} isAsked />
      </div>
    </Page>
  )
}

const questionsOf = (examId: number) => `/desk/teach/exams/${examId}/questions`

function QuestionActions({ id, read }: { id: number; read: () => TeacherQuestion }) {
  return (
    <>
      <Action
        act={async () => {
          const { image_url: _, ...question } = read()
          if (!(await mayAdd(question.exam_id, 1))) return undefined
          const body = toQuestionForm(question)
          const made = await ask(client.POST('/api/v01/admin/questions', { body }))
          go(`/desk/teach/questions/${question.exam_id}/${made.question_id}`)
          return t('This is the copy')
        }}
      >
        Duplicate
      </Action>
      <Action
        class="bad"
        act={async () => {
          const path = { params: { path: { id } } }
          if (!(await mayDelete(read().exam_id, 1))) return
          deleteSoon(
            `question-${id}`,
            t('{count, plural, one {# question deleted} other {# questions deleted}}', { count: 1 }),
            () => ask(client.DELETE('/api/v01/admin/questions/{id}', { ...path, ...OUTLIVING })),
          )
          go(questionsOf(read().exam_id), 'replace')
        }}
      >
        Delete
      </Action>
    </>
  )
}

/** What the form's own fields hold. */
function readForm(form: HTMLFormElement) {
  const data = new FormData(form)
  const text = (name: string) => String(data.get(name) ?? '')
  return {
    question_text: text('question_text'),
    explanation: text('explanation'),
    // Without an image there is no field for what it shows.
    image_alt: text('image_alt'),
    positive_marks: Number(text('positive_marks')),
    negative_marks: Number(text('negative_marks')),
  }
}
