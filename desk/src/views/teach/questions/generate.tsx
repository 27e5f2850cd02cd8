import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { ask, client, toQuery } from '../../../client.ts'
import { Area, Choice, Field, NumberField } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { Pager } from '../../../components/page/pager.tsx'
import { Table } from '../../../components/page/table.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { moment } from '../../../format.ts'
import { $query, go } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { ExamChoice } from '../exam-choice.tsx'
import { holdDocument } from './job-document.ts'
import { JobState } from './job-state.tsx'

/** The service's defaults. */
const MARKS = [
  ['mcq_plus', t('One correct option: marks'), 4],
  ['mcq_minus', t('One correct option: off if incorrect'), 1],
  ['msq_plus', t('Several correct options: marks'), 4],
  ['msq_minus', t('Several correct options: off if incorrect'), 2],
  ['numeric_plus', t('A number: marks'), 3],
  ['numeric_tolerance', t('A number: tolerance'), 0.01],
] as const

/** Generates questions by the model, from a topic or a document, and lists the jobs. */
export default function Generate() {
  const { exam, page } = useStore($query)
  const [mode, setMode] = useState('pure')
  const jobs = useLoad(page, () =>
    ask(
      client.GET('/api/v01/admin/ai/jobs', {
        params: { query: toQuery<'/api/v01/admin/ai/jobs'>({ page }) },
      }),
    ),
  )
  return (
    <Page
      title="Generate questions"
      lead="Nothing is added to an exam until you have reviewed it."
      actions={
        <a class="button" href="/desk/teach/ai-usage">
          AI use
        </a>
      }
    >
      <section class="sheet" aria-labelledby="ask">
        <h2 id="ask">New job</h2>
        <Form
          button="Start"
          draft="generate"
          send={async (_fields, form) => {
            const body = new FormData(form)
            if (mode === 'pure') body.delete('pdf_file')
            else body.delete('topic')
            const { job_id } = await ask(client.POST('/api/v01/admin/ai/generate', { body }))
            const document = body.get('pdf_file')
            if (document instanceof File) holdDocument(job_id, document)
            go(`/desk/teach/generate/${job_id}`)
          }}
        >
          <div class="fields">
            <ExamChoice label="For the exam" name="exam_id" value={exam} />
            <Choice
              label="From"
              name="mode"
              value={mode}
              options={[
                ['pure', t('a topic')],
                ['mine', t('a document’s content')],
                ['extract', t('questions that a document holds')],
              ]}
              onChange={({ currentTarget }) => setMode(currentTarget.value)}
            />
            <Choice
              label="Difficulty"
              name="difficulty"
              value="Medium"
              options={[
                ['Easy', t('Easy')],
                ['Medium', t('Medium')],
                ['Hard', t('Hard')],
              ]}
            />
          </div>
          {mode === 'pure' ? (
            <Area label="Topic" name="topic" required maxLength={2000} />
          ) : (
            <Field
              label="Document (PDF)"
              name="pdf_file"
              type="file"
              accept="application/pdf"
              required
              hint="At most 30 MB and 100 pages"
            />
          )}
          <fieldset>
            <legend>How many of each type</legend>
            <div class="fields">
              <NumberField label="One correct option" name="mcq_count" most={100} value={5} />
              <NumberField label="Several correct options" name="msq_count" most={100} value={0} />
              <NumberField label="A number" name="numeric_count" most={100} value={0} />
            </div>
          </fieldset>
          <Choice
            label="Second opinion"
            name="check"
            value="true"
            hint="The model answers each question again without its key, and disputed ones are written anew."
            options={[
              ['true', t('Yes')],
              ['false', t('No')],
            ]}
          />
          <Area label="Further instructions" name="custom_instructions" maxLength={4000} rows={3} />
          <details>
            <summary>Marks and tolerance</summary>
            <div class="fields">
              {MARKS.map(([name, label, value]) => (
                <NumberField key={name} label={label} name={name} value={value} allowsFractions required />
              ))}
            </div>
          </details>
        </Form>
      </section>
      <section class="stack tight" aria-labelledby="jobs">
        <h2 id="jobs">Jobs</h2>
        <Loaded of={jobs}>
          {(list) =>
            list.jobs.length === 0 ? (
              <Empty title="No jobs yet" />
            ) : (
              <>
                <Table
                  caption="Jobs"
                  rows={list.jobs}
                  keyOf={({ job_id }) => job_id}
                  columns={[
                    {
                      head: t('Started'),
                      cell: (job) => (
                        <a href={`/desk/teach/generate/${job.job_id}`}>{moment(job.created_at)}</a>
                      ),
                    },
                    { head: t('Questions'), cell: (job) => job.questions_so_far, isNumber: true },
                    { head: t('State'), cell: (job) => <JobState status={job.status} /> },
                    { head: t('Message'), cell: (job) => <span lang="en">{job.error ?? job.message}</span> },
                  ]}
                />
                <Pager
                  of={list}
                  total={t('{count, plural, one {# job} other {# jobs}}', { count: list.total })}
                />
              </>
            )
          }
        </Loaded>
      </section>
    </Page>
  )
}
