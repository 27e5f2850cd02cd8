import { useState } from 'preact/hooks'
import { type Answer, ask, client, toFormData } from '../../../client.ts'
import { Action } from '../../../components/forms/button.tsx'
import { Choice, Field } from '../../../components/forms/fields.tsx'
import { Form } from '../../../components/forms/form.tsx'
import { lacksKey, optionTexts } from '../../../components/questions/kind.ts'
import { letterAt } from '../../../components/questions/kinds/options.tsx'
import { kindOf } from '../../../components/questions/kinds.ts'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { download } from '../../../download.ts'
import { t } from '../../../texts.ts'
import { mayAdd } from './change-question.ts'
import type { TabProps } from './tab-props.ts'

type ImportReport = Answer<'/api/v01/admin/exams/{exam_id}/import', 'post'>

const FORMATS = [
  ['auto', t('Detect')],
  ['csv', 'CSV'],
  ['gift', 'GIFT'],
  ['aiken', 'Aiken'],
  ['moodle_xml', 'Moodle XML'],
  ['qti', 'QTI'],
] as const
const EXPORTS = [
  ['csv', 'CSV'],
  ['gift', 'GIFT'],
  ['moodle_xml', 'Moodle XML'],
  ['qti', 'QTI 2.1'],
  ['qti3', 'QTI 3.0'],
] as const

/** All that a file must have, as the service has them (docs/protocol/http.md#questions). */
const CSV_COLUMNS =
  'exam_id, question_text, option_a, option_b, option_c, option_d, correct_answer, question_type, image_path, positive_marks, negative_marks, tolerance'

type Format = (typeof FORMATS)[number][0]

/** The report on a file that was checked or imported. */
interface FileReport {
  report: ImportReport
  file: File
  format: Format
  isDry: boolean
  /** The idempotency key of the import: if an answer is lost, trying again imports nothing twice. */
  key: string
}

/** Imports questions from a file, after a check of each row, and exports them. */
export function ImportExport({ exam }: TabProps) {
  const [found, setFound] = useState<FileReport>()
  async function read(
    file: File,
    format: Format,
    query: { dry_run: true } | { key: string },
  ): Promise<ImportReport> {
    const report = await ask(
      client.POST('/api/v01/admin/exams/{exam_id}/import', {
        params: { path: { exam_id: exam.id }, query: { format, ...query } },
        body: toFormData({ file }),
      }),
    )
    setFound({ report, file, format, isDry: 'dry_run' in query, key: client.platform.uuid() })
    return report
  }
  async function exportAs(format: (typeof EXPORTS)[number][0]) {
    const { headers } = await download(
      client.GET('/api/v01/admin/exams/{exam_id}/export', {
        params: { path: { exam_id: exam.id }, query: { format } },
        parseAs: 'blob',
      }),
      `exam-${exam.id}`,
    )
    const left = Number(headers.get('x-left-out') ?? 0)
    return left > 0
      ? t(
          '{count, plural, one {# question left out: this format has no form for it} other {# questions left out: this format has no form for them}}',
          { count: left },
        )
      : undefined
  }
  return (
    <div class="stack">
      <section class="sheet" aria-labelledby="in">
        <h2 id="in">Import</h2>
        <Form
          button="Preview"
          send={async ({ file, format }) => {
            setFound(undefined)
            await read(file as File, format as Format, { dry_run: true })
          }}
        >
          <div class="fields">
            <Field
              label="File"
              name="file"
              type="file"
              accept=".csv,.txt,.gift,.xml,.zip"
              hint="A file, or a QTI package as zip. Nothing is kept before you have seen what is in it."
              required
              onChange={() => setFound(undefined)}
            />
            <Choice
              label="Format"
              name="format"
              options={FORMATS}
              hint={t('A CSV file names its columns in its first line: {columns}.', { columns: CSV_COLUMNS })}
              onChange={() => setFound(undefined)}
            />
          </div>
        </Form>
        {found && <Found report={found.report} isDry={found.isDry} />}
        {found?.isDry && found.report.inserted > 0 && (
          <div class="row">
            <Action
              class="main"
              act={async () => {
                if (!(await mayAdd(exam.id, found.report.inserted))) return undefined
                const { inserted } = await read(found.file, found.format, { key: found.key })
                return t('{count, plural, one {# question imported} other {# questions imported}}', {
                  count: inserted,
                })
              }}
            >
              {t('{count, plural, one {Import # question} other {Import # questions}}', {
                count: found.report.inserted,
              })}
            </Action>
          </div>
        )}
      </section>
      <section class="sheet" aria-labelledby="out">
        <h2 id="out">Export</h2>
        <div class="row">
          {EXPORTS.map(([format, name]) => (
            <Action key={format} act={() => exportAs(format)}>
              {name}
            </Action>
          ))}
        </div>
      </section>
    </div>
  )
}

function Found({ report, isDry }: Pick<FileReport, 'report' | 'isDry'>) {
  const reasons = report.details ?? report.errors
  const questions = 'questions' in report ? report.questions : []
  const said = {
    format: FORMATS.find(([key]) => key === report.format)?.[1] ?? report.format,
    count: report.inserted,
    skipped: report.skipped,
  }
  return (
    <div class="stack tight" role="status">
      <p class={`notice ${report.skipped > 0 ? 'warn' : ''}`}>
        {isDry
          ? t(
              'Read as {format}: {count, plural, one {# question can be imported} other {# questions can be imported}}{skipped, plural, =0 {} other {, # left out}}.',
              said,
            )
          : t(
              'Read as {format}: {count, plural, one {# question imported} other {# questions imported}}{skipped, plural, =0 {} other {, # left out}}.',
              said,
            )}
      </p>
      {reasons && reasons.length > 0 && (
        <ul class="errors">
          {reasons.map((reason) => (
            <li key={reason} lang="en">
              {reason}
            </li>
          ))}
        </ul>
      )}
      {isDry && questions.length > 0 && (
        <details>
          <summary>
            {t('{count, plural, one {The first 1, as it would be} other {The first #, as they would be}}', {
              count: questions.length,
            })}
          </summary>
          <ol class="list">
            {questions.map((question, index) => (
              <li key={index} class="row">
                <span class="chip">{kindOf(question.question_type).name}</span>
                <RichText text={question.question_text} />
                {optionTexts(question).map(
                  (text, at) =>
                    text !== '' && (
                      <span key={at}>
                        <b>{letterAt(at)}</b> <RichText text={text} kind="summary" />
                      </span>
                    ),
                )}
                <small>{describeKey(question)}</small>
                {/* Nodes of the previous version don't say it. */}
                {question.lost?.map((each) => (
                  <small key={each} class="warn" lang="en">
                    {each}
                  </small>
                ))}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  )
}

function describeKey(question: Extract<ImportReport, { questions: unknown }>['questions'][number]): string {
  if (lacksKey(question)) return t('No key')
  const kind = kindOf(question.question_type)
  const asked = { ...question, image_url: null, id: 0 }
  const { correct, ...shown } = kind.show(asked)
  return correct === null
    ? ''
    : t('Key: {answer}', { answer: kind.describe({ ...asked, ...shown }, correct) })
}
