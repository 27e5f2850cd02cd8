import { useEffect, useState } from 'preact/hooks'
import { type Answer, ask, client, explain } from '../../client.ts'
import { showToast } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Field } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { list } from '../../format.ts'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'

interface Found {
  code: string
  class: Answer<'/api/v01/classes/by-code/{code}', 'get'>['class']
}

/** Joining a class by a code, which a link brings along; which class it is of is said before. */
export function JoinClass({ code: linked }: { code: string | undefined }) {
  const [found, setFound] = useState<Found>()
  const [failure, setFailure] = useState<unknown>()
  async function find(code: string) {
    const { class: one } = await ask(
      client.GET('/api/v01/classes/by-code/{code}', { params: { path: { code } } }),
    )
    setFailure(undefined)
    setFound({ code, class: one })
  }
  useEffect(() => {
    setFound(undefined)
    if (linked) find(linked).catch(setFailure)
  }, [linked])
  return (
    <section class="sheet" aria-labelledby="join">
      <h2 id="join">Join a class</h2>
      {found ? (
        <Preview of={found} another={() => setFound(undefined)} />
      ) : (
        <>
          {failure !== undefined && (
            <p class="notice bad" role="alert">
              {explain(failure)}
            </p>
          )}
          <Form
            key={linked}
            button="Find the class"
            send={({ code }) => {
              setFailure(undefined)
              return find(String(code).trim())
            }}
          >
            <Field
              label="Code"
              name="code"
              value={linked}
              required
              maxLength={100}
              autoComplete="off"
              hint={
                linked
                  ? t('From your link')
                  : t('Your teacher shows it: eight letters. Blanks, hyphens and small letters don’t matter.')
              }
            />
          </Form>
        </>
      )}
    </section>
  )
}

function Preview({ of: { code, class: one }, another }: { of: Found; another: () => void }) {
  const { name, teachers, students: count } = one
  return (
    <div class="stack tight" role="status">
      <h3>
        <bdi>{name}</bdi>
      </h3>
      <p>
        {teachers.length === 0
          ? t('{count, plural, one {# student} other {# students}}', { count })
          : t('{names} · {count, plural, one {# student} other {# students}}', {
              names: list(teachers),
              count,
            })}
      </p>
      <div class="row">
        <Action
          class="main"
          aria-label={t('Join: {name}', { name })}
          act={async () => {
            const { class: joined } = await ask(client.POST('/api/v01/classes/join', { body: { code } }))
            showToast(t('You are in {name}', { name: joined.name }))
            go(`/desk/classes/${joined.id}`)
          }}
        >
          Join
        </Action>
        <button type="button" class="quiet" onClick={another}>
          Another code
        </button>
      </div>
    </div>
  )
}
