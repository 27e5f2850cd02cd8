import { type Answer, ask, client } from '../../../client.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { isPlaceholder } from '../../../placeholder.ts'
import { t } from '../../../texts.ts'

export type UserRow = Answer<'/api/v01/admin/users', 'get'>['users'][number]

interface ManagedUserProps {
  user: UserRow
  close: () => void
  /** Called after each change. */
  changed: () => Promise<void>
}

/** Suspends somebody's account, lets it in again, frees its address, or deletes it. */
export function ManagedUser({ user, close, changed }: ManagedUserProps) {
  const path = { params: { path: { id: user.id } } }
  const own = useLoad('me', async () => (await ask(client.GET('/api/v01/auth/me'))).data)
  async function suspend(suspended: boolean) {
    await ask(client.PATCH('/api/v01/admin/users/{id}', { ...path, body: { suspended } }))
    close()
    await changed()
    return suspended
      ? t('{name} can no longer sign in', { name: user.username })
      : t('{name} can sign in again', { name: user.username })
  }
  async function free() {
    await ask(client.POST('/api/v01/admin/users/{id}/free-address', path))
    close()
    await changed()
    return t('The e-mail address is free')
  }
  return (
    <Dialog title={t('Account of {name}', { name: user.username })} close={close}>
      <div class="stack">
        {user.suspended ? (
          <>
            <p>This account is suspended: nobody can sign in with it.</p>
            <div class="row">
              <Action class="main" act={() => suspend(false)}>
                End the suspension
              </Action>
            </div>
          </>
        ) : (
          <>
            <p>
              {t(
                'While it is suspended, {name} can’t sign in, and is signed out everywhere at once. Nothing is deleted.',
                { name: user.full_name },
              )}
            </p>
            <div class="row">
              <Action act={() => suspend(true)}>Suspend</Action>
            </div>
          </>
        )}
        {!isPlaceholder(user.email) && (
          <>
            <p>
              {t(
                'If somebody else has {email} by now, free it for them: {name} keeps everything else, and signs in by username or as before by their school.',
                { email: user.email, name: user.full_name },
              )}
            </p>
            <div class="row">
              <Action act={free} confirm="Take the e-mail address from this account?">
                Free the e-mail address
              </Action>
            </div>
          </>
        )}
        <Loaded of={own}>
          {({ has_password }) => (
            <Form
              button="Delete the account"
              isDangerous
              send={async ({ confirm, current_password }) => {
                const body = {
                  confirm: String(confirm),
                  ...(current_password === undefined ? {} : { current_password: String(current_password) }),
                }
                await ask(client.DELETE('/api/v01/admin/users/{id}', { ...path, body }))
                close()
                await changed()
                return t('The account is deleted')
              }}
            >
              <p>
                {t(
                  'Deleting erases {name}’s attempts and results, notes, practice and conversations with the tutor, for good. What they wrote to others stays, without their name.',
                  { name: user.full_name },
                )}
              </p>
              <Field label="To delete this account, type DELETE" name="confirm" autoComplete="off" required />
              {has_password && (
                <Field
                  label="Your own password"
                  name="current_password"
                  type="password"
                  autoComplete="current-password"
                  required
                />
              )}
            </Form>
          )}
        </Loaded>
      </div>
    </Dialog>
  )
}
