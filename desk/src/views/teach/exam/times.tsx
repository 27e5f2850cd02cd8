import { useState } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Choice, MomentField, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { fromLocalInput, moment, nameAndUsername, percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { PersonChoice } from '../people/person-choice.tsx'
import { ClassTimes } from './class-times.tsx'
import { sendTimes } from './ending-attempts.ts'
import type { TabProps } from './tab-props.ts'

/** Accommodations of single people, and more time for all active attempts. */
export function Times({ exam }: TabProps) {
  const [whom, setWhom] = useState('all')
  const path = { params: { path: { exam_id: exam.id } } }
  const found = useLoad(exam.id, () => ask(client.GET('/api/v01/admin/exams/{exam_id}/accommodations', path)))
  return (
    <div class="stack">
      <section class="sheet" aria-labelledby="extend">
        <h2 id="extend">Extend attempts under way</h2>
        <Form
          button="Extend"
          send={async ({ minutes, user_id }) => {
            const body = {
              minutes: Number(minutes),
              key: client.platform.uuid(),
              ...(user_id ? { user_ids: [Number(user_id)] } : {}),
            }
            const { extended } = await ask(
              client.POST('/api/v01/admin/exams/{exam_id}/extend', { ...path, body }),
            )
            return t(
              '{count, plural, one {# attempt under way extended} other {# attempts under way extended}}',
              { count: extended },
            )
          }}
        >
          <NumberField label="Minutes" name="minutes" least={1} most={600} value={5} required />
          <Choice
            label="For"
            value={whom}
            options={[
              ['all', t('All attempts under way')],
              ['one', t('One person')],
            ]}
            onChange={({ currentTarget }) => setWhom(currentTarget.value)}
          />
          {whom === 'one' && <PersonChoice name="user_id" />}
        </Form>
      </section>
      <section class="sheet" aria-labelledby="own">
        <h2 id="own">Individual times</h2>
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
                  { head: t('Who'), cell: (row) => nameAndUsername(row) },
                  { head: t('More time'), cell: (row) => percent(row.extra_time_percent), isNumber: true },
                  {
                    head: t('Opens'),
                    cell: (row) => (row.opens_at ? moment(row.opens_at) : t('as the exam')),
                  },
                  {
                    head: t('Closes'),
                    cell: (row) => (row.closes_at ? moment(row.closes_at) : t('as the exam')),
                  },
                  {
                    head: t('Change'),
                    cell: (row) => (
                      <Action
                        class="small"
                        act={async () => {
                          const path = { exam_id: exam.id, user_id: row.user_id }
                          await sendTimes((confirm) =>
                            ask(
                              client.DELETE('/api/v01/admin/exams/{exam_id}/accommodations/{user_id}', {
                                params: { path, query: { confirm } },
                              }),
                            ),
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
            const isSaved = await sendTimes((confirm) =>
              ask(
                client.PUT('/api/v01/admin/exams/{exam_id}/accommodations/{user_id}', {
                  ...own,
                  body: { ...body, confirm },
                }),
              ),
            )
            if (!isSaved) return false
            await found.reload()
            return t('Saved; it takes effect at once')
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
      {exam.class_ids.length > 0 && <ClassTimes exam={exam} />}
    </div>
  )
}
