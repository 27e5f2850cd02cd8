import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { dropDraft, readDraft, useDraftSaver } from '../../drafts.ts'
import { lately } from '../../format.ts'
import { t } from '../../texts.ts'
import type { Control } from './field-words.ts'

type Values = Record<string, string | boolean>

/** Keeps what is typed into a form as a draft, and puts it back when the form is opened again. */
export function useFormDraft(form: RefObject<HTMLFormElement | null>, name: string | undefined) {
  const [restoredAt, setRestoredAt] = useState<number>()
  const { keep, drop } = useDraftSaver(name)
  useEffect(() => {
    const draft = name === undefined ? undefined : readDraft<Values>(name)
    if (!draft || !form.current) return
    if (fill(form.current, draft.value)) setRestoredAt(draft.at)
    else if (name !== undefined) dropDraft(name)
  }, [name])
  const settle = () => {
    drop()
    setRestoredAt(undefined)
  }
  return {
    /** Keeps the form as it is when it is written away. */
    keep: () => {
      const element = form.current
      if (name === undefined || !element) return
      const values = read(element)
      keep(() => values)
    },
    /** It was saved or thrown away. */
    settle,
    notice: (
      <RestoredNotice
        at={restoredAt}
        discard={() => {
          form.current?.reset()
          form.current?.dispatchEvent(new Event('input', { bubbles: true }))
          settle()
        }}
      />
    ),
  }
}

/** Tells that a draft was put back. */
export function RestoredNotice({ at, discard }: { at: number | undefined; discard: () => void }) {
  if (at === undefined) return null
  return (
    <p class="notice row spread" role="status">
      <span>
        {t('Your unsaved changes of {time} were restored.', { time: lately(new Date(at).toISOString()) })}
      </span>
      <button type="button" class="small" onClick={discard}>
        Discard them
      </button>
    </p>
  )
}

function* controls(form: HTMLFormElement): Generator<Control> {
  for (const each of form.elements)
    if (
      (each instanceof HTMLInputElement && !['file', 'password'].includes(each.type)) ||
      each instanceof HTMLTextAreaElement ||
      each instanceof HTMLSelectElement
    )
      if (each.name) yield each
}

/** A check box is named by its value too, since several may share a name. */
const isCheck = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio'
const nameOf = (control: Control) => (isCheck(control) ? `${control.name}=${control.value}` : control.name)

function read(form: HTMLFormElement): Values {
  return Object.fromEntries(
    [...controls(form)].map((each) => [nameOf(each), isCheck(each) ? each.checked : each.value]),
  )
}

/** Answers whether anything differs from what the form shows. */
function fill(form: HTMLFormElement, values: Values): boolean {
  let isChanged = false
  // A field can make others appear, such as those of a question's type.
  for (const each of controls(form)) {
    const value = values[nameOf(each)]
    if (value === undefined || value === (isCheck(each) ? each.checked : each.value)) continue
    isChanged = true
    if (isCheck(each)) each.checked = value === true
    else each.value = String(value)
    each.dispatchEvent(new Event('input', { bubbles: true }))
    each.dispatchEvent(new Event('change', { bubbles: true }))
  }
  return isChanged
}
