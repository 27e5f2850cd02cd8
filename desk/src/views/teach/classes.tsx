import { useStore } from '@nanostores/preact'
import { ask, client, RequestFailed } from '../../client.ts'
import { promptForConfirmation, promptForText } from '../../components/dialogs/prompts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { pick } from '../../components/forms/changes.ts'
import { Field } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { ListSearch } from '../../components/forms/search.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { list } from '../../format.ts'
import { $query } from '../../router.ts'
import { t } from '../../texts.ts'
import { PersonChoice } from './people/person-choice.tsx'

interface ClassChanges {
  name?: string
  archived?: boolean
  teacher_ids?: number[]
}

/** All classes, for administrators. */
export default function TeachClasses() {
  const { q, page } = useStore($query)
  const found = useLoad(`${q} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/classes', {
        params: { query: { archived: true, ...(q ? { q } : {}), ...(page ? { page: Number(page) } : {}) } },
      }),
    ),
  )
  return (
    <Page title="All classes">
      <ListSearch label="Find a class" />
      <Loaded of={found}>
        {(answer) =>
          answer.classes.length === 0 ? (
            <Empty title="No classes yet">
              <p>Create one below; then open it to let students in.</p>
            </Empty>
          ) : (
            <>
              <ul class="cards">
                {answer.classes.map((each) => {
                  const path = { params: { path: { id: each.id } } }
                  const change = async (body: ClassChanges) => {
                    const was = pick<ClassChanges>(
                      { name: each.name, archived: each.archived, teacher_ids: teacherIds },
                      Object.keys(body) as (keyof ClassChanges)[],
                    )
                    const send = (replace: boolean) =>
                      ask(
                        client.PATCH('/api/v01/admin/classes/{id}', {
                          ...path,
                          body: { ...body, was, replace },
                        }),
                      )
                    try {
                      await send(false)
                    } catch (error) {
                      const isOutdated = error instanceof RequestFailed && error.code === 'changed'
                      // Shown as it is now: what is wanted is done upon that.
                      if (isOutdated) await found.reload()
                      if (!(error instanceof RequestFailed) || error.code !== 'is_student') throw error
                      const question = t(
                        'They are a student of “{class}”. As its teacher they are none any more: they lose its exams at once, and their marks stay in the gradebook. Make them its teacher?',
                        { class: each.name },
                      )
                      if (!(await promptForConfirmation(question, t('Make them a teacher')))) return false
                      await send(true)
                    }
                    await found.reload()
                    return undefined
                  }
                  const teacherIds = each.teachers.map(({ user_id }) => user_id)
                  return (
                    <li key={each.id} class="card">
                      <h2>
                        {each.name} {each.archived && <span class="chip">Archived</span>}
                      </h2>
                      <p>
                        {t('{count, plural, one {# student} other {# students}} · Teachers: {names}', {
                          count: each.students,
                          names: list(each.teachers.map(({ full_name }) => full_name)) || '–',
                        })}
                      </p>
                      {!each.archived && (
                        <details>
                          <summary>Teachers</summary>
                          <Form
                            button="Add"
                            send={({ teacher }) => change({ teacher_ids: [...teacherIds, Number(teacher)] })}
                          >
                            <PersonChoice name="teacher" />
                          </Form>
                          <ul class="plain">
                            {each.teachers.map((teacher) => (
                              <li key={teacher.user_id} class="row">
                                {teacher.full_name}
                                <Action
                                  class="small"
                                  aria-label={t('Remove: {name}', { name: teacher.full_name })}
                                  act={() =>
                                    change({ teacher_ids: teacherIds.filter((id) => id !== teacher.user_id) })
                                  }
                                >
                                  Remove
                                </Action>
                              </li>
                            ))}
                          </ul>
                        </details>
                      )}
                      <div class="row">
                        <a
                          class="button small"
                          href={`/desk/classes/${each.id}`}
                          aria-label={t('Open: {name}', { name: each.name })}
                        >
                          Open
                        </a>
                        {!each.archived && (
                          <Action
                            class="small"
                            aria-label={t('Rename: {name}', { name: each.name })}
                            act={async () => {
                              const asked = { label: t('What is it called?'), value: each.name }
                              const name = await promptForText(t('Rename the class'), t('Rename'), asked)
                              if (name) await change({ name })
                            }}
                          >
                            Rename
                          </Action>
                        )}
                        <Action
                          class="small"
                          aria-label={
                            each.archived
                              ? t('Open again: {name}', { name: each.name })
                              : t('Archive: {name}', { name: each.name })
                          }
                          act={() => change({ archived: !each.archived })}
                        >
                          {each.archived ? 'Open again' : 'Archive'}
                        </Action>
                        <Action
                          class="small bad"
                          aria-label={t('Delete: {name}', { name: each.name })}
                          confirm={t('Delete “{name}” with its members and invitations?', {
                            name: each.name,
                          })}
                          act={async () => {
                            await ask(client.DELETE('/api/v01/admin/classes/{id}', path))
                            await found.reload()
                          }}
                        >
                          Delete
                        </Action>
                      </div>
                    </li>
                  )
                })}
              </ul>
              <Pager
                of={answer}
                total={t('{count, plural, one {# class} other {# classes}}', { count: answer.total })}
              />
            </>
          )
        }
      </Loaded>
      <section class="sheet" aria-labelledby="new-class">
        <h2 id="new-class">New class</h2>
        <Form
          button="Create"
          clears
          send={async ({ name }) => {
            await ask(client.POST('/api/v01/admin/classes', { body: { name: String(name) } }))
            await found.reload()
          }}
        >
          <Field label="Name" name="name" required maxLength={200} />
        </Form>
      </section>
    </Page>
  )
}
