import { type Answer, ask, client } from '../client.ts'
import { Action } from '../components/forms/button.tsx'
import { ChangeForm } from '../components/forms/change-form.tsx'
import { Check, Choice } from '../components/forms/fields.tsx'
import { Loaded } from '../components/page/load-states.tsx'
import { useLoad } from '../components/page/use-load.ts'
import { moment, timeOfHour } from '../format.ts'
import { canTakePushes, removeDevice, thisDevice, turnOffPushes, turnOnPushes } from '../push.ts'
import { t } from '../texts.ts'

const GROUPS = [
  ['mentions', t('When I am mentioned')],
  ['all', t('Every message')],
  ['none', t('None')],
] as const
const HOURS = Array.from({ length: 24 }, (_, hour) => [hour, timeOfHour(hour)] as const)

type Settings = Answer<'/api/v01/push', 'get'>['settings']

/** The settings that the form has. */
function shownOf({ messages, exams, practice, practice_hour, preview }: Settings) {
  return { messages, exams, practice, practice_hour, preview }
}

/** A part of the account: on which devices the person is notified while the desk is closed, and of what. */
export function Notifications() {
  const found = useLoad('push', () => ask(client.GET('/api/v01/push')))
  return (
    <section class="sheet" aria-labelledby="notifications">
      <h2 id="notifications">Notifications</h2>
      <Loaded of={found}>
        {({ public_key, subscriptions, settings }) => {
          const isOn = subscriptions.some(({ id }) => id === thisDevice())
          const change = (act: () => Promise<void>) => async () => {
            await act()
            await found.reload()
          }
          if (public_key === null) return <p>This service sends no notifications.</p>
          return (
            <>
              <p>Shown while the desk is closed or out of sight. They end when you sign out.</p>
              {!canTakePushes && (
                <p class="notice">
                  This browser shows none. On a phone, add the desk to the home screen and open it from there.
                </p>
              )}
              {canTakePushes && (
                <Action
                  class={isOn ? '' : 'main'}
                  act={change(isOn ? turnOffPushes : () => turnOnPushes(public_key))}
                >
                  {isOn ? 'Turn off on this device' : 'Turn on on this device'}
                </Action>
              )}
              {subscriptions.length > 0 && (
                <ul class="list">
                  {subscriptions.map(({ id, endpoint_host, last_used_at }) => (
                    <li key={id} class="row spread">
                      <span>
                        {endpoint_host} {id === thisDevice() && <span class="chip good">This device</span>}
                        <br />
                        <small>
                          {last_used_at
                            ? t('Last used {time}', { time: moment(last_used_at) })
                            : 'Not used yet'}
                        </small>
                      </span>
                      {id !== thisDevice() && (
                        <Action class="small" act={change(() => removeDevice(id))}>
                          Remove
                        </Action>
                      )}
                    </li>
                  ))}
                </ul>
              )}
              <ChangeForm
                of={shownOf(settings)}
                button="Save notifications"
                reload={found.reload}
                read={({ messages, exams, practice, practice_hour, preview }) => ({
                  messages: messages as Settings['messages'],
                  exams: exams !== undefined,
                  practice: practice !== undefined,
                  practice_hour: Number(practice_hour),
                  preview: preview !== undefined,
                })}
                send={(changes) => {
                  // The hour is one of this device's zone.
                  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions()
                  const isTimed = changes.practice_hour !== undefined || changes.practice !== undefined
                  const body = { ...changes, ...(isTimed ? { time_zone } : {}) }
                  return ask(client.PATCH('/api/v01/push/settings', { body }))
                }}
              >
                {(shown) => (
                  <>
                    <Choice
                      label="Messages in groups"
                      name="messages"
                      value={shown.messages}
                      options={GROUPS}
                      hint="Of single people you are told each one. Muted conversations stay silent."
                    />
                    <Check
                      label="Exams: one opens soon, a result is out"
                      name="exams"
                      checked={shown.exams}
                    />
                    <Check
                      label="Practice that is due, once a day"
                      name="practice"
                      checked={shown.practice}
                    />
                    <Choice
                      label="Time of the practice reminder"
                      name="practice_hour"
                      value={shown.practice_hour}
                      options={HOURS}
                    />
                    <Check
                      label="Show what was written, and the names of exams"
                      name="preview"
                      checked={shown.preview}
                    />
                  </>
                )}
              </ChangeForm>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
