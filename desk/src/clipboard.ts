import { t } from './texts.ts'

/** Puts a text on the clipboard, without TLS by the older way: it copies what is selected. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const focused = document.activeElement as HTMLElement | null
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'unseen'
  // Beside what was pressed: in an open dialog nothing outside of it can be selected.
  ;(focused?.parentElement ?? document.body).append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  focused?.focus()
  if (!isCopied) throw new Error(t('The browser refused to copy'))
}
