import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { chat } from '../../chat.ts'
import { type Answer, ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Search } from '../../components/forms/search.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { lately } from '../../format.ts'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'

type FoundPerson = Answer<'/api/v01/chat/users', 'get'>['users'][number]

/** Search for people, requests to connect, and blocked people. */
export default function People() {
  const [q, setQ] = useState('')
  const requests = useStore(chat.$requests)
  const found = useLoad(q, async () =>
    q === '' ? [] : (await ask(client.GET('/api/v01/chat/users', { params: { query: { q } } }))).users,
  )
  const blocks = useLoad('blocks', () => ask(client.GET('/api/v01/chat/blocks')))
  return (
    <Page title="People" lead="People who accept your request can chat with you.">
      {requests.length > 0 && (
        <section class="sheet" aria-labelledby="asking">
          <h2 id="asking">Asking to connect</h2>
          <ul class="list">
            {requests.map((each) => (
              <li key={each.conn_id} class="row spread">
                <span>
                  <strong>{each.from_name}</strong> <small>{lately(each.created_at)}</small>
                </span>
                <span class="row">
                  <Action class="main small" act={() => answer(each.conn_id, 'accept')}>
                    Accept
                  </Action>
                  <Action class="small" act={() => answer(each.conn_id, 'reject')}>
                    Decline
                  </Action>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="sheet" aria-labelledby="find">
        <h2 id="find">Find people</h2>
        <Search label="Username or name" value={q} take={setQ} />
        <Loaded of={found}>
          {(people) => (
            <ul class="list">
              {q !== '' && people.length === 0 && <li class="lead">Nobody is called that.</li>}
              {people.map((person) => (
                <li key={person.id} class="row spread">
                  <span>
                    <strong>{person.full_name}</strong> <small dir="ltr">@{person.username}</small>
                  </span>
                  <Tie person={person} reload={found.reload} />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </section>
      <Loaded of={blocks}>
        {({ users }) =>
          users.length > 0 && (
            <section class="sheet" aria-labelledby="blocked">
              <h2 id="blocked">Blocked</h2>
              <ul class="list">
                {users.map((person) => (
                  <li key={person.id} class="row spread">
                    <span>
                      <strong>{person.full_name}</strong> <small dir="ltr">@{person.username}</small>
                    </span>
                    <Action
                      class="small"
                      act={async () => {
                        await ask(
                          client.DELETE('/api/v01/chat/blocks/{user_id}', {
                            params: { path: { user_id: person.id } },
                          }),
                        )
                        await blocks.reload()
                      }}
                    >
                      Unblock
                    </Action>
                  </li>
                ))}
              </ul>
            </section>
          )
        }
      </Loaded>
    </Page>
  )
}

async function answer(id: number, action: 'accept' | 'reject'): Promise<void> {
  const path = { params: { path: { conn_id: id } } }
  const { conv_id } = await ask(
    client.POST('/api/v01/chat/connections/{conn_id}/respond', { ...path, body: { action } }),
  )
  if (conv_id !== null) go(`/desk/chat/${conv_id}`)
}

function Tie({ person, reload }: { person: FoundPerson; reload: () => Promise<void> }) {
  const conversations = useStore(chat.$conversations)
  const conversation = conversations?.find((each) => each.user_id === person.id)
  // A conversation comes by itself when the other one accepts; the list of people doesn't.
  if (conversation && (person.connection_status === 'accepted' || person.connection_status === 'pending'))
    return (
      <a class="button small" href={`/desk/chat/${conversation.id}`}>
        Write
      </a>
    )
  if (person.connection_status === 'accepted') return <span class="chip good">Connected</span>
  if (person.connection_status === 'pending') return <span class="chip">Asked</span>
  return (
    <Action
      class="small"
      act={async () => {
        await ask(client.POST('/api/v01/chat/connections', { body: { recipient_id: person.id } }))
        await reload()
        return t('{name} is asked', { name: person.full_name })
      }}
    >
      Connect
    </Action>
  )
}
