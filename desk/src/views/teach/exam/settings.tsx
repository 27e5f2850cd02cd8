import { ask, client } from '../../../client.ts'
import { Area, Check, Choice, Field, MomentField, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { fromLocalInput } from '../../../format.ts'
import type { TabProps } from './tab-props.ts'

const orNull = (text: unknown) => (text === '' || text === undefined ? null : Number(text))

/** The settings of an exam. */
export function Settings({ exam, reload }: TabProps) {
  const categories = useLoad('categories', () => ask(client.GET('/api/v01/categories', {})))
  return (
    <div class="sheet">
      <Form
        button="Save"
        send={async (fields) => {
          const body = {
            name: String(fields.name),
            description: String(fields.description),
            category_id: orNull(fields.category_id),
            duration_minutes: orNull(fields.duration_minutes),
            max_attempts: orNull(fields.max_attempts),
            pass_percentage: Number(fields.pass_percentage),
            result_mode: fields.result_mode as 'instant' | 'on_release',
            msq_scoring: fields.msq_scoring as 'all_or_nothing' | 'partial',
            opens_at: fromLocalInput(fields.opens_at),
            closes_at: fromLocalInput(fields.closes_at),
            lock_help: fields.lock_help === 'on',
          }
          await ask(client.PATCH('/api/v01/admin/exams/{id}', { params: { path: { id: exam.id } }, body }))
          await reload()
          return 'Saved'
        }}
      >
        <Field label="Name" name="name" value={exam.name} required maxLength={200} />
        <Area label="Description" name="description" value={exam.description} />
        <div class="fields">
          <Choice
            key={categories.data ? 'known' : 'unknown'}
            label="Category"
            name="category_id"
            value={exam.category_id}
            options={[
              ['', 'None'],
              ...(categories.data?.categories ?? []).map(({ id, name }) => [id, name] as const),
            ]}
          />
          <NumberField
            label="Minutes"
            name="duration_minutes"
            least={1}
            value={exam.duration_minutes}
            hint="Empty: no time limit"
          />
          <NumberField
            label="Attempts"
            name="max_attempts"
            least={1}
            value={exam.max_attempts}
            hint="Empty: any number"
          />
          <NumberField
            label="Percent to pass"
            name="pass_percentage"
            most={100}
            allowsFractions
            value={exam.pass_percentage}
            required
          />
          <Choice
            label="Results"
            name="result_mode"
            value={exam.result_mode}
            options={[
              ['instant', 'At once'],
              ['on_release', 'When I release them'],
            ]}
          />
          <Choice
            label="Several right options"
            name="msq_scoring"
            value={exam.msq_scoring}
            options={[
              ['all_or_nothing', 'All or nothing'],
              ['partial', 'A part for a part'],
            ]}
          />
          <MomentField
            label="Opens"
            name="opens_at"
            value={exam.opens_at}
            hint="In this machine’s time zone"
          />
          <MomentField label="Closes" name="closes_at" value={exam.closes_at} />
        </div>
        <Check
          label="Close tutor, chat and discussions while somebody takes it"
          name="lock_help"
          checked={exam.lock_help}
        />
      </Form>
    </div>
  )
}
