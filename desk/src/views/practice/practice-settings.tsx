import { type Answer, ask, client } from '../../client.ts'
import { NumberField } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { t } from '../../texts.ts'

interface PracticeSettingsProps {
  settings: Answer<'/api/v01/practice', 'get'>['settings']
  reload: () => Promise<void>
}

/** How much a day brings, and how well it shall be kept. */
export function PracticeSettings({ settings, reload }: PracticeSettingsProps) {
  return (
    <details class="sheet">
      <summary>Settings</summary>
      <Form
        button="Save"
        send={async (fields) => {
          const body = {
            new_per_day: Number(fields.new_per_day),
            retention: Number(fields.retention) / 100,
          }
          await ask(client.PUT('/api/v01/practice/settings', { body }))
          await reload()
          return t('Saved')
        }}
      >
        <div class="fields">
          <NumberField
            label="New questions a day"
            name="new_per_day"
            most={500}
            value={settings.new_per_day}
            required
          />
          <NumberField
            label="Percent to remember"
            name="retention"
            least={70}
            most={97}
            value={Math.round(settings.retention * 100)}
            hint="A question comes back when you would still know it with this probability. Higher means more reviews."
            required
          />
        </div>
      </Form>
    </details>
  )
}
