import type { ComponentChildren } from 'preact'
import { Action } from '../../../components/forms/button.tsx'
import { MomentField, NumberField } from '../../../components/forms/fields.tsx'
import { type Fields, Form } from '../../../components/forms/form.tsx'
import { fromLocalInput } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { changeTimes, type SendTimes, type Times } from './change-times.ts'

interface TimesFormProps {
  /** Names what is typed here among the drafts. */
  draft: string
  send: (fields: Fields) => SendTimes
  /** What they have now; undefined: the exam's own times. */
  before: (fields: Fields) => Times | undefined
  /** What the fields show at first. */
  of?: Times | undefined
  done: () => Promise<void>
  clears?: boolean
  /** Shown beside the button. */
  aside?: ComponentChildren
  /** Fields before those of the times. */
  children?: ComponentChildren
}

/** The form of somebody's own times at an exam. */
export function TimesForm({ draft, send, before, of, done, clears, aside, children }: TimesFormProps) {
  return (
    <Form
      button="Save"
      draft={draft}
      clears={clears ?? false}
      aside={aside}
      send={(fields) =>
        changeTimes({
          send: send(fields),
          before: before(fields),
          after: {
            extra_time_percent: Number(fields.extra),
            opens_at: fromLocalInput(fields.opens_at),
            closes_at: fromLocalInput(fields.closes_at),
          },
          done,
        })
      }
    >
      <div class="fields">
        {children}
        <NumberField
          label="More time in percent"
          name="extra"
          most={300}
          value={of?.extra_time_percent ?? 25}
          required
        />
        <MomentField label="Opens" name="opens_at" value={of?.opens_at ?? null} hint="Empty: as the exam" />
        <MomentField
          label="Closes"
          name="closes_at"
          value={of?.closes_at ?? null}
          hint="Empty: as the exam"
        />
      </div>
    </Form>
  )
}

interface RemoveTimesProps {
  send: SendTimes
  before: Times
  /** Whose they are. */
  name: string
  done: () => Promise<void>
}

/** Gives somebody the exam's own times again. */
export function RemoveTimes({ send, before, name, done }: RemoveTimesProps) {
  return (
    <Action
      class="small"
      aria-label={t('The exam’s own times: {name}', { name })}
      act={() => changeTimes({ send, before, after: undefined, done })}
    >
      The exam’s own times
    </Action>
  )
}
