import { ask, client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { Page } from '../../components/page/page.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { go } from '../../router.ts'
import { t } from '../../texts.ts'
import { ClassAgenda } from './class-agenda.tsx'
import { ClassNews } from './class-news.tsx'
import type { DescribedClass } from './class-tab.ts'
import { describeStudents, leaveQuestion } from './class-words.ts'
import { Materials } from './materials/materials.tsx'

const CURRENT = { 'aria-current': 'page' } as const

/** A class for its students: what there is to do, what is new, and who is in it. */
export function StudentClass({
  of: one,
  tab,
  reload,
}: {
  of: DescribedClass
  tab: string
  reload: () => Promise<void>
}) {
  const { id, name, conversation_id } = one.class
  const isMaterials = tab === 'materials'
  return (
    <Page
      title={name}
      lead={describeStudents(one.class)}
      actions={
        <>
          {conversation_id !== null && (
            <a class="button" href={`/desk/chat/${conversation_id}`}>
              Group chat
            </a>
          )}
          <Action
            class="quiet"
            confirm={leaveQuestion(name)}
            act={async () => {
              await ask(client.DELETE('/api/v01/classes/{id}/membership', { params: { path: { id } } }))
              go('/desk/classes')
            }}
          >
            Leave
          </Action>
        </>
      }
    >
      <nav class="subtabs" aria-label="Parts of this class">
        <a href={`/desk/classes/${id}`} {...(isMaterials ? {} : CURRENT)}>
          Overview
        </a>
        <a href={`/desk/classes/${id}/materials`} {...(isMaterials ? CURRENT : {})}>
          Materials
        </a>
      </nav>
      {isMaterials ? <Materials id={id} writes={false} /> : <Overview of={one} reload={reload} />}
    </Page>
  )
}

function Overview({ of: one, reload }: { of: DescribedClass; reload: () => Promise<void> }) {
  const { id, teachers } = one.class
  return (
    <div class="two">
      <ClassAgenda id={id} refresh={reload} />
      <div class="stack">
        <ClassNews id={id} writes={false} changes={false} />
        <section class="sheet" aria-labelledby="people">
          <h2 id="people">Who is here</h2>
          <ul class="list">
            {teachers.map((teacher) => (
              <li key={teacher.user_id} class="row">
                <bdi>{teacher.full_name}</bdi>
                <span class="chip good">Teacher</span>
              </li>
            ))}
            {one.members
              .filter(({ role }) => role === 'student')
              .map((student) => (
                <li key={student.user_id}>
                  <bdi>{student.full_name}</bdi>
                </li>
              ))}
          </ul>
          {teachers.length === 0 && <p class="lead">Nobody teaches this class at the moment.</p>}
          {!one.class.shows_members && (
            <p class="lead">Only your teachers see who else is a student of this class.</p>
          )}
          <Pager
            of={one}
            total={t('{count, plural, one {# member} other {# members}}', { count: one.total })}
          />
        </section>
      </div>
    </div>
  )
}
