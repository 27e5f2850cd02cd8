import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { ask, client, toQuery } from '../../client.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { Choice, Field } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { ListSearch } from '../../components/forms/search.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { Table } from '../../components/page/table.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { describeMinutes, describeWindow } from '../../format.ts'
import { $query, go, setQuery } from '../../router.ts'
import { t } from '../../texts.ts'

/** All exams, published or not. */
export default function TeachExams() {
  const { q, category, page } = useStore($query)
  const [isMaking, setMaking] = useState(false)
  const categories = useLoad('categories', () => ask(client.GET('/api/v01/categories', {})))
  const found = useLoad(`${q} ${category} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/exams', {
        params: {
          query: toQuery<'/api/v01/admin/exams'>({ q, category_id: category, page }),
        },
      }),
    ),
  )
  return (
    <Page
      title="Exams and questions"
      actions={
        <>
          <a class="button" href="/desk/teach/questions">
            All questions
          </a>
          <button type="button" class="main" onClick={() => setMaking(true)}>
            New exam
          </button>
        </>
      }
    >
      <div class="filters">
        <ListSearch label="Search exams" />
        <Choice
          label="Category"
          value={category}
          options={[
            ['', t('All categories')],
            ...(categories.data?.categories ?? []).map(({ id, name }) => [id, name] as const),
          ]}
          onChange={({ currentTarget }) => setQuery({ category: currentTarget.value, page: undefined })}
        />
      </div>
      <Loaded of={found}>
        {(list) =>
          list.exams.length === 0 ? (
            <Empty title={q || category ? 'Nothing matches' : 'No exams yet'} />
          ) : (
            <>
              <Table
                caption="Exams"
                rows={list.exams}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: t('Name'),
                    cell: (exam) => <a href={`/desk/teach/exams/${exam.id}`}>{exam.name}</a>,
                  },
                  { head: t('Questions'), cell: (exam) => exam.question_count, isNumber: true },
                  { head: t('Time'), cell: (exam) => describeMinutes(exam.duration_minutes) },
                  { head: t('Window'), cell: (exam) => describeWindow(exam) ?? t('Always') },
                  {
                    head: t('State'),
                    cell: (exam) => (
                      <span class={`chip ${exam.is_published ? 'good' : ''}`}>
                        {exam.is_published ? 'Published' : 'Draft'}
                      </span>
                    ),
                  },
                ]}
              />
              <Pager
                of={list}
                total={t('{count, plural, one {# exam} other {# exams}}', { count: list.total })}
              />
            </>
          )
        }
      </Loaded>
      {isMaking && (
        <Dialog title="New exam" close={() => setMaking(false)}>
          <Form
            button="Create"
            send={async ({ name }) => {
              const { exam } = await ask(
                client.POST('/api/v01/admin/exams', { body: { name: String(name), is_published: false } }),
              )
              go(`/desk/teach/exams/${exam.id}/settings`)
            }}
          >
            <Field
              label="Name"
              name="name"
              required
              maxLength={200}
              hint="It begins as a draft that students don’t see."
            />
          </Form>
        </Dialog>
      )}
    </Page>
  )
}
