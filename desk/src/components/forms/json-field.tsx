import { useEffect, useRef } from 'preact/hooks'

interface JsonFieldProps<T> {
  name: string
  value: T
  /** A draft is put back. */
  take: (value: T) => void
}

/** A part of a form that is no single control: the form has it as JSON, so that it is kept with the form's draft. */
export function JsonField<T>({ name, value, take }: JsonFieldProps<T>) {
  const input = useRef<HTMLInputElement>(null)
  const json = JSON.stringify(value)
  const told = useRef(json)
  useEffect(() => {
    if (told.current === json) return
    told.current = json
    input.current?.dispatchEvent(new Event('input', { bubbles: true }))
  }, [json])
  return (
    <input
      ref={input}
      type="hidden"
      name={name}
      value={json}
      onInput={({ currentTarget }) => {
        if (currentTarget.value === json) return
        told.current = currentTarget.value
        take(JSON.parse(currentTarget.value))
      }}
    />
  )
}
