import { useId, useRef } from 'preact/hooks'

const PAUSE_MS = 250

interface SearchProps {
  label: string
  value: string | undefined
  take: (q: string) => void
}

/** A search field that searches while somebody types, after a pause. */
export function Search({ label, value, take }: SearchProps) {
  const id = useId()
  const timer = useRef(0)
  return (
    <div class="field search">
      <label class="unseen" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        placeholder={label}
        defaultValue={value ?? ''}
        onInput={({ currentTarget }) => {
          clearTimeout(timer.current)
          timer.current = window.setTimeout(() => take(currentTarget.value.trim()), PAUSE_MS)
        }}
      />
    </div>
  )
}
