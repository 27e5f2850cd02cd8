import { useState } from 'preact/hooks'
import { Labelled } from '../../../components/forms/fields.tsx'
import type { QuestionContent } from '../../../components/questions/editor.ts'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { t } from '../../../texts.ts'
import { Draws } from './draws.tsx'

type Variable = TeacherQuestion['variables'][number]

const MOST_VARIABLES = 20
const MOST_CONDITIONS = 5
const LONGEST_NAME = 16

interface VariablesFieldsProps {
  content: QuestionContent
  change: (changes: Partial<QuestionContent>) => void
  /** The question as it would be saved now. */
  written: () => TeacherQuestion
}

type Form = 'range' | 'values' | 'formula'
const FORMS: [Form, string][] = [
  ['range', t('Steps between two numbers')],
  ['values', t('One of these numbers')],
  ['formula', t('Calculated from others')],
]

const formOf = (variable: Variable): Form =>
  'is' in variable ? 'formula' : 'values' in variable ? 'values' : 'range'

const EMPTY: Record<Form, (name: string) => Variable> = {
  range: (name) => ({ name, from: '1', to: '10', step: '1' }),
  values: (name) => ({ name, values: [] }),
  formula: (name) => ({ name, is: '' }),
}

/** Numbers of each attempt's own, and what they look like in a draw. */
export function VariablesFields({
  content: { variables, conditions },
  change,
  written,
}: VariablesFieldsProps) {
  const [isOpen, setOpen] = useState(variables.length > 0)
  const set = (index: number, variable: Variable) => change({ variables: variables.with(index, variable) })
  const add = () => change({ variables: [...variables, EMPTY.range(nextName(variables))] })
  return (
    <details class="stack tight" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Variables</summary>
      <small>
        {t(
          'Every attempt draws its own numbers. {place} in a text or as the key stands for a value, {rounded} for one with two decimals.',
          {
            place: '{@a + b@}',
            rounded: '{@a/b; 2@}',
          },
        )}
      </small>
      {variables.map((variable, index) => (
        <fieldset key={index} class="fields">
          <Text
            label={t('Name of variable {number}', { number: index + 1 })}
            value={variable.name}
            maxLength={LONGEST_NAME}
            store={(name) => set(index, { ...variable, name })}
          />
          <Labelled label={t('Kind of variable {number}', { number: index + 1 })}>
            {(tie) => (
              <select
                {...tie}
                value={formOf(variable)}
                onChange={({ currentTarget }) =>
                  set(index, EMPTY[currentTarget.value as Form](variable.name))
                }
              >
                {FORMS.map(([form, name]) => (
                  <option key={form} value={form}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Labelled>
          {'from' in variable && (
            <>
              <Text
                label={t('From')}
                value={String(variable.from)}
                store={(from) => set(index, { ...variable, from })}
              />
              <Text
                label={t('To')}
                value={String(variable.to)}
                store={(to) => set(index, { ...variable, to })}
              />
              <Text
                label={t('Step')}
                value={String(variable.step)}
                store={(step) => set(index, { ...variable, step })}
              />
            </>
          )}
          {'values' in variable && (
            <Text
              label={t('Numbers, separated by blanks')}
              value={variable.values.join(' ')}
              store={(text) => set(index, { ...variable, values: text.split(/\s+/).filter(Boolean) })}
            />
          )}
          {'is' in variable && (
            <Text
              label={t('Calculation')}
              value={variable.is}
              store={(is) => set(index, { ...variable, is })}
            />
          )}
          <button
            type="button"
            class="small"
            aria-label={t('Remove variable {name}', { name: variable.name })}
            onClick={() => change({ variables: variables.toSpliced(index, 1) })}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <div class="row">
        <button type="button" class="small" disabled={variables.length >= MOST_VARIABLES} onClick={add}>
          Add a variable
        </button>
      </div>
      {variables.length > 0 && (
        <>
          <Labelled label="Conditions" hint="One a line, as a != b or a < 2*b">
            {(tie) => (
              <textarea
                {...tie}
                dir="ltr"
                rows={2}
                value={conditions.join('\n')}
                onChange={({ currentTarget }) => change({ conditions: linesOf(currentTarget.value) })}
              />
            )}
          </Labelled>
          {isOpen && <Draws question={written()} />}
        </>
      )}
    </details>
  )
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((each) => each.trim())
  return lines.filter(Boolean).slice(0, MOST_CONDITIONS)
}

interface TextProps {
  label: string
  value: string
  maxLength?: number
  store: (text: string) => void
}

function Text({ label, value, maxLength, store }: TextProps) {
  return (
    <Labelled label={label}>
      {(tie) => (
        <input
          {...tie}
          dir="ltr"
          autoCapitalize="off"
          maxLength={maxLength}
          value={value}
          onChange={({ currentTarget }) => store(currentTarget.value.trim())}
        />
      )}
    </Labelled>
  )
}

/** The first letter that no variable has. */
function nextName(variables: readonly Variable[]): string {
  const taken = new Set(variables.map(({ name }) => name))
  const letters = [...'abcdfghjkmnpqrstuvwxyz']
  return letters.find((letter) => !taken.has(letter)) ?? `x${variables.length + 1}`
}
