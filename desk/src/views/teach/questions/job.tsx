import '../../exams/taking.css'
import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { type Answer, ask, client, readAllPages } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Field } from '../../../components/forms/fields.tsx'
import { Loaded } from '../../../components/page/load-states.tsx'
import { Page } from '../../../components/page/page.tsx'
import { useLive } from '../../../components/page/use-live.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { number, percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import type { ViewProps } from '../../view-props.ts'
import { mayAdd } from '../exam/change-question.ts'
import { EditGenerated } from './edit-generated.tsx'
import { $document, holdDocument } from './job-document.ts'
import { JobState } from './job-state.tsx'
import { Preview } from './preview.tsx'

type GenerationJob = Answer<'/api/v01/admin/ai/status/{job_id}', 'get'>
type GeneratedQuestion = Omit<GenerationJob['questions'][number], 'id'>
type QuestionSource = NonNullable<GeneratedQuestion['source']>

/** A generation job: its progress, and its questions, each to be accepted or not. */
export default function JobView({ params }: ViewProps) {
  const id = params.id ?? ''
  const path = { params: { path: { job_id: id } } }
  const found = useLoad(id, () => ask(client.GET('/api/v01/admin/ai/status/{job_id}', path)))
  useLive(found.reload, (frame) => frame.type === 'ai_job' && frame.job_id === id, `ai_job:${id}`)
  return (
    <Page
      title="Generated questions"
      actions={
        <a class="button" href="/desk/teach/generate">
          All jobs
        </a>
      }
    >
      <Loaded of={found}>
        {(job) => (
          <>
            <section class="sheet" aria-label="Progress">
              <p class="row spread">
                <JobState status={job.status} />
                <span role="status" lang="en">
                  {job.error ?? job.message}
                </span>
              </p>
              <progress class="meter" max={100} value={job.percent} aria-label="Progress" />
              <p class="row spread">
                <small>
                  {t(
                    '{percent} · {batches} of {total, plural, one {# batch} other {# batches}} · {count, plural, one {# question} other {# questions}}',
                    {
                      percent: percent(job.percent),
                      batches: job.completed_batches,
                      total: job.total_batches,
                      count: job.questions_so_far,
                    },
                  )}
                </small>
                <small>
                  {t('{count} tokens, {checks} of them for checks', {
                    count: number(tokensOf(job.usage) + tokensOf(job.usage.checks)),
                    checks: number(tokensOf(job.usage.checks)),
                  })}
                </small>
                {job.status === 'running' && (
                  <Action
                    class="small"
                    act={async () => {
                      await ask(client.POST('/api/v01/admin/ai/jobs/{job_id}/cancel', path))
                      await found.reload()
                    }}
                  >
                    Cancel
                  </Action>
                )}
              </p>
            </section>
            {job.questions.length > 0 && (
              <Review jobId={id} questions={job.questions} isRunning={job.status === 'running'} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function tokensOf({ input, cached, output }: { input: number; cached: number; output: number }): number {
  return input + cached + output
}

/** What the model answered, where that isn't the key. */
function Opinion({ of }: { of: GeneratedQuestion }) {
  const { verdict, answer, reason } = of.check
  if (verdict !== 'disputed') return null
  return (
    <p class="notice">
      {answer === null
        ? t('The key is {key}; the model has no answer.', { key: of.correct_answer })
        : t('The key is {key}; the model’s answer is {answer}.', {
            key: of.correct_answer,
            answer: [answer].flat().join(','),
          })}
      {reason && <q dir="auto">{reason}</q>}
    </p>
  )
}

interface SourceProps {
  of: QuestionSource
  /** Where the document can be opened. */
  url: string | undefined
  isQuoted: boolean
  setQuoted: (isQuoted: boolean) => void
}

/** Where the document bears it out, and whether that goes into the explanation. */
function Source({ of: { page, quote, found }, url, isQuoted, setQuoted }: SourceProps) {
  const place = found
    ? t('Page {page} of the document', { page })
    : found === null
      ? t('Said to be on page {page}, which has no text to look it up in', { page })
      : t('Said to be on page {page}, but not found there', { page })
  return (
    <div class="stack tight">
      <blockquote dir="auto">{quote}</blockquote>
      <p class="row">
        <small>
          {url ? (
            <a href={`${url}#page=${page}`} target="_blank" rel="noreferrer">
              {place}
            </a>
          ) : (
            place
          )}
        </small>
        <label class="row">
          <input
            type="checkbox"
            checked={isQuoted}
            onChange={({ currentTarget }) => setQuoted(currentTarget.checked)}
          />
          Add it to the explanation
        </label>
      </p>
    </div>
  )
}

function toTeacher({ check: _check, source: _source, ...question }: GeneratedQuestion): TeacherQuestion {
  return { ...question, variables: [], conditions: [], image_url: null }
}

/** As it is added to the exam, with its source at the end of the explanation where that is wanted. */
function toOffered(
  { exam_id: _exam, image_url: _image, ...question }: TeacherQuestion,
  source: QuestionSource | null,
) {
  if (!source) return question
  const said = t('Page {page}: “{quote}”', { page: source.page, quote: source.quote })
  return { ...question, explanation: [question.explanation, said].filter(Boolean).join('\n\n') }
}

/** What makes two questions the same for whoever reads them. */
function contentOf(
  question: Pick<GeneratedQuestion, 'question_text' | 'option_a' | 'option_b' | 'option_c' | 'option_d'>,
) {
  const { question_text, option_a, option_b, option_c, option_d } = question
  return JSON.stringify([question_text, option_a, option_b, option_c, option_d].map((text) => text.trim()))
}

/** The questions by what became of their check. */
const GROUPS = [
  ['agreed', t('Agreed'), t('The model gave the same answer without seeing the key.')],
  ['disputed', t('Disputed'), t('The model gave another answer: look closely before you keep one.')],
  ['unchecked', t('Unchecked'), t('Nobody has answered these without their key.')],
] as const

interface Entry {
  index: number
  question: GeneratedQuestion
}

interface ReviewProps {
  jobId: string
  questions: GeneratedQuestion[]
  isRunning: boolean
}

function Review({ jobId, questions, isRunning }: ReviewProps) {
  const held = useStore($document)
  const url = held?.jobId === jobId ? held.url : undefined
  /** Those that were ticked or unticked; the others are kept unless they are disputed. */
  const [ticked, setTicked] = useState<ReadonlyMap<number, boolean>>(new Map())
  const [edited, setEdited] = useState<ReadonlyMap<number, TeacherQuestion>>(new Map())
  const [quoted, setQuoted] = useState<ReadonlySet<number>>(new Set())
  const [kept, setKept] = useState<number>()
  const examId = questions[0]?.exam_id ?? 0
  const stored = useLoad(examId, async () => {
    const pages = await readAllPages((page) =>
      ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: examId, page } } })),
    )
    return new Set(pages.flatMap((page) => page.questions).map(contentOf))
  })
  const isStored = (question: Pick<TeacherQuestion, keyof Parameters<typeof contentOf>[0]>) =>
    stored.data?.has(contentOf(question)) ?? false
  const toKeep = ({ index, question }: Entry): TeacherQuestion => edited.get(index) ?? toTeacher(question)
  const isTicked = ({ index, question }: Entry) => ticked.get(index) ?? question.check.verdict !== 'disputed'
  const entries = questions.map((question, index) => ({ index, question }))
  const chosen = entries.filter((entry) => isTicked(entry) && !isStored(toKeep(entry)))
  return (
    <section class="stack" aria-label="Review">
      {!url && questions.some(({ source }) => source) && (
        <Field
          label="Choose the document again to open its pages"
          type="file"
          accept="application/pdf"
          hint="It stays on this device"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            if (file) holdDocument(jobId, file)
          }}
        />
      )}
      {GROUPS.map(([verdict, title, lead]) => {
        const group = entries.filter(({ question }) => question.check.verdict === verdict)
        if (group.length === 0) return null
        return (
          <section key={verdict} class="stack" aria-label={title}>
            <h2>
              {title} <span class="chip">{group.length}</span>
            </h2>
            <p class="lead">{lead}</p>
            {group.map((entry) => {
              const { index, question } = entry
              const shown = toKeep(entry)
              return (
                <div key={index} class={`stack tight ${isTicked(entry) ? '' : 'left-out'}`}>
                  <div class="row spread">
                    <h3>
                      {index + 1}. {kindOf(shown.question_type).name}
                    </h3>
                    {isStored(shown) ? (
                      <span class="chip good">In the exam</span>
                    ) : (
                      <button
                        type="button"
                        class="small"
                        aria-pressed={isTicked(entry)}
                        disabled={kept !== undefined}
                        onClick={() => setTicked(new Map(ticked).set(index, !isTicked(entry)))}
                      >
                        {isTicked(entry) ? 'Keep' : 'Left out'}
                      </button>
                    )}
                  </div>
                  <Preview question={shown} number={index + 1} />
                  <Opinion of={question} />
                  {question.source && (
                    <Source
                      of={question.source}
                      url={url}
                      isQuoted={quoted.has(index)}
                      setQuoted={(isQuoted) => {
                        const next = new Set(quoted)
                        if (isQuoted) next.add(index)
                        else next.delete(index)
                        setQuoted(next)
                      }}
                    />
                  )}
                  <EditGenerated
                    question={shown}
                    save={(changed) => setEdited(new Map(edited).set(index, changed))}
                  />
                </div>
              )
            })}
          </section>
        )
      })}
      {kept === undefined ? (
        <div class="row">
          <Action
            class="main"
            disabled={isRunning || stored.data === undefined || chosen.length === 0}
            act={async () => {
              if (!(await mayAdd(examId, chosen.length))) return undefined
              const body = {
                exam_id: examId,
                questions: chosen.map((entry) =>
                  toOffered(toKeep(entry), quoted.has(entry.index) ? entry.question.source : null),
                ),
              }
              const { added, errors } = await ask(client.POST('/api/v01/admin/questions/bulk-add', { body }))
              setKept(added)
              await stored.reload()
              return errors
                ? errors.join('; ')
                : t('{count, plural, one {# question kept} other {# questions kept}}', { count: added })
            }}
          >
            {t('{count, plural, one {Keep # question} other {Keep # questions}}', { count: chosen.length })}
          </Action>
          {isRunning && <small>As soon as the job is done.</small>}
        </div>
      ) : (
        <p class="notice" role="status">
          {t('{count, plural, one {# question kept.} other {# questions kept.}} <a>To the exam</a>', {
            count: kept,
            a: (inner) => <a href={`/desk/teach/exams/${examId}/questions`}>{inner}</a>,
          })}
        </p>
      )}
    </section>
  )
}
