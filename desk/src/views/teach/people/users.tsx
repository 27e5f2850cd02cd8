import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { ask, client, toQuery } from '../../../client.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Choice } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { ListSearch } from '../../../components/forms/search.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { SelectionBar } from '../../../components/page/selection-bar.tsx'
import { Stat } from '../../../components/page/stat.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { type Selection, useSelection } from '../../../components/page/use-selection.ts'
import { serviceTime } from '../../../format.ts'
import { nameOfRole, ROLES } from '../../../roles.ts'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'
import type { ViewProps } from '../../view-props.ts'
import { ManagedUser, type UserRow } from './managed-user.tsx'

/** All accounts and their roles. */
export default function Users({ user }: ViewProps) {
  const [changing, setChanging] = useState<UserRow>()
  const [managed, setManaged] = useState<UserRow>()
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
    <Page
      title="Users and roles"
      lead="A changed role takes effect at once."
      actions={
        <a class="button" href="/desk/teach/users/new">
          New accounts
        </a>
      }
    >
      <div class="filters">
        <ListSearch label="Search people" />
        <Choice
          label="Role"
          value={role}
          options={[
            ['', t('All')],
            ['user', t('Students')],
            ['admin', t('Administrators')],
            ['both', t('Both')],
          ]}
          onChange={({ currentTarget }) => setQuery({ role: currentTarget.value, page: undefined })}
        />
      </div>
      <Loaded of={found}>
        {({ list, counts }) => (
          <>
            <dl class="figures">
              <Stat label="People" value={counts.total_users} />
              <Stat label="Students" value={counts.user_role} />
              <Stat label="Administrators" value={counts.admin_role} />
              <Stat label="Both" value={counts.both_roles} />
            </dl>
            <RoleActions selection={selection} reload={found.reload} />
            <Table
              caption="People"
              rows={list.users}
              keyOf={({ id }) => id}
              selection={{ ...selection, name: ({ username }) => username }}
              columns={[
                { head: t('Name'), cell: (each) => each.full_name },
                { head: t('Username'), cell: (each) => each.username },
                { head: t('E-mail'), cell: (each) => each.email },
                { head: t('Since'), cell: (each) => serviceTime(each.created_at) },
                {
                  head: t('Role'),
                  cell: (each) => (
                    <span class="row">
                      {nameOfRole(each.role)}
                      <button
                        type="button"
                        class="small"
                        aria-label={t('Change the role of {name}', { name: each.username })}
                        onClick={() => setChanging(each)}
                      >
                        Change
                      </button>
                    </span>
                  ),
                },
                {
                  head: t('Account'),
                  cell: (each) => (
                    <span class="row">
                      {each.suspended && <span class="chip bad">Suspended</span>}
                      {each.id !== user.id && (
                        <button
                          type="button"
                          class="small"
                          aria-label={t('Manage the account of {name}', { name: each.username })}
                          onClick={() => setManaged(each)}
                        >
                          Manage
                        </button>
                      )}
                    </span>
                  ),
                },
              ]}
            />
            <Pager
              of={list}
              total={t('{count, plural, one {# person} other {# people}}', { count: list.total })}
            />
          </>
        )}
      </Loaded>
      {managed && <ManagedUser user={managed} close={() => setManaged(undefined)} changed={found.reload} />}
      {changing && (
        <RoleDialog
          person={changing}
          isOwn={changing.id === user.id}
          close={() => setChanging(undefined)}
          reload={found.reload}
        />
      )}
    </Page>
  )
}

interface RoleActionsProps {
  selection: Selection<UserRow>
  reload: () => Promise<void>
}

/** Gives a role to all selected people. */
function RoleActions({ selection, reload }: RoleActionsProps) {
  const count = selection.chosen.length
  return (
    <SelectionBar
      count={count}
      label={t('{count, plural, one {# person selected} other {# people selected}}', { count })}
      clear={selection.clear}
    >
      {ROLES.map(([role, text]) => (
        <Action
          key={role}
          class="small"
          confirm={t('{count, plural, one {# person} other {# people}}: {role} from now on?', {
            count,
            role: text,
          })}
          act={async () => {
            const updates = selection.chosen.map(({ id }) => ({ user_id: id, new_role: role }))
            const { errors } = await ask(client.POST('/api/v01/admin/users/bulk-role', { body: { updates } }))
            selection.clear()
            await reload()
            const changed = t('{count, plural, one {# role changed} other {# roles changed}}', {
              count: updates.length - (errors?.length ?? 0),
            })
            return [changed, ...(errors ?? [])].join('; ')
          }}
        >
          {text}
        </Action>
      ))}
    </SelectionBar>
  )
}

interface RoleDialogProps {
  person: UserRow
  isOwn: boolean
  close: () => void
  reload: () => Promise<void>
}

function RoleDialog({ person, isOwn, close, reload }: RoleDialogProps) {
  return (
    <Dialog title={t('Role of {name}', { name: person.username })} close={close}>
      <Form
        button="Change the role"
        aside={
          <button type="button" class="quiet" onClick={close}>
            Cancel
          </button>
        }
        send={async ({ new_role }) => {
          const body = { user_id: person.id, new_role: String(new_role) }
          await ask(client.POST('/api/v01/admin/users/role', { body }))
          close()
          await reload()
          return t('The role is changed')
        }}
      >
        <Choice
          label="Role"
          name="new_role"
          value={person.role}
          options={ROLES}
          hint={isOwn ? 'This is your own account.' : 'It takes effect at once.'}
        />
      </Form>
    </Dialog>
  )
}
