import { useState } from 'preact/hooks'
import { ask, client, readAllPages } from '../../../client.ts'
import { Area, Check, Choice, Field, MomentField, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { fromLocalInput } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { sendTimes } from './change-times.ts'
import { ClassChoice } from './class-choice.tsx'
import { PaperFields, type PaperSettings } from './paper-settings.tsx'
import type { TabProps } from './tab-props.ts'

const orNull = (text: unknown) => (text === '' || text === undefined ? null : Number(text))

/** The name under which changes are kept until they are saved. */
export const settingsDraft = (examId: number) => `exam-${examId}`

/** The settings of an exam. */
export function Settings({ exam, user, reload }: TabProps) {
  const categories = useLoad('categories', () => ask(client.GET('/api/v01/categories', {})))
  const settingsOf = (): PaperSettings => ({ shuffle: exam.shuffle, rules: exam.draw ?? [] })
  const [paper, setPaper] = useState(settingsOf)
  const questions = useLoad(exam.id, async () => {
    const pages = await readAllPages((page) =>
      ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: exam.id, page } } })),
    )
    return pages.flatMap((page) => page.questions)
  })
  return (
    <div class="sheet" onReset={() => setPaper(settingsOf)}>
      <Form
        button="Save"
        draft={settingsDraft(exam.id)}
        send={async (fields, form) => {
          const body = {
            name: String(fields.name),
            description: String(fields.description),
            category_id: orNull(fields.category_id),
            duration_minutes: orNull(fields.duration_minutes),
            max_attempts: orNull(fields.max_attempts),
            pass_percentage: Number(fields.pass_percentage),
            result_mode: fields.result_mode as 'instant' | 'on_release',
            msq_scoring: fields.msq_scoring as 'all_or_nothing' | 'partial',
            opens_at: fromLocalInput(fields.opens_at),
            closes_at: fromLocalInput(fields.closes_at),
            lock_help: fields.lock_help === 'on',
            shuffle: paper.shuffle,
            draw: paper.rules.length > 0 ? paper.rules : null,
            open_for_practice: fields.open_for_practice === 'on',
            class_ids: new FormData(form).getAll('class_ids').map(Number),
          }
          const params = { path: { id: exam.id } }
          const isSaved = await sendTimes((confirm) =>
            ask(client.PATCH('/api/v01/admin/exams/{id}', { params, body: { ...body, confirm } })),
          )
          if (!isSaved) return false
          await reload()
          return t('Saved')
        }}
      >
        <Field label="Name" name="name" value={exam.name} required maxLength={200} />
        <Area label="Description" name="description" value={exam.description} />
        <div class="fields">
          <Choice
            key={categories.data ? 'known' : 'unknown'}
            label="Category"
            name="category_id"
            value={exam.category_id}
            options={[
              ['', t('None')],
              ...(categories.data?.categories ?? []).map(({ id, name }) => [id, name] as const),
            ]}
          />
          <NumberField
            label="Minutes"
            name="duration_minutes"
            least={1}
            value={exam.duration_minutes}
            hint="Empty: no time limit"
          />
          <NumberField
            label="Attempts"
            name="max_attempts"
            least={1}
            value={exam.max_attempts}
            hint="Empty: any number"
          />
          <NumberField
            label="Percent to pass"
            name="pass_percentage"
            most={100}
            allowsFractions
            value={exam.pass_percentage}
            required
          />
          <Choice
            label="Results"
            name="result_mode"
            value={exam.result_mode}
            options={[
              ['instant', t('At once')],
              ['on_release', t('When I release them')],
            ]}
          />
          <Choice
            label="Partly correct answers"
            name="msq_scoring"
            value={exam.msq_scoring}
            options={[
              ['all_or_nothing', t('All or nothing')],
              ['partial', t('Partial marks')],
            ]}
            hint="With several correct options, gaps, pairs or items"
          />
          <MomentField label="Opens" name="opens_at" value={exam.opens_at} hint="In your time zone" />
          <MomentField label="Closes" name="closes_at" value={exam.closes_at} />
        </div>
        <ClassChoice key={exam.class_ids.join()} user={user} chosen={exam.class_ids} />
        <PaperFields settings={paper} set={setPaper} questions={questions.data} />
        <Check
          label="Close tutor, chat and discussions while somebody takes it"
          name="lock_help"
          checked={exam.lock_help}
        />
        <Check
          label="Open for practice: whoever may see the published exam can practise its questions, and then sees their keys"
          name="open_for_practice"
          checked={exam.open_for_practice}
        />
      </Form>
    </div>
  )
}
