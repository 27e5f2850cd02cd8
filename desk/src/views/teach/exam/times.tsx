import { useMemo, useState } from 'preact/hooks'
import { ask, client, readAllPages } from '../../../client.ts'
import { Choice } from '../../../components/forms/fields.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { moment, nameAndUsername, percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { chosenPerson, type Person, PersonChoice } from '../people/person-choice.tsx'
import type { TimesOperations } from './change-times.ts'
import { ClassTimes } from './class-times.tsx'
import { ExtendForm, mayGetMinutes } from './extend-form.tsx'
import type { TabProps } from './tab-props.ts'
import { RemoveTimes, TimesForm } from './times-form.tsx'

/** Accommodations of single people, and more time for all active attempts. */
export function Times({ exam }: TabProps) {
  const [whom, setWhom] = useState('all')
  const path = { params: { path: { exam_id: exam.id } } }
  // Read anew whenever somebody is to be chosen, and not for each letter of the search.
  const findTaking = useMemo(() => searchTaking(exam.id), [exam.id, whom])
  const found = useLoad(exam.id, () => ask(client.GET('/api/v01/admin/exams/{exam_id}/accommodations', path)))
  const [who, setWho] = useState<number>()
  const operationsOn = (userId: number): TimesOperations => {
    const own = { exam_id: exam.id, user_id: userId }
    return {
      change: (body) =>
        ask(
          client.PATCH('/api/v01/admin/exams/{exam_id}/accommodations/{user_id}', {
            params: { path: own },
            body,
          }),
        ),
      set: (body) =>
        ask(
          client.PUT('/api/v01/admin/exams/{exam_id}/accommodations/{user_id}', {
            params: { path: own },
            body,
          }),
        ),
      remove: (query) =>
        ask(
          client.DELETE('/api/v01/admin/exams/{exam_id}/accommodations/{user_id}', {
            params: { path: own, query },
          }),
        ),
    }
  }
  return (
    <div class="stack">
      <section class="sheet" aria-labelledby="extend">
        <h2 id="extend">Extend attempts under way</h2>
        <ExtendForm
          label="Minutes"
          question={(minutes, fields) =>
            whom === 'all'
              ? t('Give all attempts under way {minutes} min more? That can’t be taken back.', { minutes })
              : t('Give {name} {minutes} min more? That can’t be taken back.', {
                  name: chosenPerson(fields, 'user_id'),
                  minutes,
                })
          }
          extend={(body, { user_id }) =>
            ask(
              client.POST('/api/v01/admin/exams/{exam_id}/extend', {
                ...path,
                body: { ...body, ...(user_id ? { user_ids: [Number(user_id)] } : {}) },
              }),
            )
          }
        >
          <Choice
            label="For"
            value={whom}
            options={[
              ['all', t('All attempts under way')],
              ['one', t('One person')],
            ]}
            onChange={({ currentTarget }) => setWhom(currentTarget.value)}
          />
          {whom === 'one' && (
            <>
              <PersonChoice name="user_id" find={findTaking} />
              <small>
                An attempt that ended with its time less than a day ago is opened again, with these minutes
                from now, if its result couldn’t be seen yet and no later one began.
              </small>
            </>
          )}
        </ExtendForm>
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
                      <RemoveTimes
                        operations={operationsOn(row.user_id)}
                        before={row}
                        name={row.username}
                        done={found.reload}
                      />
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
        <PersonChoice onChoose={(id) => setWho(id === '' ? undefined : Number(id))} />
        {found.data && who !== undefined && (
          <TimesForm
            key={who}
            draft={`times-${exam.id}-${who}`}
            operations={operationsOn(who)}
            of={found.data.accommodations.find((each) => each.user_id === who)}
            done={found.reload}
          />
        )}
      </section>
      {exam.class_ids.length > 0 && <ClassTimes exam={exam} />}
    </div>
  )
}

/** A search among those who can get more minutes, who are read once. */
function searchTaking(examId: number): (q: string) => Promise<Person[]> {
  let taking: Promise<Person[]> | undefined
  return async (q) => {
    taking ??= readTaking(examId)
    try {
      return (await taking).filter(([, text]) => text.toLowerCase().includes(q.toLowerCase()))
    } catch (error) {
      taking = undefined
      throw error
    }
  }
}

async function readTaking(examId: number): Promise<Person[]> {
  const pages = await readAllPages((page) =>
    ask(
      client.GET('/api/v01/admin/exams/{exam_id}/results', {
        params: { path: { exam_id: examId }, query: { page } },
      }),
    ),
  )
  return pages
    .flatMap(({ results }) => results)
    .filter(mayGetMinutes)
    .map((row): Person => [row.user_id, nameAndUsername(row)])
}
