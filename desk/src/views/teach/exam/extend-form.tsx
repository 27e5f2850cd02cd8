import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { client } from '../../../client.ts'
import { promptForConfirmation } from '../../../components/dialogs/prompts.tsx'
import { NumberField } from '../../../components/forms/fields.tsx'
import { type Fields, Form } from '../../../components/forms/form.tsx'
import type { StudentResult } from '../../../components/results-table.tsx'
import { serverNow } from '../../../server-time.ts'
import { t } from '../../../texts.ts'

interface ExtendFormProps {
  label: string
  /** What is asked before it: minutes that were given can't be taken back. */
  question: (minutes: number, fields: Fields) => string
  extend: (
    body: { minutes: number; key: string },
    fields: Fields,
  ) => Promise<{ extended: number; reopened: number }>
  done?: () => Promise<void>
  /** Fields after that of the minutes. */
  children?: ComponentChildren
}

const DAY_MS = 24 * 3_600_000

/** Whether somebody who is named can get more time: they take the exam, or their time was up less than a day ago. */
export function mayGetMinutes({ active, newest }: Pick<StudentResult, 'active' | 'newest'>): boolean {
  if (active) return true
  return newest?.status === 'expired' && serverNow() - Date.parse(newest.submitted_at) < DAY_MS
}

/** Gives attempts under way more minutes, and opens those of named people again whose time was up. */
export function ExtendForm({ label, question, extend, done, children }: ExtendFormProps) {
  /** What was asked for and not answered: asked for again by the same key, it gives the minutes once. */
  const unanswered = useRef<{ asked: string; key: string } | undefined>(undefined)
  return (
    <Form
      button="Extend"
      send={async (fields) => {
        const minutes = Number(fields.minutes)
        if (!(await promptForConfirmation(question(minutes, fields), t('Extend'), false))) return false
        const asked = JSON.stringify(fields)
        if (unanswered.current?.asked !== asked) unanswered.current = { asked, key: client.platform.uuid() }
        const { extended, reopened } = await extend({ minutes, key: unanswered.current.key }, fields)
        unanswered.current = undefined
        await done?.()
        if (reopened > 0)
          return t('{count, plural, one {# attempt opened again} other {# attempts opened again}}', {
            count: reopened,
          })
        return t(
          '{count, plural, one {# attempt under way extended} other {# attempts under way extended}}',
          { count: extended },
        )
      }}
    >
      <NumberField label={label} name="minutes" least={1} most={600} value={5} required />
      {children}
    </Form>
  )
}
