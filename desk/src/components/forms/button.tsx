import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { promptForConfirmation } from '../dialogs/prompts.tsx'
import { runWithToast } from '../dialogs/toasts.tsx'

interface ActionProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick'> {
  children: ComponentChildren
  act: () => Promise<unknown>
  /** The question before something that can't be undone. */
  confirm?: string | undefined
}

/** A button for a request to the service: disabled while it runs, and errors are shown. */
export function Action({ children, act, confirm, ...button }: ActionProps) {
  const [isBusy, setBusy] = useState(false)
  async function click() {
    if (isBusy) return
    setBusy(true)
    const verb = [children].flat().join('')
    if (confirm === undefined || (await promptForConfirmation(confirm, verb))) await runWithToast(act)
    setBusy(false)
  }
  return (
    <button type="button" aria-disabled={isBusy} {...button} onClick={() => void click()}>
      {children}
    </button>
  )
}
