import '../../../components/charts/chart.css'
import './items.css'
import { useState } from 'preact/hooks'
import { type Answer, ask, client, readAllPages } from '../../../client.ts'
import { Choice } from '../../../components/forms/fields.tsx'
import { KeysClosed } from '../../../components/keys-closed.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Stat } from '../../../components/page/stat.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { QuestionSummary } from '../../../components/questions/question-summary.tsx'
import { RichText } from '../../../components/rich-text/rich-text.tsx'
import { number, percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import type { TabProps } from './tab-props.ts'

const FLAGS: Record<string, string> = {
  negative_discrimination: t('Better students answer it incorrectly: check the key'),
  too_easy: t('Nearly everybody answers it correctly'),
  too_hard: t('Hardly anybody answers it correctly'),
  distractor_beats_key: t('Better students choose an incorrect option'),
}

type Analysis = Answer<'/api/v01/admin/analytics/exams/{exam_id}/items', 'get'>
type AnalysedItem = Analysis['items'][number]
type Attempts = 'first' | 'last' | 'all'

/** Statistics of each question of an exam. */
export function Items({ exam }: TabProps) {
  const path = { exam_id: exam.id }
  return (
    <ItemAnalysis
      examId={exam.id}
      load={(attempts) =>
        ask(
          client.GET('/api/v01/admin/analytics/exams/{exam_id}/items', {
            params: { path, query: { attempts } },
          }),
        )
      }
    />
  )
}

interface ItemAnalysisProps {
  examId: number
  load: (attempts: Attempts) => Promise<Analysis>
}

export function ItemAnalysis({ examId, load }: ItemAnalysisProps) {
  const [attempts, setAttempts] = useState<Attempts>('first')
  const found = useLoad(attempts, () => load(attempts))
  const written = useLoad(examId, () => readWritten(examId))
  return (
    <div class="stack">
      <Choice
        label="Which attempts"
        value={attempts}
        options={[
          ['first', t('Everybody’s first')],
          ['last', t('Everybody’s last')],
          ['all', t('All')],
        ]}
        onChange={({ currentTarget }) => setAttempts(currentTarget.value as Attempts)}
      />
      <Loaded of={found}>
        {({ exam: whole, items, ...keys }) =>
          whole.attempts === 0 ? (
            <Empty title="Nobody has finished it yet" />
          ) : (
            <>
              <KeysClosed of={keys} />
              <dl class="figures">
                <Stat label="Attempts" value={whole.attempts} />
                <Stat label="Mean" value={number(whole.mean)} />
                <Stat label="Median" value={number(whole.median)} />
                <Stat label="Standard deviation" value={number(whole.standard_deviation)} />
                <Stat label="Cronbach’s alpha" value={number(whole.alpha)} />
                <Stat label="Standard error" value={number(whole.standard_error)} />
              </dl>
              {written.data && <small>Keys are those by which new attempts are graded.</small>}
              <ol class="list sheet items">
                {items.map((item, index) => (
                  <Analysed
                    key={item.question_id}
                    item={item}
                    number={index + 1}
                    written={written.data?.get(item.question_id)}
                  />
                ))}
              </ol>
            </>
          )
        }
      </Loaded>
    </div>
  )
}

interface AnalysedProps {
  item: AnalysedItem
  number: number
  written: QuestionKey | undefined
}

function Analysed({ item, number: place, written }: AnalysedProps) {
  // Somebody may have made another question of it since.
  const today = written?.type === item.question_type ? written : undefined
  return (
    <li>
      <div class="stack tight">
        <p>
          <b>{place}.</b> <QuestionSummary text={item.question_text} />
        </p>
        {item.too_few && <small>Too few attempts to say whether the question is a good one</small>}
        {item.flags.length > 0 && (
          <p class="row">
            {item.flags.map((flag) => (
              <span key={flag} class="chip warn">
                {FLAGS[flag] ?? flag}
              </span>
            ))}
          </p>
        )}
        <p class="row">
          <span>
            {t('Facility <b>{value}</b>', {
              value: number(item.facility),
              b: (inner) => <b>{inner}</b>,
            })}
          </span>
          <span>
            {t('Discrimination <b>{value}</b>', {
              value: number(item.discrimination),
              b: (inner) => <b>{inner}</b>,
            })}
          </span>
          <small>
            {t('{omitted} of {count} left it out', {
              omitted: item.omitted,
              count: item.administered,
            })}
          </small>
        </p>
      </div>
      <div class="stack tight">
        {today?.key && <p>{t('Key: {answer}', { answer: today.key })}</p>}
        <Options options={item.options} written={today} />
        <Shares shares={item.shares} />
        <WrongTexts texts={item.wrong_texts} />
      </div>
    </li>
  )
}

interface QuestionKey {
  type: AnalysedItem['question_type']
  /** The options that the question has; null: it has none. */
  letters: readonly string[] | null
  /** The letters of the key. */
  keys: readonly string[]
  /** The key in words, where it isn't one of the options. */
  key: string | undefined
}

/**
 * The questions as they are today. Teachers may not read those of an exam that isn't theirs: they are shown options A
 * to D without a key.
 */
async function readWritten(examId: number): Promise<ReadonlyMap<number, QuestionKey>> {
  const pages = await readAllPages((page) =>
    ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: examId, page } } })),
  )
  const questions = pages.flatMap((page) => page.questions)
  return new Map(
    questions.map((question): [number, QuestionKey] => {
      const kind = kindOf(question.question_type)
      const { parts, option_order: letters, correct } = kind.show(question)
      return [
        question.id,
        {
          type: question.question_type,
          letters,
          keys: letters && correct ? [correct].flat() : [],
          key:
            letters || !correct
              ? undefined
              : (kind.describeKey?.(question) ??
                kind.describe({ ...question, parts, option_order: letters }, correct)),
        },
      ]
    }),
  )
}

interface ItemOptionsProps {
  options: AnalysedItem['options']
  /** undefined: that isn't known. */
  written: QuestionKey | undefined
}

/** How often each option was chosen, and how well those students did in the other questions. */
function Options({ options: all, written }: ItemOptionsProps) {
  // It may have had others when somebody chose them.
  const options = all.filter(
    ({ option, chosen }) => chosen > 0 || (written?.letters?.includes(option) ?? true),
  )
  if (options.length === 0) return null
  return (
    <table class="options-chosen">
      <thead>
        <tr>
          <th scope="col">Chosen</th>
          <th scope="col">
            <span class="unseen">Proportion</span>
          </th>
          <th scope="col" class="number">
            Of all
          </th>
          <th scope="col" class="number">
            Rest score
          </th>
        </tr>
      </thead>
      <tbody>
        {options.map(({ option, chosen, share, mean_rest_score: rest }) => (
          <tr key={option}>
            <th scope="row">
              {option} {written?.keys.includes(option) && <span class="chip good">Key</span>}
            </th>
            <td>
              <meter min={0} max={1} value={share} aria-label={t('Share of {option}', { option })} />
            </td>
            <td class="number">
              {percent(share * 100, 0)} ({chosen})
            </td>
            <td class="number">{number(rest)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Of prompts and items: who had each of them right. */
function Shares({ shares }: { shares: AnalysedItem['shares'] }) {
  if (shares.length === 0) return null
  return (
    <table class="options-chosen">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">
            <span class="unseen">Proportion</span>
          </th>
          <th scope="col" class="number">
            Correct
          </th>
        </tr>
      </thead>
      <tbody>
        {shares.map(({ text, share }, index) => (
          <tr key={index}>
            <th scope="row">
              <RichText text={text} kind="summary" />
            </th>
            <td>
              <meter
                min={0}
                max={1}
                value={share}
                aria-label={t('Share of part {number}', { number: index + 1 })}
              />
            </td>
            <td class="number">{percent(share * 100, 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The commonest wrong texts. */
function WrongTexts({ texts }: { texts: AnalysedItem['wrong_texts'] }) {
  if (texts.length === 0) return null
  return (
    <div>
      <p class="label">Most frequent incorrect answers</p>
      <ul class="list">
        {texts.map(({ gap, text, count }, index) => (
          <li key={index} class="row spread">
            <span>
              {gap !== undefined && <small>{t('Gap {number}:', { number: gap })} </small>}
              {text}
            </span>
            <small>{count}</small>
          </li>
        ))}
      </ul>
    </div>
  )
}
