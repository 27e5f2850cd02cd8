import { list, moment } from '../../format.ts'
import { t } from '../../texts.ts'

/** What a field of a form is called. */
export function labelOf(form: HTMLFormElement, name: string): string {
  const field = controlsOf(form, name)[0]
  const label = field?.type === 'hidden' || isOneOfMany(field) ? undefined : field?.labels?.[0]?.textContent
  return label ?? field?.closest('fieldset')?.querySelector('legend')?.textContent ?? name
}

/** A value in the words of the form that has it. */
export function wordsOf(form: HTMLFormElement, name: string, value: unknown): string {
  const fields = controlsOf(form, name)
  const [field] = fields
  if (value === null || value === undefined || value === '') return t('None')
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  if (Array.isArray(value))
    return list(
      value.map((each) => {
        const box = fields.find((control) => control.value === String(each))
        if (box) return box.labels?.[0]?.textContent ?? String(each)
        return typeof each === 'object' ? Object.values(each as object).join(' × ') : String(each)
      }),
    )
  if (field instanceof HTMLSelectElement)
    return [...field.options].find((option) => option.value === String(value))?.text ?? String(value)
  if (field?.type === 'datetime-local') return moment(String(value))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function controlsOf(form: HTMLFormElement, name: string): Control[] {
  return [...form.elements].filter(
    (each): each is Control =>
      (each instanceof HTMLInputElement ||
        each instanceof HTMLSelectElement ||
        each instanceof HTMLTextAreaElement) &&
      each.name === name,
  )
}

/** Boxes that share a name are values of one field. */
const isOneOfMany = (field: Control | undefined) => field?.type === 'checkbox' && field.value !== 'on'
