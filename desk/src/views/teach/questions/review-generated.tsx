import '../../exams/taking.css'
import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { type Answer, ask, client, readAllPages } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Field } from '../../../components/forms/fields.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { t } from '../../../texts.ts'
import { mayAdd } from '../exam/change-question.ts'
import { EditGenerated } from './edit-generated.tsx'
import { $document, holdDocument } from './job-document.ts'
import { Preview } from './preview.tsx'

type GenerationJob = Answer<'/api/v01/admin/ai/status/{job_id}', 'get'>
type GeneratedQuestion = Omit<GenerationJob['questions'][number], 'id'>
type QuestionSource = NonNullable<GeneratedQuestion['source']>

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
  /** Its content: while a job runs, the order of its questions changes with each batch. */
  id: string
  place: number
  question: GeneratedQuestion
}

interface ReviewProps {
  jobId: string
  questions: GeneratedQuestion[]
  isRunning: boolean
}

/** A job's questions, each to be kept or not. */
export function ReviewGenerated({ jobId, questions, isRunning }: ReviewProps) {
  const held = useStore($document)
  const url = held?.jobId === jobId ? held.url : undefined
  /** Those that were ticked or unticked; the others are kept unless they are disputed. */
  const [ticked, setTicked] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [edited, setEdited] = useState<ReadonlyMap<string, TeacherQuestion>>(new Map())
  const [quoted, setQuoted] = useState<ReadonlySet<string>>(new Set())
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
  const toKeep = ({ id, question }: Entry): TeacherQuestion => edited.get(id) ?? toTeacher(question)
  const isTicked = ({ id, question }: Entry) => ticked.get(id) ?? question.check.verdict !== 'disputed'
  const entries = questions.map((question, index) => ({
    id: contentOf(question),
    place: index + 1,
    question,
  }))
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
              const { id, place, question } = entry
              const shown = toKeep(entry)
              return (
                <div key={id} class={`stack tight ${isTicked(entry) ? '' : 'left-out'}`}>
                  <div class="row spread">
                    <h3>
                      {place}. {kindOf(shown.question_type).name}
                    </h3>
                    {isStored(shown) ? (
                      <span class="chip good">In the exam</span>
                    ) : (
                      <button
                        type="button"
                        class="small"
                        aria-pressed={isTicked(entry)}
                        disabled={kept !== undefined}
                        onClick={() => setTicked(new Map(ticked).set(id, !isTicked(entry)))}
                      >
                        {isTicked(entry) ? 'Keep' : 'Left out'}
                      </button>
                    )}
                  </div>
                  <Preview question={shown} number={place} />
                  <Opinion of={question} />
                  {question.source && (
                    <Source
                      of={question.source}
                      url={url}
                      isQuoted={quoted.has(id)}
                      setQuoted={(isQuoted) => {
                        const next = new Set(quoted)
                        if (isQuoted) next.add(id)
                        else next.delete(id)
                        setQuoted(next)
                      }}
                    />
                  )}
                  <EditGenerated
                    question={shown}
                    save={(changed) => setEdited(new Map(edited).set(id, changed))}
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
                  toOffered(toKeep(entry), quoted.has(entry.id) ? entry.question.source : null),
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
