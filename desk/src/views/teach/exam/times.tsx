import { ask, client } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { MomentField, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { fromLocalInput, moment, plural } from '../../../format.ts'
import { PersonChoice } from '../people/person-choice.tsx'
import type { TabProps } from './tab-props.ts'

/** Accommodations of single people, and more time for all active attempts. */
export function Times({ exam }: TabProps) {
  const path = { params: { path: { exam_id: exam.id } } }
  const found = useLoad(exam.id, () => ask(client.GET('/api/v01/admin/exams/{exam_id}/accommodations', path)))
  return (
    <div class="stack">
      <section class="sheet" aria-labelledby="extend">
        <h2 id="extend">More minutes, now</h2>
        <Form
          button="Give the minutes"
          send={async ({ minutes }) => {
            const body = { minutes: Number(minutes), key: client.platform.uuid() }
            const { extended } = await ask(
              client.POST('/api/v01/admin/exams/{exam_id}/extend', { ...path, body }),
            )
            return `${plural(extended, 'attempt')} under way got the minutes`
          }}
        >
          <NumberField
            label="Minutes for all attempts under way"
            name="minutes"
            least={1}
            most={600}
            value={5}
            required
          />
        </Form>
      </section>
      <section class="sheet" aria-labelledby="own">
        <h2 id="own">Own times</h2>
        <Loaded of={found}>
          {({ accommodations }) =>
            accommodations.length === 0 ? (
              <p class="lead">Everybody has the exam’s own times.</p>
            ) : (
              <Table
                caption="People with their own times"
                rows={accommodations}
                keyOf={({ user_id }) => user_id}
                columns={[
                  { head: 'Who', cell: (row) => `${row.full_name} (${row.username})` },
                  { head: 'More time', cell: (row) => `${row.extra_time_percent} %`, isNumber: true },
                  { head: 'Opens', cell: (row) => (row.opens_at ? moment(row.opens_at) : 'as the exam') },
                  { head: 'Closes', cell: (row) => (row.closes_at ? moment(row.closes_at) : 'as the exam') },
                  {
                    head: 'Change',
                    cell: (row) => (
                      <Action
                        class="small"
                        act={async () => {
                          const own = { params: { path: { exam_id: exam.id, user_id: row.user_id } } }
                          await ask(
                            client.DELETE('/api/v01/admin/exams/{exam_id}/accommodations/{user_id}', own),
                          )
                          await found.reload()
                        }}
                      >
                        Remove
                      </Action>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
        <Form
          button="Set"
          clears
          send={async ({ user_id, extra, opens_at, closes_at }) => {
            const own = { params: { path: { exam_id: exam.id, user_id: Number(user_id) } } }
            const body = {
              extra_time_percent: Number(extra),
              opens_at: fromLocalInput(opens_at),
              closes_at: fromLocalInput(closes_at),
            }
            await ask(client.PUT('/api/v01/admin/exams/{exam_id}/accommodations/{user_id}', { ...own, body }))
            await found.reload()
            return 'Set; it holds at once'
          }}
        >
          <div class="fields">
            <PersonChoice name="user_id" />
            <NumberField label="More time in percent" name="extra" most={300} value={25} required />
            <MomentField label="Opens" name="opens_at" hint="Empty: as the exam" />
            <MomentField label="Closes" name="closes_at" hint="Empty: as the exam" />
          </div>
        </Form>
      </section>
    </div>
  )
}
