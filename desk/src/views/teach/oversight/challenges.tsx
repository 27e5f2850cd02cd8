import { useStore } from '@nanostores/preact'
import { ask, client, toQuery } from '../../../client.ts'
import { Area, Choice } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { moment } from '../../../format.ts'
import { isAdministrator } from '../../../roles.ts'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { lookForWaiting } from '../../../waiting.ts'
import type { ViewProps } from '../../view-props.ts'
import { ExamChoice } from '../exam-choice.tsx'

/** Students' challenges, to be resolved. */
export default function Challenges({ user }: ViewProps) {
  const { status = 'open', exam, page } = useStore($query)
  const found = useLoad(`${status} ${exam} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/challenges', {
        params: {
          query: toQuery<'/api/v01/admin/challenges'>({
            status: status === 'all' ? undefined : status,
            exam_id: exam,
            page,
          }),
        },
      }),
    ),
  )
  return (
    <Page title="Challenges" lead="If a key is wrong, regrade the question: all results follow.">
      <div class="filters">
        <Choice
          label="Status"
          value={status}
          options={[
            ['open', t('Not decided yet')],
            ['accepted', t('Accepted')],
            ['rejected', t('Rejected')],
            ['all', t('All')],
          ]}
          onChange={({ currentTarget }) => setQuery({ status: currentTarget.value, page: undefined })}
        />
        <ExamChoice
          label="Exam"
          value={exam}
          all="All exams"
          onChange={({ currentTarget }) => setQuery({ exam: currentTarget.value, page: undefined })}
        />
      </div>
      <Loaded of={found}>
        {(list) =>
          list.challenges.length === 0 ? (
            <Empty title="None" />
          ) : (
            <>
              {list.challenges.map((each) => (
                <article
                  key={each.id}
                  class="sheet"
                  aria-label={t('Challenge by {name}', { name: each.username })}
                >
                  <p class="row spread">
                    <span>
                      <strong>{each.username}</strong> · {moment(each.created_at)}
                    </span>
                    <span class="row">
                      {/* It has the exam's name, the key and what the student answered. */}
                      {isAdministrator(user) && (
                        <a href={`/desk/teach/attempts/${each.attempt_id}`}>See the attempt</a>
                      )}
                      <a href={`/desk/teach/exams/${each.exam_id}/corrections?question=${each.question_id}`}>
                        Regrade this question
                      </a>
                    </span>
                  </p>
                  <RichText text={each.question_text} />
                  <div class="notice warn">
                    <RichText text={each.message} />
                  </div>
                  {each.status === 'open' ? (
                    <Form
                      button="Answer"
                      draft={`challenge-answer-${each.id}`}
                      send={async ({ verdict, reply }) => {
                        const body = {
                          status: verdict as 'accepted' | 'rejected',
                          ...(reply ? { reply: String(reply) } : {}),
                        }
                        await ask(
                          client.POST('/api/v01/admin/challenges/{id}/resolve', {
                            params: { path: { id: each.id } },
                            body,
                          }),
                        )
                        void lookForWaiting(user, true).catch(() => {})
                        await found.reload()
                      }}
                    >
                      <Choice
                        label="Verdict"
                        name="verdict"
                        required
                        options={[
                          ['', t('Choose one')],
                          ['accepted', t('Accepted')],
                          ['rejected', t('Rejected')],
                        ]}
                      />
                      <Area label="What you answer" name="reply" rows={2} maxLength={4000} />
                    </Form>
                  ) : (
                    <>
                      <p>
                        <strong>{each.status === 'accepted' ? 'Accepted' : 'Rejected'}</strong>
                      </p>
                      {each.reply && <RichText text={each.reply} />}
                    </>
                  )}
                </article>
              ))}
              <Pager
                of={list}
                total={t('{count, plural, one {# challenge} other {# challenges}}', { count: list.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
