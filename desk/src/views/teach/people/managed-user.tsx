import { useState } from 'preact/hooks'
import { type Answer, ask, client } from '../../../client.ts'
import { copyText } from '../../../clipboard.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { moment } from '../../../format.ts'
import { isPlaceholder } from '../../../placeholder.ts'
import { t } from '../../../texts.ts'

export type UserRow = Answer<'/api/v01/admin/users', 'get'>['users'][number]

interface ManagedUserProps {
  user: UserRow
  close: () => void
  /** Called after each change. */
  changed: () => Promise<void>
}

/** Changes somebody's name, makes them a link for a new password, suspends their account, lets it in again, frees its address, or deletes it. */
export function ManagedUser({ user, close, changed }: ManagedUserProps) {
  const path = { params: { path: { id: user.id } } }
  const [link, setLink] = useState<Answer<'/api/v01/admin/users/{id}/password-link', 'post'>>()
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
        <Form
          button="Change the name"
          send={async ({ full_name }) => {
            const body = { full_name: String(full_name) }
            await ask(client.PATCH('/api/v01/admin/users/{id}', { ...path, body }))
            await changed()
            return t('The name is changed')
          }}
        >
          <Field label="Full name" name="full_name" value={user.full_name} required maxLength={200} />
        </Form>
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
        {user.role === 'user' && (
          <>
            <p>
              {t('{name} gets no mail? With a link that you hand over they choose a new password.', {
                name: user.full_name,
              })}
            </p>
            {link ? (
              <>
                <p>
                  <code translate={false}>{link.url}</code>
                </p>
                <p>
                  {t('It works once, until {time}, and is shown only now', { time: moment(link.ends_at) })}
                </p>
                <div class="row">
                  <Action act={() => copyText(link.url).then(() => t('The link is copied'))}>
                    Copy the link
                  </Action>
                </div>
              </>
            ) : (
              <div class="row">
                <Action
                  act={async () => {
                    setLink(await ask(client.POST('/api/v01/admin/users/{id}/password-link', path)))
                  }}
                >
                  Make a link for a new password
                </Action>
              </div>
            )}
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
