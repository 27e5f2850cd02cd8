import { useStore } from '@nanostores/preact'
import { atom } from 'nanostores'
import { t } from '../../texts.ts'
import { Area, Field } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { Table } from '../page/table.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmQuestion {
  title: string
  button: string
  /** Whether something is lost by it. */
  isDangerous?: boolean
  field?: PromptField
  /** What was changed by two people. */
  versions?: readonly ConflictingVersion[]
  /** Called with undefined if the dialog was closed. */
  answer: (given: string | undefined) => void
}

/** A field that somebody else has changed too. */
interface ConflictingVersion {
  label: string
  stored: string
  own: string
}

interface PromptField {
  label: string
  hint?: string
  /** The only text that is taken. */
  expected?: string
  value?: string
  /** Whether it may have more than one line. */
  isLong?: boolean
  /** The name under which a longer text is kept until it is given. */
  draft?: string
}

const $question = atom<ConfirmQuestion | undefined>()

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

/** Asks for somebody's name before something of theirs is deleted for good. */
export async function promptForName(title: string, button: string, name: string): Promise<boolean> {
  const field = { label: t('To confirm, type {name}', { name }), expected: name }
  return (await show({ title, button, isDangerous: true, field })) !== undefined
}

/** Asks which stays of what two people have changed; undefined if nothing was decided. */
export async function promptForVersion(
  versions: readonly ConflictingVersion[],
): Promise<'own' | 'stored' | undefined> {
  const given = await show({
    title: t('Somebody else has changed this meanwhile'),
    button: t('Save mine'),
    versions,
  })
  return given as 'own' | 'stored' | undefined
}

function show(question: Omit<ConfirmQuestion, 'answer'>): Promise<string | undefined> {
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
  const { title, button, isDangerous = false, field, versions, answer } = question
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
          isDangerous={isDangerous}
          send={async ({ text }) => answer(String(text))}
        >
          {field.isLong ? (
            <Area label={field.label} name="text" value={field.value} rows={3} required />
          ) : (
            <Field
              label={field.label}
              name="text"
              value={field.value}
              maxLength={200}
              {...(field.expected === undefined ? {} : { expected: field.expected, autoComplete: 'off' })}
              required
            />
          )}
        </Form>
      ) : versions ? (
        <>
          <Table
            caption={t('Both versions')}
            rows={versions}
            keyOf={({ label }) => label}
            columns={[
              { head: t('What'), cell: ({ label }) => label },
              { head: t('Is now'), cell: ({ stored }) => stored },
              { head: t('Yours'), cell: ({ own }) => own },
            ]}
          />
          <div class="row">
            <button type="button" class="main" onClick={() => answer('own')}>
              {button}
            </button>
            <button type="button" onClick={() => answer('stored')}>
              Keep what is there
            </button>
            {cancel}
          </div>
        </>
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
