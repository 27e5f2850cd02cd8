import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../texts.ts'
import { Labelled } from '../forms/fields.tsx'
import { ReadFormula, useFormulas } from './read-formula.tsx'

interface FormulaInputProps {
  label: string
  /** What is stored; '' for nothing. */
  value: string
  symbols: readonly string[]
  store: (text: string) => void
  isReadOnly: boolean
}

/** Characters of a formula. */
const LONGEST = 500
/** What a phone's keyboard lacks: what each key puts before the cursor, and behind it. */
const KEYS = [
  ['√', '√(', ')'],
  ['x²', '^2', ''],
  ['xⁿ', '^', ''],
  ['π', 'π', ''],
  ['( )', '(', ')'],
  ['/', '/', ''],
] as const

/**
 * A formula that somebody types, and how it is read. What can be read is stored at once; the rest when the field is
 * left, so that half a formula doesn't take the place of a whole one.
 */
export function FormulaInput({ label, value, symbols, store, isReadOnly }: FormulaInputProps) {
  const [typed, setTyped] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const seen = useRef(value)
  const stored = useRef(value)
  const latest = useRef({ typed, store })
  const formulas = useFormulas()
  const isRead = formulas?.readAsLatex(typed, symbols) !== undefined
  const isReadable = typed.trim() === '' || isRead || !formulas
  // Another value is stored if the answer was cleared, or given in another tab. What this field has stored itself may
  // come back late, and mustn't undo what is typed meanwhile.
  if (value !== seen.current) {
    seen.current = value
    if (value !== stored.current && document.activeElement !== input.current) {
      stored.current = value
      setTyped(value)
    }
  }
  latest.current = { typed, store }
  function keep(text: string) {
    const next = text.trim() === '' ? '' : text
    if (next === stored.current) return
    stored.current = next
    latest.current.store(next)
  }
  function type(text: string) {
    latest.current.typed = text
    setTyped(text)
    if (text.trim() === '' || formulas?.readAsLatex(text, symbols) !== undefined) keep(text)
  }
  function press(before: string, after: string) {
    const field = input.current
    if (!field) return
    const [from, to] = [field.selectionStart ?? typed.length, field.selectionEnd ?? typed.length]
    field.setRangeText(before + typed.slice(from, to) + after, from, to, 'end')
    const cursor = from + before.length + (to - from)
    field.setSelectionRange(cursor, cursor)
    field.focus()
    type(field.value)
  }
  // Whoever goes on to another question by a key never leaves the field.
  useEffect(() => () => keep(latest.current.typed), [])
  return (
    <div class="stack tight">
      <Labelled
        label={label}
        isWarning={!isReadable}
        hint={
          isReadable
            ? t('In {symbols}, such as 2x^2 or (a+b)/2', { symbols: symbols.join(', ') })
            : t('This doesn’t read as a formula yet, and would count as unanswered.')
        }
      >
        {(tie) => (
          <>
            <input
              ref={input}
              dir="ltr"
              autoComplete="off"
              autoCapitalize="off"
              autoCorrect="off"
              spellcheck={false}
              maxLength={LONGEST}
              value={typed}
              readOnly={isReadOnly}
              onInput={({ currentTarget }) => type(currentTarget.value)}
              onBlur={() => keep(typed)}
              {...tie}
            />
            {/* Above the hint, whose length changes: what somebody presses stays where it is. */}
            {!isReadOnly && (
              <div class="row tight">
                {KEYS.map(([name, before, after]) => (
                  <button
                    key={name}
                    type="button"
                    class="small"
                    // The field keeps the cursor, and a phone its keyboard.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => press(before, after)}
                  >
                    {name}
                  </button>
                ))}
              </div>
            )}
          </>
        )}
      </Labelled>
      {isRead && (
        <p class="formula-read" aria-live="polite">
          {t('Read as {formula}', { formula: <ReadFormula text={typed} symbols={symbols} /> })}
        </p>
      )}
    </div>
  )
}
