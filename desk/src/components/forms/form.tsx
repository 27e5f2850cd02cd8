import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { explain, RequestFailed } from '../../client.ts'
import { showToast } from '../dialogs/toasts.tsx'

export type Fields = Record<string, FormDataEntryValue>

interface FormProps {
  children: ComponentChildren
  /** The text of the button that sends it. */
  button: string
  /** The form shows its errors, and what it returns as a message if that is a text. */
  send: (fields: Fields, form: HTMLFormElement) => Promise<unknown>
  /** Whether the fields are emptied after success. */
  clears?: boolean
  /** Shown beside the button. */
  aside?: ComponentChildren
  class?: string
}

/** A form that shows the errors of sending it, marks the wrong fields, and can't be sent again meanwhile. */
export function Form({ children, button, send, clears, aside, class: extra = '' }: FormProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = useRef<HTMLFormElement>(null)
  async function submit(event: Event) {
    event.preventDefault()
    const element = form.current
    if (isBusy || !element) return
    setBusy(true)
    setError(undefined)
    markWrongFields(element, undefined)
    try {
      const message = await send(Object.fromEntries(new FormData(element)), element)
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
    <form ref={form} class={`form ${extra}`} onSubmit={submit} aria-busy={isBusy}>
      {children}
      {error !== undefined && (
        <p class="notice bad" role="alert">
          {explain(error)}
        </p>
      )}
      <div class="row">
        <button type="submit" class="main" aria-disabled={isBusy}>
          {button}
        </button>
        {aside}
      </div>
    </form>
  )
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
