import { type Answer, ask, client } from '../../client.ts'
import { ChangeForm } from '../../components/forms/change-form.tsx'
import { NumberField } from '../../components/forms/fields.tsx'

interface PracticeSettingsProps {
  settings: Answer<'/api/v01/practice', 'get'>['settings']
  reload: () => Promise<void>
}

/** How many new questions a day brings, and how well answers should be remembered. */
export function PracticeSettings({ settings, reload }: PracticeSettingsProps) {
  return (
    <details class="sheet">
      <summary>Settings</summary>
      <ChangeForm
        of={{ new_per_day: settings.new_per_day, percent: Math.round(settings.retention * 100) }}
        button="Save"
        reload={reload}
        read={({ new_per_day, percent }) => ({ new_per_day: Number(new_per_day), percent: Number(percent) })}
        send={({ percent, ...others }) => {
          const body = { ...others, ...(percent === undefined ? {} : { retention: percent / 100 }) }
          return ask(client.PUT('/api/v01/practice/settings', { body }))
        }}
      >
        {(shown) => (
          <div class="fields">
            <NumberField
              label="New questions a day"
              name="new_per_day"
              most={500}
              value={shown.new_per_day}
              required
            />
            <NumberField
              label="Percent to remember"
              name="percent"
              least={70}
              most={97}
              value={shown.percent}
              hint="A question comes back when you would still know it with this probability. Higher means more reviews."
              required
            />
          </div>
        )}
      </ChangeForm>
    </details>
  )
}
