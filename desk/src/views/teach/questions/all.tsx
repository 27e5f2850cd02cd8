import { useStore } from '@nanostores/preact'
import { ask, client, toQuery } from '../../../client.ts'
import { $beingDeleted } from '../../../components/dialogs/toasts.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { firstOf, Pager } from '../../../components/page/pager.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { QuestionSummary } from '../../../components/questions/question-summary.tsx'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { ExamChoice } from '../exam-choice.tsx'
import { TagFilter } from './tag-filter.tsx'

/** The questions of all exams. */
export default function AllQuestions() {
  const { exam, tag, page } = useStore($query)
  const deleted = useStore($beingDeleted)
  const found = useLoad(`${exam} ${tag} ${page}`, () =>
    ask(
      client.GET('/api/v01/admin/questions', {
        params: { query: toQuery<'/api/v01/admin/questions'>({ exam_id: exam, tag, page }) },
      }),
    ),
  )
  return (
    <Page title="All questions">
      <ExamChoice
        label="Exam"
        value={exam}
        all="All exams"
        onChange={({ currentTarget }) => setQuery({ exam: currentTarget.value, page: undefined })}
      />
      <TagFilter />
      <Loaded of={found}>
        {(list) =>
          list.questions.length === 0 ? (
            <Empty title={tag ? 'No question has this tag' : 'No questions yet'} />
          ) : (
            <>
              <ol class="list sheet leading" start={firstOf(list)}>
                {list.questions
                  .filter(({ id }) => !deleted.has(`question-${id}`))
                  .map((question) => (
                    <li key={question.id} class="row">
                      <a class="grow clamp" href={`/desk/teach/questions/${question.exam_id}/${question.id}`}>
                        <QuestionSummary text={question.question_text} />
                      </a>
                      <span class="chip">{kindOf(question.question_type).name}</span>
                    </li>
                  ))}
              </ol>
              <Pager
                of={list}
                total={t('{count, plural, one {# question} other {# questions}}', { count: list.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
