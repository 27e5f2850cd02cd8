import { type Answer, ask, client } from '../client.ts'
import { ChangeForm } from '../components/forms/change-form.tsx'
import { Check } from '../components/forms/fields.tsx'
import { Loaded } from '../components/page/load-states.tsx'
import { useLoad } from '../components/page/use-load.ts'
import { t } from '../texts.ts'

type Wishes = Answer<'/api/v01/push', 'get'>['settings']['notices']
type Kind = keyof Wishes
type Way = keyof Wishes[Kind]
type Field = `${Kind}_${Way}`

const KINDS: readonly (readonly [kind: Kind, title: string])[] = [
  ['exam_published', t('New exams for you')],
  ['exam_closing', t('A day before an exam closes that you haven’t taken')],
  ['class_news', t('News of your classes')],
]
const WAYS = ['push', 'mail'] as const
const FIELDS = KINDS.flatMap(([kind]) => WAYS.map((way) => [kind, way] as const))

const toFields = (wishes: Wishes) =>
  Object.fromEntries(FIELDS.map(([kind, way]) => [`${kind}_${way}`, wishes[kind][way]])) as Record<
    Field,
    boolean
  >

/** A part of the account: which notices also come by a push or a mail. */
export function NoticeWishes() {
  const found = useLoad('notice-wishes', () => ask(client.GET('/api/v01/push')))
  return (
    <section class="sheet" aria-labelledby="notices">
      <h2 id="notices">What you are told of</h2>
      <p>Everything is in “What is new”. Some of it can also come to your devices, or by mail.</p>
      <Loaded of={found}>
        {({ settings }) => (
          <ChangeForm
            of={toFields(settings.notices)}
            button="Save"
            reload={found.reload}
            read={(fields) =>
              Object.fromEntries(
                FIELDS.map(([kind, way]) => [`${kind}_${way}`, fields[`${kind}_${way}`] !== undefined]),
              ) as Record<Field, boolean>
            }
            send={(changes) => {
              const wanted = { ...toFields(settings.notices), ...changes }
              const notices = Object.fromEntries(
                KINDS.filter(([kind]) => WAYS.some((way) => changes[`${kind}_${way}`] !== undefined)).map(
                  ([kind]) => [kind, { push: wanted[`${kind}_push`], mail: wanted[`${kind}_mail`] }],
                ),
              )
              return ask(client.PATCH('/api/v01/push/settings', { body: { notices } }))
            }}
          >
            {(shown) =>
              KINDS.map(([kind, title]) => (
                <fieldset key={kind}>
                  <legend>{title}</legend>
                  <Check label="On my devices" name={`${kind}_push`} checked={shown[`${kind}_push`]} />
                  <Check
                    label="By mail, to my confirmed address"
                    name={`${kind}_mail`}
                    checked={shown[`${kind}_mail`]}
                  />
                </fieldset>
              ))
            }
          </ChangeForm>
        )}
      </Loaded>
    </section>
  )
}
