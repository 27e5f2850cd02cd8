import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, client, explain, explainField } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { Table } from '../../../components/page/table.tsx'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { useDebounced } from '../../../components/use-debounced.ts'
import { t } from '../../../texts.ts'

/** Rests in typing after which a draw is shown anew. */
const PAUSE_MS = 600
const MANY = 20

const preview = async (question: object, seed: number) =>
  ask(client.POST('/api/v01/admin/questions/preview', { body: { ...question, seed } }))
const tryMany = async (question: object) =>
  ask(client.POST('/api/v01/admin/questions/draws', { body: { ...question, count: MANY } }))
type Draw = Awaited<ReturnType<typeof preview>>
type TriedDraw = Awaited<ReturnType<typeof tryMany>>['draws'][number]

/** A draw of the question as it is written now, or what is wrong with it; and many, with those that fail. */
export function Draws({ question: written }: { question: TeacherQuestion }) {
  const { image_url: _, image_path: _path, exam_id: _exam, ...question } = written
  const [seed, setSeed] = useState(1)
  const [draw, setDraw] = useState<Draw>()
  const [error, setError] = useState<string>()
  const [many, setMany] = useState<TriedDraw[]>()
  const turn = useRef(0)
  async function look() {
    turn.current += 1
    const own = turn.current
    const shown = await preview(question, seed).catch(explain)
    // What was written meanwhile is asked about already.
    if (own !== turn.current) return
    setError(typeof shown === 'string' ? shown : undefined)
    setDraw(typeof shown === 'string' ? undefined : shown)
  }
  const show = useDebounced(() => void look(), PAUSE_MS)
  useEffect(() => {
    setMany(undefined)
    show()
  }, [JSON.stringify(question), seed])
  const values = Object.entries(draw?.values ?? {})
  return (
    <section class="sheet stack tight" aria-label={t('Draws')}>
      <div aria-live="polite" class="stack tight">
        {error !== undefined && <p class="notice warn">{error}</p>}
        {draw && (
          <>
            <RichText class="question-text" text={draw.question.question_text} />
            <p>
              <bdi dir="ltr">{values.map(([name, value]) => `${name} = ${value}`).join(', ')}</bdi>
            </p>
            <p>{t('Correct answer: {answer}', { answer: <bdi dir="ltr">{keyOf(draw)}</bdi> })}</p>
          </>
        )}
      </div>
      <div class="row">
        <button type="button" class="small" onClick={() => setSeed(seed + 1)}>
          Another one
        </button>
        <button
          type="button"
          class="small"
          onClick={() => runWithToast(async () => setMany((await tryMany(question)).draws))}
        >
          Twenty draws, with what fails
        </button>
      </div>
      {many && <ManyDraws draws={many} />}
    </section>
  )
}

function ManyDraws({ draws }: { draws: readonly TriedDraw[] }) {
  const names = [...new Set(draws.flatMap(({ values }) => Object.keys(values)))]
  const failing = draws.filter(({ failure }) => failure).length
  return (
    <>
      <p role="status">
        {failing === 0
          ? t('All of them pass.')
          : t('{count, plural, one {# of them fails.} other {# of them fail.}}', { count: failing })}
      </p>
      <Table
        caption={t('Twenty draws, with what fails')}
        rows={draws.map((draw, index) => ({ ...draw, index }))}
        keyOf={({ index }) => index}
        columns={[
          ...names.map((name) => ({
            head: name,
            cell: ({ values }: TriedDraw) => <bdi dir="ltr">{values[name] ?? '–'}</bdi>,
          })),
          {
            head: t('Correct answer'),
            cell: ({ failure, correct_answer }) =>
              failure ? <Failure failure={failure} /> : <bdi dir="ltr">{correct_answer}</bdi>,
          },
        ]}
      />
    </>
  )
}

function Failure({ failure: { path, message } }: { failure: NonNullable<TriedDraw['failure']> }) {
  if (path === '/conditions') return <span class="chip">Left out by a condition</span>
  return (
    <span class="chip bad">
      {t('Fails: {reason}', {
        reason: (
          <bdi>
            {path.slice(1)} {explainField(message)}
          </bdi>
        ),
      })}
    </span>
  )
}

function keyOf({ question: { correct_answer, correct } }: Draw): string {
  return correct_answer || [correct ?? ''].flat().join(', ')
}
