import { useStore } from '@nanostores/preact'
import { type Answer, ask, client, toQuery } from '../../client.ts'
import { Choice } from '../../components/forms/fields.tsx'
import { ListSearch } from '../../components/forms/search.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { describeMinutes, describeWindow } from '../../format.ts'
import { $query, setQuery } from '../../router.ts'
import { t } from '../../texts.ts'

type ListedExam = Answer<'/api/v01/exams', 'get'>['exams'][number]

/** The exams, by category and search. */
export default function ExamList() {
  const { q, category, page } = useStore($query)
  const categories = useLoad('categories', () => ask(client.GET('/api/v01/categories', {})))
  const exams = useLoad(`${q} ${category} ${page}`, () =>
    ask(
      client.GET('/api/v01/exams', {
        params: {
          query: toQuery<'/api/v01/exams'>({ q, category_id: category, page }),
        },
      }),
    ),
  )
  const known = categories.data?.categories ?? []
  const nameOf = (id: number | null) => known.find((each) => each.id === id)?.name
  return (
    <Page title="Exams" lead="Choose one to practise. Your answers are saved as you give them.">
      <div class="filters">
        <ListSearch label="Search exams" />
        {known.length > 0 && (
          <Choice
            label="Category"
            value={category}
            options={[['', t('All categories')], ...known.map(({ id, name }) => [id, name] as const)]}
            onChange={({ currentTarget }) => setQuery({ category: currentTarget.value, page: undefined })}
          />
        )}
      </div>
      <Loaded of={exams}>
        {(found) =>
          found.exams.length === 0 ? (
            <Empty title={q || category ? 'Nothing matches' : 'No exams yet'}>
              <p>
                {q || category
                  ? 'Try another word or category.'
                  : 'They appear here as soon as a teacher publishes one.'}
              </p>
            </Empty>
          ) : (
            <>
              <ul class="cards">
                {found.exams.map((exam) => (
                  <Card key={exam.id} exam={exam} category={nameOf(exam.category_id)} />
                ))}
              </ul>
              <Pager
                of={found}
                total={t('{count, plural, one {# exam} other {# exams}}', { count: found.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function Card({ exam, category }: { exam: ListedExam; category: string | undefined }) {
  const window = describeWindow(exam)
  return (
    <li class="card">
      {category && <small>{category}</small>}
      <h2>
        <a href={`/desk/exams/${exam.id}`}>{exam.name}</a>
      </h2>
      {exam.description && (
        <p class="clamp" dir="auto">
          {exam.description}
        </p>
      )}
      <p class="row">
        <span class="chip">
          {t('{count, plural, one {# question} other {# questions}}', { count: exam.question_count })}
        </span>
        <span class="chip">{describeMinutes(exam.duration_minutes)}</span>
        {window && <span class="chip warn">{window}</span>}
      </p>
    </li>
  )
}
