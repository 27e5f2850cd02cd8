import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { askWhether } from '../dialogs/asking.tsx'
import { attempt } from '../dialogs/toasts.tsx'

interface ActionProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick'> {
  children: ComponentChildren
  act: () => Promise<unknown>
  /** What can't be undone is asked for first. */
  confirm?: string | undefined
}

/** A button that does something at the service: busy meanwhile, and what went wrong is said. */
export function Action({ children, act, confirm, ...button }: ActionProps) {
  const [isBusy, setBusy] = useState(false)
  async function click() {
    if (isBusy) return
    setBusy(true)
    const verb = [children].flat().join('')
    if (confirm === undefined || (await askWhether(confirm, verb))) await attempt(act)
    setBusy(false)
  }
  return (
    <button type="button" aria-disabled={isBusy} {...button} onClick={() => void click()}>
      {children}
    </button>
  )
}
