import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { explain, explainField, RequestFailed } from '../../client.ts'
import { showToast } from '../dialogs/toasts.tsx'
import { useFormDraft } from './form-draft.tsx'

export type Fields = Record<string, FormDataEntryValue>

export function fieldsOf(form: HTMLFormElement): Fields {
  return Object.fromEntries(new FormData(form))
}

/** Whether nothing in it is half typed, or no value at all. */
export function isReadable(form: HTMLFormElement | undefined): boolean {
  return !form?.querySelector(':invalid')
}

interface FormProps {
  children: ComponentChildren
  /** The text of the button that sends it. */
  button: string
  /**
   * The form shows its errors, and what it returns as a message if that is a text; `false`: it was not done, and stays
   * as it is.
   */
  send: (fields: Fields, form: HTMLFormElement) => Promise<unknown>
  /** Whether the fields are emptied after success. */
  clears?: boolean
  /** The name under which unsaved changes are kept in this browser; for everything longer than a line. */
  draft?: string | undefined
  /** In place of `draft`: keeps unsaved changes in a way of its own. */
  kept?: ReturnType<typeof useFormDraft>
  /** Whether something is lost by it. */
  isDangerous?: boolean
  /** Shown beside the button. */
  aside?: ComponentChildren
  class?: string
}

/** A form that shows the errors of sending it, marks the wrong fields, and can't be sent again meanwhile. */
export function Form({
  children,
  button,
  send,
  clears,
  draft,
  kept: given,
  isDangerous,
  aside,
  class: extra = '',
}: FormProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = useRef<HTMLFormElement>(null)
  const own = useFormDraft(form, draft)
  const kept = given ?? own
  async function submit(event: Event) {
    event.preventDefault()
    const element = form.current
    if (isBusy || !element) return
    setBusy(true)
    setError(undefined)
    markWrongFields(element, undefined)
    try {
      const message = await send(fieldsOf(element), element)
      if (message === false) return
      kept.settle()
      if (clears) element.reset()
      if (typeof message === 'string') showToast(message)
    } catch (failure) {
      setError(failure)
      markWrongFields(element, failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form ref={form} class={`form ${extra}`} onSubmit={submit} onInput={kept.keep} aria-busy={isBusy}>
      {kept.notice}
      {children}
      {error !== undefined && (
        <p class="notice bad" role="alert">
          {describeFailure(form.current, error)}
        </p>
      )}
      <div class="row">
        <button type="submit" class={isDangerous ? 'main bad' : 'main'} aria-disabled={isBusy}>
          {button}
        </button>
        {aside}
      </div>
    </form>
  )
}

/** What went wrong; a refused field is named by its label. */
function describeFailure(form: HTMLFormElement | null, failure: unknown): string {
  const wrong = failure instanceof RequestFailed ? failure.failure.errors : undefined
  if (!form || !wrong?.length) return explain(failure)
  return wrong
    .map(({ path, message }) => {
      const name = path.replace(/^\//, '')
      const field = form.elements.namedItem(name)
      const label =
        field instanceof HTMLInputElement ||
        field instanceof HTMLTextAreaElement ||
        field instanceof HTMLSelectElement
          ? field.labels?.[0]?.textContent
          : undefined
      return `${label ?? name}: ${explainField(message)}`
    })
    .join('; ')
}

/** Marks the fields that the service refused, and puts the cursor into the first one. */
function markWrongFields(form: HTMLFormElement, failure: unknown): void {
  const paths =
    failure instanceof RequestFailed ? failure.failure.errors?.map(({ path }) => path.replace(/^\//, '')) : []
  let first: HTMLElement | undefined
  for (const element of form.elements) {
    if (!(element instanceof HTMLElement) || !('name' in element)) continue
    const isWrong = paths?.includes(String(element.name)) ?? false
    if (isWrong) element.setAttribute('aria-invalid', 'true')
    else element.removeAttribute('aria-invalid')
    if (isWrong) first ??= element
  }
  first?.focus()
}
