import { useStore } from '@nanostores/preact'
import { atom } from 'nanostores'
import { Area, Field } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { Dialog } from './dialog.tsx'

interface Question {
  title: string
  button: string
  /** Whether something is lost by it. */
  isDangerous?: boolean
  field?: PromptField
  /** Called with undefined if the dialog was closed. */
  answer: (given: string | undefined) => void
}

interface PromptField {
  label: string
  value?: string
  /** Whether it may have more than one line. */
  isLong?: boolean
  /** The name under which a longer text is kept until it is given. */
  draft?: string
}

const $question = atom<Question | undefined>()

/** Asks for confirmation, mostly before something that can't be undone: its button is red then. */
export async function promptForConfirmation(
  title: string,
  button: string,
  isDangerous = true,
): Promise<boolean> {
  return (await show({ title, button, isDangerous })) !== undefined
}

/** Asks for a line or a longer text; undefined if none was given. */
export async function promptForText(
  title: string,
  button: string,
  field: PromptField,
): Promise<string | undefined> {
  const given = await show({ title, button, field })
  return given?.trim() || undefined
}

function show(question: Omit<Question, 'answer'>): Promise<string | undefined> {
  $question.get()?.answer(undefined)
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  $question.set({
    ...question,
    answer(given) {
      $question.set(undefined)
      resolve(given)
    },
  })
  return promise
}

/** Shows the current prompt, above all other dialogs. */
export function Prompts() {
  const question = useStore($question)
  if (!question) return null
  const { title, button, isDangerous, field, answer } = question
  const leave = () => answer(undefined)
  const cancel = (
    <button type="button" class="quiet" onClick={leave}>
      Cancel
    </button>
  )
  return (
    <Dialog title={title} close={leave} class="question">
      {field ? (
        <Form
          button={button}
          aside={cancel}
          draft={field.draft}
          send={async ({ text }) => answer(String(text))}
        >
          {field.isLong ? (
            <Area label={field.label} name="text" value={field.value} rows={3} required />
          ) : (
            <Field label={field.label} name="text" value={field.value} maxLength={200} required />
          )}
        </Form>
      ) : (
        <div class="row">
          <button type="button" class={isDangerous ? 'main bad' : 'main'} onClick={() => answer('')}>
            {button}
          </button>
          {cancel}
        </div>
      )}
    </Dialog>
  )
}
