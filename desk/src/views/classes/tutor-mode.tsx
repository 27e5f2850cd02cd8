import { ask, client } from '../../client.ts'
import { ChangeForm } from '../../components/forms/change-form.tsx'
import { Choice } from '../../components/forms/fields.tsx'
import { t } from '../../texts.ts'
import type { ClassTabProps, OneClass } from './class-tab.ts'

type Mode = OneClass['class']['tutor_mode']

const MODES = [
  ['explain', t('Explains, and gives results')],
  ['guide', t('Asks back, and gives one hint at a time')],
] as const satisfies readonly (readonly [Mode, string])[]

/** How the tutor answers the students of a class. */
export function TutorMode({ of: { class: own }, reload }: Pick<ClassTabProps, 'of' | 'reload'>) {
  return (
    <section class="sheet" aria-labelledby="tutor-mode">
      <h2 id="tutor-mode">Tutor</h2>
      <ChangeForm<{ tutor_mode: Mode }>
        of={{ tutor_mode: own.tutor_mode }}
        button="Save"
        reload={reload}
        read={({ tutor_mode }) => ({ tutor_mode: tutor_mode as Mode })}
        send={(body) =>
          ask(client.PATCH('/api/v01/classes/{id}', { params: { path: { id: own.id } }, body }))
        }
      >
        {({ tutor_mode }) => (
          <Choice
            label="The tutor of this class"
            name="tutor_mode"
            value={tutor_mode}
            options={MODES}
            hint="With hints it states a result only when a student has shown two attempts of their own"
          />
        )}
      </ChangeForm>
    </section>
  )
}
