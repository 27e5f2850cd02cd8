import { useStore } from '@nanostores/preact'
import { type Answer, ask, client, toQuery } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Choice } from '../../../components/forms/fields.tsx'
import { ListSearch } from '../../../components/forms/search.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { SelectionBar } from '../../../components/page/selection-bar.tsx'
import { Stat } from '../../../components/page/stat.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { useSelection } from '../../../components/page/use-selection.ts'
import { plural } from '../../../format.ts'
import { $query, setQuery } from '../../../router.ts'
import { ROLES } from './roles.ts'

type UserRow = Answer<'/api/v01/admin/users', 'get'>['users'][number]

/** All accounts and their roles. */
export default function Users() {
  const { q, role, page } = useStore($query)
  const found = useLoad(`${q} ${role} ${page}`, async () => {
    const [list, counts] = await Promise.all([
      ask(
        client.GET('/api/v01/admin/users', {
          params: { query: toQuery<'/api/v01/admin/users'>({ q, role, page }) },
        }),
      ),
      ask(client.GET('/api/v01/admin/users/counts')),
    ])
    return { list, counts }
  })
  const selection = useSelection<UserRow>(({ id }) => id)
  return (
    <Page title="Users and roles" lead="A changed role holds at once.">
      <div class="filters">
        <ListSearch label="Search people" />
        <Choice
          label="Role"
          value={role}
          options={[
            ['', 'All'],
            ['user', 'Students'],
            ['admin', 'Teachers'],
            ['both', 'Both'],
          ]}
          onChange={({ currentTarget }) => setQuery({ role: currentTarget.value, page: undefined })}
        />
      </div>
      <Loaded of={found}>
        {({ list, counts }) => (
          <>
            <dl class="figures">
              <Stat name="People" value={counts.total_users} />
              <Stat name="Students" value={counts.user_role} />
              <Stat name="Teachers" value={counts.admin_role} />
              <Stat name="Both" value={counts.both_roles} />
            </dl>
            <SelectionBar count={selection.chosen.length} what="person" many="people" clear={selection.clear}>
              {ROLES.map(([role, text]) => (
                <Action
                  key={role}
                  class="small"
                  confirm={`${plural(selection.chosen.length, 'person', 'people')}: ${text} from now on?`}
                  act={async () => {
                    const updates = selection.chosen.map(({ id }) => ({ user_id: id, new_role: role }))
                    const { message, errors } = await ask(
                      client.POST('/api/v01/admin/users/bulk-role', { body: { updates } }),
                    )
                    selection.clear()
                    await found.reload()
                    return errors ? [message, ...errors].join('; ') : message
                  }}
                >
                  {text}
                </Action>
              ))}
            </SelectionBar>
            <Table
              caption="People"
              rows={list.users}
              keyOf={({ id }) => id}
              selection={{ ...selection, name: ({ username }) => username }}
              columns={[
                { head: 'Name', cell: (each) => each.full_name },
                { head: 'Username', cell: (each) => each.username },
                { head: 'E-mail', cell: (each) => each.email },
                { head: 'Since', cell: (each) => each.created_at },
                {
                  head: 'Role',
                  cell: (each) => (
                    <select
                      aria-label={`Role of ${each.username}`}
                      value={each.role}
                      onChange={({ currentTarget }) =>
                        void runWithToast(async () => {
                          const body = { user_id: each.id, new_role: currentTarget.value }
                          const { message } = await ask(
                            client.POST('/api/v01/admin/users/role', { body }),
                          ).finally(found.reload)
                          return message
                        })
                      }
                    >
                      {ROLES.map(([value, text]) => (
                        <option key={value} value={value}>
                          {text}
                        </option>
                      ))}
                    </select>
                  ),
                },
              ]}
            />
            <Pager of={list} what="people" />
          </>
        )}
      </Loaded>
    </Page>
  )
}
