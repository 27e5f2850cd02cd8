import { ask, client, readAllPages } from '../../../client.ts'
import { ChangeForm } from '../../../components/forms/change-form.tsx'
import { Area, Check, Choice, Field, NumberField } from '../../../components/forms/fields.tsx'
import type { Fields } from '../../../components/forms/form.tsx'
import { MomentField } from '../../../components/forms/moment-field.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { momentIn } from '../../../moments.ts'
import { t } from '../../../texts.ts'
import { mayChange } from './change-question.ts'
import { sendTimes } from './change-times.ts'
import { ClassChoice, chosenClasses, readClasses } from './class-choice.tsx'
import { PaperFields } from './paper-settings.tsx'
import type { Exam, TabProps } from './tab-props.ts'

const orNull = (text: unknown) => (text === '' || text === undefined ? null : Number(text))

/** The name under which changes are kept until they are saved. */
export const settingsDraft = (examId: number) => `exam-${examId}`

/** What the form changes. */
type SettingsOf = Omit<
  Exam,
  | 'id'
  | 'is_published'
  | 'results_released'
  | 'watch_page'
  | 'question_count'
  | 'pool_count'
  | 'created_at'
  | 'updated_at'
>

function settingsOf(exam: Exam): SettingsOf {
  const {
    id: _,
    is_published,
    results_released,
    watch_page,
    question_count,
    pool_count,
    created_at,
    updated_at,
    ...rest
  } = exam
  return rest
}

function read(fields: Fields, form: HTMLFormElement): SettingsOf {
  return {
    name: String(fields.name),
    description: String(fields.description),
    category_id: orNull(fields.category_id),
    duration_minutes: orNull(fields.duration_minutes),
    max_attempts: orNull(fields.max_attempts),
    pass_percentage: Number(fields.pass_percentage),
    result_mode: fields.result_mode as SettingsOf['result_mode'],
    msq_scoring: fields.msq_scoring as SettingsOf['msq_scoring'],
    opens_at: momentIn(form, 'opens_at'),
    closes_at: momentIn(form, 'closes_at'),
    lock_help: fields.lock_help === 'on',
    shuffle: fields.shuffle as SettingsOf['shuffle'],
    draw: JSON.parse(String(fields.draw)),
    open_for_practice: fields.open_for_practice === 'on',
    class_ids: chosenClasses(form),
  }
}

/** The settings of an exam. */
export function Settings({ exam, user, reload }: TabProps) {
  const known = useLoad('choices', async () => {
    const [{ categories }, classes] = await Promise.all([
      ask(client.GET('/api/v01/categories', {})),
      readClasses(user),
    ])
    return { categories, classes }
  })
  const questions = useLoad(exam.id, async () => {
    const pages = await readAllPages((page) =>
      ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: exam.id, page } } })),
    )
    return pages.flatMap((page) => page.questions)
  })
  return (
    <div class="sheet">
      <Loaded of={known}>
        {({ categories, classes }) => (
          <ChangeForm
            of={settingsOf(exam)}
            button="Save"
            draft={settingsDraft(exam.id)}
            read={read}
            reload={reload}
            say={(name, value) =>
              name === 'class_ids' && (value as number[]).length === 0 ? t('Everybody') : undefined
            }
            send={async (changes, was) => {
              if (!(await mayChange(exam, changes))) return false
              const params = { path: { id: exam.id } }
              const body = { ...changes, was }
              const outcome = await sendTimes((confirm) =>
                ask(client.PATCH('/api/v01/admin/exams/{id}', { params, body: { ...body, confirm } })),
              )
              return outcome !== undefined
            }}
          >
            {(shown) => (
              <>
                <Field label="Name" name="name" value={shown.name} required maxLength={200} />
                <Area label="Description" name="description" value={shown.description} />
                <div class="fields">
                  <Choice
                    label="Category"
                    name="category_id"
                    value={shown.category_id}
                    options={[['', t('None')], ...categories.map(({ id, name }) => [id, name] as const)]}
                  />
                  <NumberField
                    label="Minutes"
                    name="duration_minutes"
                    least={1}
                    value={shown.duration_minutes}
                    hint="Empty: no time limit"
                  />
                  <NumberField
                    label="Attempts"
                    name="max_attempts"
                    least={1}
                    value={shown.max_attempts}
                    hint="Empty: any number"
                  />
                  <NumberField
                    label="Percent to pass"
                    name="pass_percentage"
                    most={100}
                    allowsFractions
                    value={shown.pass_percentage}
                    required
                  />
                  <Choice
                    label="Results"
                    name="result_mode"
                    value={shown.result_mode}
                    options={[
                      ['instant', t('At once')],
                      ['on_release', t('When I release them')],
                    ]}
                  />
                  <Choice
                    label="Partly correct answers"
                    name="msq_scoring"
                    value={shown.msq_scoring}
                    options={[
                      ['all_or_nothing', t('All or nothing')],
                      ['partial', t('Partial marks')],
                    ]}
                    hint="With several correct options, gaps, pairs or items"
                  />
                  <MomentField
                    label="Opens"
                    name="opens_at"
                    value={shown.opens_at}
                    hint="In your time zone"
                  />
                  <MomentField label="Closes" name="closes_at" value={shown.closes_at} />
                </div>
                <ClassChoice user={user} classes={classes} chosen={shown.class_ids} />
                <PaperFields shuffle={shown.shuffle} draw={shown.draw} questions={questions.data} />
                <Check
                  label="Close tutor, chat and discussions while somebody takes it"
                  name="lock_help"
                  checked={shown.lock_help}
                />
                <Check
                  label="Open for practice: whoever may see the published exam can practise its questions, and then sees their keys"
                  name="open_for_practice"
                  checked={shown.open_for_practice}
                />
              </>
            )}
          </ChangeForm>
        )}
      </Loaded>
    </div>
  )
}
