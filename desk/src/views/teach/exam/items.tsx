import '../../../components/charts/chart.css'
import './items.css'
import { useState } from 'preact/hooks'
import { type Answer, ask, client } from '../../../client.ts'
import { Choice } from '../../../components/forms/fields.tsx'
import { Empty, Loaded } from '../../../components/page/load-states.tsx'
import { Stat } from '../../../components/page/stat.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { RichText } from '../../../components/rich-text.tsx'
import { number } from '../../../format.ts'
import type { TabProps } from './tab-props.ts'

const FLAGS: Record<string, string> = {
  negative_discrimination: 'The better ones get it wrong: look at the key',
  too_easy: 'Nearly everybody gets it right',
  too_hard: 'Hardly anybody gets it right',
  distractor_beats_key: 'Better students choose a wrong option',
}

type Item = Answer<'/api/v01/admin/analytics/exams/{exam_id}/items', 'get'>['items'][number]

/** Statistics of each question. */
export function Items({ exam }: TabProps) {
  const [attempts, setAttempts] = useState<'first' | 'last' | 'all'>('first')
  const found = useLoad(`${exam.id} ${attempts}`, () =>
    ask(
      client.GET('/api/v01/admin/analytics/exams/{exam_id}/items', {
        params: { path: { exam_id: exam.id }, query: { attempts } },
      }),
    ),
  )
  return (
    <div class="stack">
      <Choice
        label="Which attempts"
        value={attempts}
        options={[
          ['first', 'Everybody’s first'],
          ['last', 'Everybody’s last'],
          ['all', 'All'],
        ]}
        onChange={({ currentTarget }) => setAttempts(currentTarget.value as typeof attempts)}
      />
      <Loaded of={found}>
        {({ exam: whole, items }) =>
          whole.attempts === 0 ? (
            <Empty title="Nobody has finished it yet" />
          ) : (
            <>
              <dl class="figures">
                <Stat name="Attempts" value={whole.attempts} />
                <Stat name="Mean" value={number(whole.mean)} />
                <Stat name="Median" value={number(whole.median)} />
                <Stat name="Standard deviation" value={number(whole.standard_deviation)} />
                <Stat name="Cronbach’s alpha" value={number(whole.alpha)} />
                <Stat name="Standard error" value={number(whole.standard_error)} />
              </dl>
              <ol class="list sheet items">
                {items.map((item, index) => (
                  <li key={item.question_id}>
                    <div class="stack tight">
                      <p>
                        <b>{index + 1}.</b>{' '}
                        <RichText text={item.question_text || 'A question that is an image'} />
                      </p>
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
                          Facility <b>{number(item.facility)}</b>
                        </span>
                        <span>
                          Discrimination <b>{number(item.discrimination)}</b>
                        </span>
                        <small>
                          {item.omitted} of {item.administered} left it out
                        </small>
                      </p>
                    </div>
                    <Options options={item.options} />
                  </li>
                ))}
              </ol>
            </>
          )
        }
      </Loaded>
    </div>
  )
}

/** How often each option was chosen, and how well those students did in the other questions. */
function Options({ options }: { options: Item['options'] }) {
  if (options.length === 0) return null
  return (
    <table class="options-chosen">
      <thead>
        <tr>
          <th scope="col">Chosen</th>
          <th scope="col">
            <span class="unseen">Share</span>
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
            <th scope="row">{option}</th>
            <td>
              <meter min={0} max={1} value={share} aria-label={`Share of ${option}`} />
            </td>
            <td class="number">
              {number(share * 100, 0)} % ({chosen})
            </td>
            <td class="number">{number(rest)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
