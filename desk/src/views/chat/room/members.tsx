import type { User } from '@exam-practice/client'
import type { Conversation } from '@exam-practice/client/chat'
import { useStore } from '@nanostores/preact'
import { chat } from '../../../chat.ts'
import { ask, client } from '../../../client.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { Choice, Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { go } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { listConnected } from '../connected.ts'

interface MembersProps {
  conversation: Conversation
  user: User
  close: () => void
}

/** The members of a conversation, with the actions on them. */
export function Members({ conversation, user, close }: MembersProps) {
  const { id, is_group: isGroup } = conversation
  const path = { params: { path: { id } } }
  const found = useLoad(
    id,
    async () => (await ask(client.GET('/api/v01/chat/conversations/{id}', path))).conversation,
  )
  const online = useStore(chat.$online)
  const known = useStore(chat.$conversations) ?? []
  const remove = (userId: number) =>
    ask(
      client.DELETE('/api/v01/chat/groups/{id}/members/{user_id}', {
        params: { path: { id, user_id: userId } },
      }),
    )
  return (
    <Dialog title={conversation.name} close={close}>
      <Loaded of={found}>
        {({ members }) => {
          const isOwner = members.some((each) => each.id === user.id && each.is_owner)
          const others = listConnected(known).filter(
            ({ user_id }) => !members.some((member) => member.id === user_id),
          )
          return (
            <>
              <ul class="list">
                {members.map((member) => (
                  <li key={member.id} class="row spread">
                    <span>
                      <strong>{member.full_name}</strong> <small dir="ltr">@{member.username}</small>{' '}
                      {member.is_owner && isGroup && <span class="chip">Owner</span>}{' '}
                      {(online[member.id] ?? member.online) && <span class="chip good">online</span>}
                    </span>
                    {isGroup && isOwner && member.id !== user.id && (
                      <Action
                        class="small"
                        confirm={t('Remove {name}?', { name: member.full_name })}
                        act={async () => {
                          await remove(member.id)
                          await found.reload()
                        }}
                      >
                        Remove
                      </Action>
                    )}
                  </li>
                ))}
              </ul>
              {isGroup && isOwner && (
                <Form
                  button="Rename"
                  send={async ({ name }) => {
                    await ask(
                      client.PATCH('/api/v01/chat/groups/{id}', { ...path, body: { name: String(name) } }),
                    )
                  }}
                >
                  <Field
                    label="Name of the group"
                    name="name"
                    value={conversation.name}
                    required
                    maxLength={200}
                  />
                </Form>
              )}
              {isGroup && isOwner && others.length > 0 && (
                <Form
                  button="Add"
                  send={async ({ member }) => {
                    const body = { member_ids: [Number(member)] }
                    await ask(client.POST('/api/v01/chat/groups/{id}/members', { ...path, body }))
                    await found.reload()
                  }}
                >
                  <Choice
                    label="Add somebody"
                    name="member"
                    options={others.map((each) => [each.user_id ?? 0, each.name] as const)}
                  />
                </Form>
              )}
              <div class="row">
                {isGroup ? (
                  <Action
                    class="bad"
                    confirm="Leave this group? You can’t read it any more then."
                    act={async () => {
                      await remove(user.id)
                      close()
                      go('/desk/chat', 'replace')
                    }}
                  >
                    Leave the group
                  </Action>
                ) : (
                  <ConnectionActions conversation={conversation} close={close} />
                )}
              </div>
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

/** Actions in a direct conversation: end the connection, or block the person. */
function ConnectionActions({ conversation, close }: { conversation: Conversation; close: () => void }) {
  const { conn_id: connection, user_id: userId, name } = conversation
  return (
    <>
      {connection !== null && conversation.can_send && (
        <Action
          confirm={t('End the connection with {name}? What was written stays readable.', { name })}
          act={async () => {
            await ask(
              client.DELETE('/api/v01/chat/connections/{conn_id}', {
                params: { path: { conn_id: connection } },
              }),
            )
            close()
          }}
        >
          Disconnect
        </Action>
      )}
      {userId !== null && (
        <Action
          class="bad"
          confirm={t('Block {name}? They can neither write to you nor see whether you are here.', { name })}
          act={async () => {
            await ask(client.PUT('/api/v01/chat/blocks/{user_id}', { params: { path: { user_id: userId } } }))
            close()
            return t('{name} is blocked', { name })
          }}
        >
          Block
        </Action>
      )}
    </>
  )
}
