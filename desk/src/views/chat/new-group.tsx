import type { Conversation } from '@exam-practice/client/chat'
import { ask, client } from '../../client.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { Check, Field } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'
import { listConnected } from './connected.ts'

interface NewGroupProps {
  conversations: readonly Conversation[]
  close: () => void
}

/** Makes a group of connected people. */
export function NewGroup({ conversations, close }: NewGroupProps) {
  const people = listConnected(conversations)
  return (
    <Dialog title="New group" close={close}>
      {people.length === 0 ? (
        <p>
          {t('A group is made of people with whom you are connected. <a>Find people</a> first.', {
            a: (inner) => <a href="/desk/people">{inner}</a>,
          })}
        </p>
      ) : (
        <Form
          button="Create the group"
          draft="group-new"
          send={async ({ name }, form) => {
            const member_ids = new FormData(form).getAll('member').map(Number)
            const made = await ask(
              client.POST('/api/v01/chat/groups', { body: { name: String(name), member_ids } }),
            )
            close()
            go(`/desk/chat/${made.conv_id}`)
          }}
        >
          <Field label="Name" name="name" required maxLength={200} />
          <fieldset>
            <legend>Who is in it?</legend>
            {people.map((each) => (
              <Check key={each.id} label={each.name} name="member" value={String(each.user_id)} />
            ))}
          </fieldset>
        </Form>
      )}
    </Dialog>
  )
}
