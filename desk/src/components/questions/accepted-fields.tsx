import { useId } from 'preact/hooks'
import { t } from '../../texts.ts'
import { focusDrawn } from '../forms/focus-drawn.ts'
import { type AcceptedText, readAccepted, writeAccepted } from './accepted-texts.ts'

/** Texts that one question or gap accepts. */
const MOST_ACCEPTED = 50
/** Characters of one. */
const LONGEST_TEXT = 200

interface AcceptedFieldsProps {
  legend: string
  lines: readonly string[]
  change: (lines: string[]) => void
}

/** Accepted texts, each with the share of the marks that it brings. */
export function AcceptedFields({ legend, lines, change }: AcceptedFieldsProps) {
  const id = useId()
  const rows = lines.map(readAccepted)
  const set = (index: number, changes: Partial<AcceptedText>) =>
    change(lines.with(index, writeAccepted({ ...(rows[index] as AcceptedText), ...changes })))
  return (
    <fieldset class="stack tight">
      <legend>
        {legend} <small>Capitals and extra spaces don’t matter</small>
      </legend>
      {rows.map(({ text, percent }, index) => (
        <div key={index} class="accepted-row">
          <input
            id={`${id}-${index}`}
            aria-label={t('Accepted text {number}', { number: index + 1 })}
            dir="auto"
            maxLength={LONGEST_TEXT}
            value={text}
            onInput={({ currentTarget }) => set(index, { text: currentTarget.value })}
          />
          <input
            class="percent"
            inputMode="decimal"
            aria-label={t('Percent of the marks for accepted text {number}', { number: index + 1 })}
            value={percent}
            onInput={({ currentTarget }) => set(index, { percent: currentTarget.value.trim() })}
          />
          <span aria-hidden="true">%</span>
          <button
            type="button"
            class="small quiet"
            aria-label={t('Remove accepted text {number}', { number: index + 1 })}
            disabled={lines.length === 1}
            onClick={() => {
              change(lines.toSpliced(index, 1))
              document.getElementById(`${id}-${Math.max(0, index - 1)}`)?.focus()
            }}
          >
            Remove
          </button>
        </div>
      ))}
      {lines.length < MOST_ACCEPTED && (
        <p>
          <button
            type="button"
            class="small"
            onClick={() => {
              change([...lines, ''])
              focusDrawn(`#${id}-${lines.length}`)
            }}
          >
            Add another text
          </button>
        </p>
      )}
    </fieldset>
  )
}
