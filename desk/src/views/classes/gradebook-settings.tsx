import { useState } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { ChangeForm } from '../../components/forms/change-form.tsx'
import { Choice, NumberField } from '../../components/forms/fields.tsx'
import { percent } from '../../format.ts'
import { t } from '../../texts.ts'
import type { OneClass } from './class-tab.ts'

const COUNTS = [
  ['best', t('The best attempt')],
  ['latest', t('The latest attempt')],
  ['first', t('The first attempt')],
] as const

interface SettingsProps {
  of: OneClass['class']
  exams: readonly { id: number; name: string }[]
  reload: () => Promise<unknown>
}

type Counts = (typeof COUNTS)[number][0]
interface BookSettings {
  counts: Counts
  /** As JSON: a change of one weight sends all. */
  weights: string
}

const read = (weights: Readonly<Record<string, number>>): BookSettings['weights'] => JSON.stringify(weights)

/** How the totals of a gradebook are made: which attempt counts, and what each exam weighs. */
export function GradebookSettings({ of: own, exams, reload }: SettingsProps) {
  const stored = own.weights ?? {}
  const [sum, setSum] = useState(sumOf(Object.values(stored)))
  return (
    <details class="sheet">
      <summary>Weights and attempts that count</summary>
      <ChangeForm<BookSettings>
        of={{ counts: own.counts ?? 'best', weights: read(stored) }}
        button="Save"
        reload={reload}
        read={(fields) => ({
          counts: fields.counts as Counts,
          weights: read(weightsOf(exams, fields)),
        })}
        send={(changes) =>
          ask(
            client.PATCH('/api/v01/classes/{id}', {
              params: { path: { id: own.id } },
              body: {
                ...(changes.counts === undefined ? {} : { counts: changes.counts }),
                ...(changes.weights === undefined ? {} : { weights: JSON.parse(changes.weights) }),
              },
            }),
          )
        }
      >
        {(shown) => {
          const weights: Record<string, number> = JSON.parse(shown.weights)
          return (
            <div
              class="stack"
              onInput={({ currentTarget }) => {
                const inputs = currentTarget.querySelectorAll<HTMLInputElement>('input[type="number"]')
                const total = sumOf([...inputs].map(({ value }) => Number(value)))
                setSum(total)
                inputs[0]?.setCustomValidity(total > 100 ? t('All weights together are at most 100 %') : '')
              }}
            >
              <Choice label="Attempt that counts" name="counts" value={shown.counts} options={COUNTS} />
              <p>Without weights all exams count alike. With them, an exam without one counts nothing.</p>
              {exams.map(({ id, name }) => (
                <NumberField
                  key={id}
                  label={t('{exam}, in per cent', { exam: name })}
                  name={`weight-${id}`}
                  value={weights[id] ?? null}
                  most={100}
                  allowsFractions
                />
              ))}
              <p role="status" class={sum > 100 ? 'warn' : ''}>
                {t('Together: {percent}', { percent: percent(sum) })}
              </p>
            </div>
          )
        }}
      </ChangeForm>
    </details>
  )
}

function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + Math.round(weight * 100), 0) / 100
}

function weightsOf(
  exams: SettingsProps['exams'],
  fields: Readonly<Record<string, unknown>>,
): Record<string, number> {
  return Object.fromEntries(
    exams.flatMap(({ id }) => {
      const given = String(fields[`weight-${id}`] ?? '').trim()
      return given === '' ? [] : [[String(id), Number(given)]]
    }),
  )
}
