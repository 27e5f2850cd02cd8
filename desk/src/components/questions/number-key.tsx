import { Labelled } from '../forms/fields.tsx'

interface NumberKeyProps {
  number: string
  tolerance: number | string
  change: (changes: { number?: string; tolerance?: string }) => void
}

/** A right number, and how far from it an answer is still right. */
export function NumberKey({ number, tolerance, change }: NumberKeyProps) {
  return (
    <div class="fields">
      <Labelled label="Correct answer" hint="A number">
        {(tie) => (
          <input
            inputMode="decimal"
            value={number}
            onInput={({ currentTarget }) => change({ number: currentTarget.value.trim() })}
            {...tie}
          />
        )}
      </Labelled>
      <Labelled label="Tolerance">
        {(tie) => (
          <input
            inputMode="decimal"
            value={tolerance}
            onChange={({ currentTarget }) => change({ tolerance: currentTarget.value.trim() || '0' })}
            {...tie}
          />
        )}
      </Labelled>
    </div>
  )
}
