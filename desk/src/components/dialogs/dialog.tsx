import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { rememberOpener } from '../../shell/keep-focus.ts'

interface DialogProps {
  title: string
  close: () => void
  children: ComponentChildren
  class?: string
}

/** A modal dialog. Escape and the button close it, and the focus returns to where it was. */
export function Dialog({ title, close, children, class: extra = '' }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (dialog.current) rememberOpener(dialog.current)
    dialog.current?.showModal()
    dialog.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [])
  return (
    <dialog ref={dialog} class={extra} aria-labelledby={id} onClose={close} onCancel={close}>
      <header class="row spread">
        <h2 id={id}>
          <bdi>{title}</bdi>
        </h2>
        <button type="button" class="quiet small" onClick={close}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  )
}
