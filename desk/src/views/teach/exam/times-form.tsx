import type { ComponentChildren } from 'preact'
import { Action } from '../../../components/forms/button.tsx'
import { ChangeForm } from '../../../components/forms/change-form.tsx'
import { NumberField } from '../../../components/forms/fields.tsx'
import { MomentField } from '../../../components/forms/moment-field.tsx'
import { momentIn } from '../../../moments.ts'
import { t } from '../../../texts.ts'
import { changeTimes, NO_TIMES, removeTimes, type Times, type TimesOperations } from './change-times.ts'

/** Offered to people who have no times of their own. */
const USUAL_PERCENT = 25

interface TimesFormProps {
  /** Names what is typed here among the drafts. */
  draft: string
  operations: TimesOperations
  /** What they have; undefined: the exam's own times. */
  of: Times | undefined
  done: () => Promise<void>
  /** Shown beside the button. */
  aside?: ComponentChildren
}

/** The form of somebody's own times at an exam. */
export function TimesForm({ draft, operations, of, done, aside }: TimesFormProps) {
  const { extra_time_percent, opens_at, closes_at } = of ?? NO_TIMES
  return (
    <ChangeForm
      of={{ extra_time_percent, opens_at, closes_at }}
      button="Save"
      draft={draft}
      aside={aside}
      saved={false}
      reload={done}
      read={(fields, form) => ({
        extra_time_percent: Number(fields.extra_time_percent),
        opens_at: momentIn(form, 'opens_at'),
        closes_at: momentIn(form, 'closes_at'),
      })}
      send={(changes, was) => changeTimes(operations, of, { changes, was }, done)}
    >
      {(shown) => (
        <div class="fields">
          <NumberField
            label="More time in percent"
            name="extra_time_percent"
            most={300}
            value={of ? shown.extra_time_percent : shown.extra_time_percent || USUAL_PERCENT}
            required
          />
          <MomentField label="Opens" name="opens_at" value={shown.opens_at} hint="Empty: as the exam" />
          <MomentField label="Closes" name="closes_at" value={shown.closes_at} hint="Empty: as the exam" />
        </div>
      )}
    </ChangeForm>
  )
}

interface RemoveTimesProps {
  operations: TimesOperations
  before: Times
  /** Whose they are. */
  name: string
  done: () => Promise<void>
}

/** Gives somebody the exam's own times again. */
export function RemoveTimes({ operations, before, name, done }: RemoveTimesProps) {
  return (
    <Action
      class="small"
      aria-label={t('The exam’s own times: {name}', { name })}
      act={() => removeTimes(operations, before, done)}
    >
      The exam’s own times
    </Action>
  )
}
