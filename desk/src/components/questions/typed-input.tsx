import type { InputHTMLAttributes } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface TypedInputProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    'id' | 'class' | 'aria-describedby' | 'aria-label' | 'inputMode' | 'maxLength'
  > {
  /** What is stored; '' for nothing. */
  value: string
  type: (text: string) => void
  isReadOnly: boolean
}

/** A line that somebody types. What is typed stays as it is, although blanks alone are stored as nothing. */
export function TypedInput({ value, type, isReadOnly, ...input }: TypedInputProps) {
  const [typed, setTyped] = useState(value)
  const given = useRef(value)
  return (
    <input
      dir="auto"
      autoComplete="off"
      autoCapitalize="off"
      spellcheck={false}
      // Another value is stored if the answer was cleared, or given in another tab. An effect that takes it over would
      // come too late, and undo what is typed meanwhile.
      value={value === given.current ? typed : value}
      readOnly={isReadOnly}
      onInput={({ currentTarget }) => {
        given.current = currentTarget.value.trim() === '' ? '' : currentTarget.value
        setTyped(currentTarget.value)
        type(given.current)
      }}
      {...input}
    />
  )
}
